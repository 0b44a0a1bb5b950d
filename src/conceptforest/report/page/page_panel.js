// The panel of one picture: what it is, what it may lack, and what is like it.

const panel = document.querySelector('dialog.panel');
let openedBy = null; // where the focus goes back to
let sequence = null; // what "next" and "previous" go through

function sequenceAround(item, element) {
  for (let node = element; node; node = node.parentElement) {
    const items = sequences.get(node);
    if (items) return items;
  }
  return membersOf(data.labels[item]);
}

// A walk along "more like this" leaves the list it began in; the new picture's cluster goes on.
function showPanel(item, element) {
  if (!panel.open) {
    openedBy = element || document.activeElement;
    sequence = sequenceAround(item, element);
  } else if (!sequence.includes(item)) {
    sequence = membersOf(data.labels[item]);
  }
  panel.replaceChildren(...panelContent(item));
  panel.scrollTop = 0;
  if (!panel.open) panel.showModal();
  document.getElementById('panel-name').focus();
}

function hidePanel() {
  if (!panel.open) return;
  const item = panel.querySelector('[data-shown]').getAttribute('data-shown');
  panel.close();
  panel.replaceChildren();
  const back = openedBy && openedBy.isConnected && openedBy !== document.body
    ? openedBy
    : document.querySelector(`main [data-item="${item}"]`) || document.querySelector('main h1');
  if (back) back.focus({ preventScroll: true });
}

function step(item, by) {
  const at = sequence.indexOf(item);
  return at < 0 ? item : sequence[(at + by + sequence.length) % sequence.length];
}

function panelContent(item) {
  const cluster = data.labels[item];
  const source = thumbnail(item);
  const figure = el('figure', { class: 'panel-picture', 'data-shown': item },
    source ? el('img', { class: 'backdrop', src: source, alt: '', 'aria-hidden': 'true' }) : null,
    picture(item, { eager: true }));
  const go = (by, label, path) => el('button', {
    type: 'button', class: 'round', 'aria-label': label,
    on: { click: () => navigate(itemLink(step(item, by)), { replace: true }) },
  }, icon(path));
  const bar = el('div', { class: 'panel-bar' },
    go(-1, `Previous ${ONE}`, ICONS.previous), go(1, `Next ${ONE}`, ICONS.next),
    el('button', {
      type: 'button', class: 'round close', 'aria-label': 'Close', on: { click: closePanel },
    }, icon(ICONS.close)));
  const details = el('div', { class: 'panel-details' },
    el('p', { class: 'kicker' }, clusterLink(cluster)),
    el('h2', { id: 'panel-name', tabindex: '-1', dir: 'auto', text: data.names[item] }),
    part('Tags', chips(tagsOf(item))),
    suggestedPart(item),
    originalLink(item));
  return [bar, el('div', { class: 'panel-body' }, figure, details), likePart(item)];
}

function part(title, ...content) {
  return el('section', { class: 'part' }, el('h3', { text: title }), ...content);
}

function suggestedPart(item) {
  const suggested = suggestionsOf(item);
  if (!suggested.length) return part('Suggested tags', el('p', { class: 'quiet', text: 'None' }));
  return part(`Suggested tags, and the ${MANY} that speak for them`,
    el('p', { class: 'quiet meaning', text: MEANING }),
    el('ul', { class: 'suggestions' }, suggested.map((one) => suggestionRow(one, 5))));
}

function likePart(item) {
  const near = neighboursOf(item);
  if (!near.length) return el('div');
  const list = el('ul', { class: 'strip like' }, near.map(({ item: other, share }) =>
    el('li', {}, tile(other), el('span', { class: 'number', text: percent(share) }))));
  return el('section', { class: 'part more-like-this' },
    el('h3', { text: 'More like this' }),
    el('p', { class: 'quiet', text: 'The share of trees in which both end in the same leaf.' }), list);
}

// Links lead to files below or beside this page and nowhere else, whatever the data says.
function originalLink(item) {
  const link = data.links[item];
  if (!/^\.\.?\//.test(link)) return null;
  return el('p', {}, el('a', { class: 'button', href: link, target: '_blank', rel: 'noopener' },
    'Open the original', icon(ICONS.arrow)));
}

const FOCUSABLE = 'a[href], button:not([disabled]), input, [tabindex="0"]';

// The browser keeps the focus out of the rest of the page; this keeps it out of its own bars too.
function keepFocus(event) {
  const all = [...panel.querySelectorAll(FOCUSABLE)];
  const last = all[all.length - 1];
  const at = document.activeElement;
  if (event.shiftKey && (at === all[0] || at.id === 'panel-name')) {
    event.preventDefault();
    last.focus();
  } else if (!event.shiftKey && at === last) {
    event.preventDefault();
    all[0].focus();
  }
}

panel.addEventListener('keydown', (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (by) {
    const item = Number(panel.querySelector('[data-shown]').getAttribute('data-shown'));
    event.preventDefault();
    navigate(itemLink(step(item, by)), { replace: true });
  } else if (event.key === 'Tab') keepFocus(event);
});
panel.addEventListener('cancel', (event) => {
  event.preventDefault();
  closePanel();
});
// The dark around the panel closes it, as everywhere.
panel.addEventListener('click', (event) => { if (event.target === panel) closePanel(); });
