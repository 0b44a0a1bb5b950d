// Tags: their hierarchy, their layers and their company; and a page for each tag.

const IN_LAYER = 40;

function tags(argument) {
  const tag = Number(argument);
  if (argument !== '' && data.vocabulary[tag] !== undefined) return oneTag(tag);
  const view = el('div', { class: 'tags' },
    heading('Tags', tagsLead(data.vocabulary.length)));
  if (!data.vocabulary.length) {
    view.append(nothing(`No ${ONE} carries a tag.`));
    return view;
  }
  if (data.tree.length) {
    view.append(el('section', {}, el('h2', { text: 'Hierarchy' }),
      el('p', { class: 'quiet', text: `From abstract to specific. Arrow keys open and close; Enter shows a tag’s ${MANY}.` }),
      tagTree()));
  }
  if (data.layers.length > 1) view.append(layers());
  if (data.relations.length || data.vocabulary.length > 2) {
    view.append(el('section', {}, el('h2', { text: 'Company' }), relationLists(), relationMatrix()));
  }
  return view;
}

function tagsLead(n) {
  if (n < 2) return n ? `1 tag, and the ${MANY} that carry it.` : null;
  return `${counted(n, 'tag', 'tags')}, how they depend on each other, and which of them keep company.`;
}

function layers() {
  const last = data.layers.length - 1;
  const name = (i) => (i === 0 ? 'Most abstract' : i === last ? 'Most specific' : `Layer ${i + 1}`);
  return el('section', {}, el('h2', { text: 'Layers' }),
    el('div', { class: 'layers' }, data.layers.map((layer, i) => {
      const shown = [...layer].sort((a, b) => data.counts[b] - data.counts[a] || a - b).slice(0, IN_LAYER);
      const rest = layer.length - shown.length;
      return el('section', {},
        el('h3', {}, name(i), el('span', { class: 'quiet', text: ` ${counted(layer.length, 'tag', 'tags')}` })),
        el('ul', { class: 'chips' }, shown.map((tag) => el('li', {}, chip(tag, count(data.counts[tag]))))),
        rest > 0 ? el('p', { class: 'quiet', text: `and ${counted(rest, 'rarer one', 'rarer ones')}, to be found by search` }) : null);
    })));
}

function oneTag(tag) {
  const carriers = carriersOf(tag);
  const near = data.relations.filter(([a, b]) => a === tag || b === tag);
  const others = (kind) => near.filter((one) => one[4] === kind).slice(0, 12)
    .map(([a, b, lift]) => el('li', {}, chip(a === tag ? b : a, times(lift))));
  const together = others(1);
  const apart = others(0);
  const suggested = data.suggestionTag.reduce((sum, one) => sum + (one === tag ? 1 : 0), 0);
  const layer = layerOf.get(tag);
  return el('div', { class: 'tag-page' },
    heading(tagName(tag), `${counted(carriers.length, `${ONE} carries`, `${MANY} carry`)} this tag`
      + `${layer === undefined ? '' : `; layer ${layer + 1} of ${data.layers.length}`}.`,
    [el('a', { href: '#tags', text: 'Tags' })]),
    suggested ? el('p', {}, el('a', { class: 'more', href: `#suggestions/${tag}` },
      `Suggested for ${counted(suggested, `more ${ONE}`, `more ${MANY}`)}`, icon(ICONS.arrow))) : null,
    together.length ? part('Comes together with', el('ul', { class: 'chips' }, together)) : null,
    apart.length ? part('Keeps apart from', el('ul', { class: 'chips' }, apart)) : null,
    concentration(carriers),
    el('h2', { text: things(carriers.length) }),
    carriers.length ? gallery(carriers, `${capital(MANY)} with the tag ${tagName(tag)}`)
      : nothing(`No ${ONE} carries this tag.`));
}

// In which concepts a tag is found.
function concentration(carriers) {
  const inCluster = new Map();
  for (const item of carriers) {
    inCluster.set(data.labels[item], (inCluster.get(data.labels[item]) || 0) + 1);
  }
  const most = [...inCluster].sort((a, b) => b[1] - a[1]).slice(0, 6);
  if (!most.length) return null;
  return part('Found in', el('ul', { class: 'found-in' }, most.map(([cluster, times]) => el('li', {},
    clusterLink(cluster), bar(times / carriers.length), el('span', { class: 'number', text: count(times) })))));
}
