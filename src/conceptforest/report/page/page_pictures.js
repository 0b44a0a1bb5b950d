// Pictures: where a thumbnail comes from, and the link around it that opens the panel.

const readBlock = remembered((block) =>
  JSON.parse(document.getElementById(`thumbnails-${block}`).textContent));

const MIME = { w: 'image/webp', j: 'image/jpeg', p: 'image/png' };
const SUFFIX = { w: 'webp', j: 'jpg', p: 'png' };

// The address of a thumbnail, or null where there is no picture.
function thumbnail(item) {
  const { formats, folder, inFolder, inBlock } = data.thumbnails;
  const format = formats[item];
  if (format === '-') return null;
  if (folder === null) {
    const text = readBlock(Math.floor(item / inBlock))[item % inBlock];
    return `data:${MIME[format]};base64,${text}`;
  }
  const part = String(Math.floor(item / inFolder)).padStart(4, '0');
  const file = String(item).padStart(6, '0');
  return `./${encodeURIComponent(folder)}/${part}/${file}.${SUFFIX[format]}`;
}

// Width over height, kept from the extremes so that no picture is a thread.
function aspect(item) {
  const { widths, heights } = data.thumbnails;
  return heights[item] ? clamp(widths[item] / heights[item], 0.6, 2.2) : 1;
}

function describe(item) {
  const tags = Array.from(tagsOf(item), tagName);
  return `${data.names[item]}: ${tags.length ? tags.join(', ') : 'no tags'}`;
}

// A picture, or a card with the name where there is none or it cannot be loaded.
function picture(item, options) {
  const source = thumbnail(item);
  if (source === null) return placeholder(item);
  return el('img', {
    src: source,
    alt: options && options.silent ? '' : describe(item),
    width: data.thumbnails.widths[item],
    height: data.thumbnails.heights[item],
    loading: options && options.eager ? 'eager' : 'lazy',
    decoding: 'async',
    on: { error: (event) => event.target.replaceWith(placeholder(item)) },
  });
}

function placeholder(item) {
  return el('span', {
    class: 'placeholder', style: { '--tint': colourOf(data.labels[item]) },
  }, el('span', { dir: 'auto', text: fileName(item) }));
}

// Links name the view that they stand in, so that closing the panel leads back to it.
const itemLink = (item) => `#${routeBase()}~${item}`;

function tile(item, options) {
  return el('a', { class: 'tile', href: itemLink(item), 'data-item': item },
    picture(item, options),
    data.kinds[item] === 'v'
      ? el('span', { class: 'badge' }, icon(ICONS.play), el('span', { class: 'unseen', text: 'video' }))
      : null);
}

// A row of small pictures that each open their panel; `items` may be any short list.
function strip(items, className) {
  const list = el('ul', { class: `strip ${className || ''}` },
    items.map((item) => el('li', {}, tile(item))));
  sequences.set(list, items);
  return list;
}

function chip(tag, more, className) {
  return el('a', { class: `chip ${className || ''}`, href: `#tags/${tag}` },
    el('bdi', { text: tagName(tag) }), more ? el('span', { class: 'chip-more', text: more }) : null);
}

function chips(tags, rest) {
  const list = Array.from(tags);
  if (!list.length) return el('p', { class: 'quiet', text: 'No tags' });
  return el('ul', { class: 'chips' }, list.map((tag) => el('li', {}, chip(tag))), rest ? el('li', {}, rest) : null);
}

// "and 3 more", where a list is cut short; leads to all of them, or null where there are none.
function andMore(n, href, what) {
  if (n <= 0) return null;
  return el('a', { class: 'and-more', href }, `and ${count(n)} more`,
    el('span', { class: 'unseen', text: ` ${what}` }));
}

function clusterLink(cluster) {
  return el('a', { class: 'cluster-link', href: `#concepts/${cluster}` },
    el('span', { class: 'dot', style: { background: colourOf(cluster) } }),
    el('bdi', { text: data.clusters[cluster].name }));
}

// Why a tag is suggested: the pictures nearby that carry it.
function suggestionRow(suggestion, most) {
  const share = data.suggestionShare[suggestion] / 1000;
  const voters = votersOf(suggestion).slice(0, most);
  const tag = data.suggestionTag[suggestion];
  return el('li', { class: 'suggestion' },
    el('div', { class: 'suggestion-head' },
      chip(tag, null, 'new'), bar(share), el('span', { class: 'number', text: likelihood(share) })),
    voters.length
      ? el('div', { class: 'why' }, el('span', { class: 'quiet', text: 'because of' }),
        strip(voters.map((voter) => voter.item), 'small'))
      : el('div', { class: 'why' }, el('span', { class: 'quiet', text: 'because of its looks and other tags' })));
}
