// The first view: what this collection is, at a glance.

const COVERS = 24;

function overview() {
  const view = el('div', { class: 'overview' },
    heading(data.title, summary(), 'Collection report'),
    data.facts.length ? facts() : null,
    nItems ? covers() : nothing('There are no pictures in this collection.'),
    data.scores.length ? scores() : null);
  return view;
}

function summary() {
  const untagged = range(0, nItems).filter((item) => !tagsOf(item).length).length;
  const kinds = [...new Set(data.kinds)].sort().join('');
  const what = { i: ['picture', 'pictures'], v: ['video', 'videos'], iv: ['', 'pictures and videos'] }[kinds]
    || ['item', 'items'];
  const used = data.counts.filter((times) => times > 0).length;
  return `${counted(nItems, ...what)} in ${counted(data.clusters.length, 'concept', 'concepts')}, `
    + `with ${counted(used, 'tag', 'tags')}`
    + `${untagged ? `; ${count(untagged)} ${untagged === 1 ? 'has' : 'have'} none` : ''}.`;
}

function facts() {
  return el('dl', { class: 'facts' }, data.facts.map(([label, value]) =>
    el('div', {}, el('dt', { text: label }), el('dd', { text: value }))));
}

function scores() {
  return el('section', { class: 'scores' },
    el('h2', { text: 'How well it was found' }),
    el('ul', {}, data.scores.map(([label, value, hint]) =>
      el('li', {},
        el('span', { class: 'score', text: value.toFixed(2) }),
        el('div', {}, el('strong', { text: label }), bar(value), el('p', { class: 'quiet', text: hint }))))));
}

function covers() {
  const shown = data.clusters.slice(0, COVERS);
  // The first cover takes four places of the mosaic's rows of four, wide ones take two: with as
  // many wide ones as that, the last row is full.
  const wide = shown.length < 6 ? 0 : 2 + ((4 - ((shown.length + 5) % 4)) % 4);
  const list = el('ul', { class: 'mosaic' }, shown.map((cluster, i) =>
    cover(cluster, i, i % 3 === 0 && i > 0 && i <= 3 * wide)));
  return el('section', {},
    el('div', { class: 'row' },
      el('h2', { text: 'The concepts' }),
      el('a', { class: 'more', href: '#concepts' },
        `All ${counted(data.clusters.length, 'concept', 'concepts')}`, icon(ICONS.arrow))),
    list);
}

function cover(cluster, i, wide) {
  const item = cluster.central.length ? cluster.central[0] : membersOf(i)[0];
  // The largest concepts come first and get the room.
  const size = i === 0 ? 'large' : wide ? 'wide' : '';
  return el('li', { class: size },
    el('a', { class: 'cover', href: `#concepts/${i}` },
      item === undefined ? null : picture(item, { silent: true, eager: i < 9 }),
      el('span', { class: 'cover-text' },
        el('bdi', { class: 'cover-name', text: cluster.name }),
        el('span', { class: 'cover-size', text: counted(cluster.size, 'picture', 'pictures') }))));
}
