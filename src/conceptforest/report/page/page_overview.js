// The first view: what this collection is, at a glance.

const COVERS = 24;
const LARGEST_COVER = 340; // of its pictures, in pixels, on any screen

function overview() {
  const view = el('div', { class: 'overview' },
    heading(data.title, summary(), 'Collection report'),
    data.facts.length ? facts() : null,
    nItems ? covers() : nothing(`There are no ${MANY} in this collection.`),
    data.scores.length ? scores() : null);
  return view;
}

function summary() {
  const untagged = range(0, nItems).filter((item) => !tagsOf(item).length).length;
  const used = data.counts.filter((times) => times > 0).length;
  return `${things(nItems)} in ${counted(data.clusters.length, 'concept', 'concepts')}, `
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
        allOf(data.clusters.length, 'concept', 'concepts'), icon(ICONS.arrow))),
    list);
}

function cover(cluster, i, wide) {
  // The largest concepts come first and get the room.
  const size = i === 0 ? 'large' : wide ? 'wide' : '';
  const items = coverItems(i, { large: 4, wide: 2 }[size] || 1);
  return el('li', { class: size },
    el('a', { class: 'cover', href: `#concepts/${i}` },
      el('span', { class: `cover-pictures of-${items.length}` }, items.map((item) => coverPicture(item, i < 9))),
      el('span', { class: 'cover-text' },
        el('bdi', { class: 'cover-name', text: cluster.name }),
        el('span', { class: 'cover-size', text: things(cluster.size) }))));
}

const groupOf = new Map(data.duplicates.flatMap(([, items], group) => items.map((item) => [item, group])));

// The most typical items, as many as there is room for: 4, 2 or 1. One of several near-duplicates
// is enough.
function coverItems(cluster, room) {
  const chosen = new Map();
  for (const item of new Set([...data.clusters[cluster].central, ...membersOf(cluster)])) {
    const alike = groupOf.has(item) ? `group ${groupOf.get(item)}` : item;
    if (!chosen.has(alike)) chosen.set(alike, item);
    if (chosen.size === room) break;
  }
  return [...chosen.values()].slice(0, { 0: 0, 1: 1, 4: 4 }[chosen.size] ?? 2);
}

// A thumbnail is enlarged to twice its own size at most: beyond, it would look coarse. What is left
// of the cover then goes on in its colours.
function coverPicture(item, eager) {
  const shown = picture(item, { silent: true, eager });
  const width = 2 * data.thumbnails.widths[item];
  const height = 2 * data.thumbnails.heights[item];
  const ground = width && (width < LARGEST_COVER || height < LARGEST_COVER)
    ? { 'background-image': `url("${thumbnail(item)}")` } : {};
  if (width) setStyle(shown, { 'max-width': `${width}px`, 'max-height': `${height}px` });
  return el('span', { class: 'cover-picture', style: ground }, shown);
}
