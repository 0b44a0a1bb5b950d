// Tags: their hierarchy, their layers and their company; and a page for each tag.

const IN_LAYER = 40;

function tags(argument) {
  const tag = Number(argument);
  if (argument !== '' && data.vocabulary[tag] !== undefined) return oneTag(tag);
  const view = el('div', { class: 'tags' },
    heading('Tags', `${counted(data.vocabulary.length, 'tag', 'tags')}, how they depend on each other, `
      + 'and which of them keep company.'));
  if (!data.vocabulary.length) {
    view.append(nothing('No picture carries a tag.'));
    return view;
  }
  if (data.tree.length) {
    view.append(el('section', {}, el('h2', { text: 'Hierarchy' }),
      el('p', { class: 'quiet', text: 'From abstract to specific. Arrow keys open and close; Enter shows a tag’s pictures.' }),
      tagTree()));
  }
  if (data.layers.length > 1) view.append(layers());
  if (data.relations.length || data.vocabulary.length > 2) {
    view.append(el('section', {}, el('h2', { text: 'Company' }), relationLists(), relationMatrix()));
  }
  return view;
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
        rest > 0 ? el('p', { class: 'quiet', text: `and ${count(rest)} rarer ones, to be found by search` }) : null);
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
    heading(tagName(tag), `${counted(carriers.length, 'picture carries', 'pictures carry')} this tag`
      + `${layer === undefined ? '' : `; layer ${layer + 1} of ${data.layers.length}`}.`,
    [el('a', { href: '#tags', text: 'Tags' })]),
    suggested ? el('p', {}, el('a', { class: 'more', href: `#suggestions/${tag}` },
      `Suggested for ${counted(suggested, 'more picture', 'more pictures')}`, icon(ICONS.arrow))) : null,
    together.length ? part('Comes together with', el('ul', { class: 'chips' }, together)) : null,
    apart.length ? part('Keeps apart from', el('ul', { class: 'chips' }, apart)) : null,
    concentration(carriers),
    el('h2', { text: counted(carriers.length, 'picture', 'pictures') }),
    carriers.length ? gallery(carriers, `Pictures with the tag ${tagName(tag)}`)
      : nothing('No picture carries this tag.'));
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
