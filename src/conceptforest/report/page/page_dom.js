// Making elements, writing numbers, and saying things aloud. Text only ever goes in as text: no
// name or tag is parsed as markup anywhere on this page.

function el(tag, props, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key === 'text') node.textContent = value;
    else if (key === 'on') listen(node, value);
    else if (key === 'style') setStyle(node, value);
    else node.setAttribute(key, value === true ? '' : String(value));
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

function listen(node, handlers) {
  for (const [type, handler] of Object.entries(handlers)) node.addEventListener(type, handler);
}

// Set one by one, since the page's policy forbids style attributes in markup.
function setStyle(node, style) {
  for (const [name, value] of Object.entries(style)) node.style.setProperty(name, value);
}

const SVG = 'http://www.w3.org/2000/svg';

// A small line drawing; `path` is the data of one SVG path in a box of 20 x 20.
function icon(path) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 20 20');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  svg.setAttribute('focusable', 'false');
  const shape = document.createElementNS(SVG, 'path');
  shape.setAttribute('d', path);
  svg.append(shape);
  return svg;
}

const ICONS = {
  overview: 'M3 3h6v8H3zM11 3h6v5h-6zM11 10h6v7h-6zM3 13h6v4H3z',
  map: 'M4 5.5h.01M8 3.5h.01M6.5 8h.01M14 6h.01M16.5 9h.01M13 10h.01M5 13h.01M8.5 15.5h.01M4.5 16.5h.01M14.5 15h.01M16.5 13.5h.01M11.5 13.5h.01',
  concepts: 'M3 5.5h14v11H3zM5 3h10M3 14l4-4 3 3 3.5-3.5L17 13',
  tags: 'M3 3h6.5l7.5 7.5-6.5 6.5L3 9.5zM6.5 6.5h.01',
  suggestions: 'M10 2.5l1.8 4.7 4.7 1.8-4.7 1.8L10 15.500l-1.8-4.7L3.500 9l4.7-1.8zM16 14v4M14 16h4',
  duplicates: 'M3 3h10v10H3zM7 13v4h10V7h-4',
  outliers: 'M5 12h.01M8 15h.01M5 16h.01M8.5 11.500h.01M15 5m-2.500 0a2.500 2.500 0 1 0 5 0a2.500 2.500 0 1 0-5 0',
  notes: 'M5 2.500h7l4 4V17.500H5zM8 9h5M8 12.500h5',
  about: 'M10 2.500a7.500 7.500 0 1 0 .01 0M10 9v5M10 6h.01',
  more: 'M4 10h.01M10 10h.01M16 10h.01',
  close: 'M4 4l12 12M16 4L4 16',
  previous: 'M12.500 4l-6 6 6 6',
  next: 'M7.500 4l6 6-6 6',
  play: 'M6 4l10 6-10 6z',
  arrow: 'M4 10h12M11 5l5 5-5 5',
};

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const grouped = new Intl.NumberFormat('en');
const count = (value) => grouped.format(value);
const counted = (value, one, many) => `${count(value)} ${value === 1 ? one : many}`;
const allOf = (value, one, many) => (value === 1 ? `The one ${one}` : `All ${counted(value, one, many)}`);
const percent = (share) => `${Math.round(100 * share)} %`;
const times = (lift) => `${lift >= 10 ? Math.round(lift) : lift.toFixed(1)}×`;

// Screen readers hear this; eyes see the same in the page.
function announce(text) {
  document.getElementById('announce').textContent = text;
}

// A function that runs once its caller has paused.
function afterPause(milliseconds, work) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...given), milliseconds);
  };
}

// A function that runs at most once a frame.
function oncePerFrame(work) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      work();
    });
  };
}

// What the view now shown has to do once it is in the page, and when it goes.
const arriving = [];
const leaving = [];
const onArrive = (work) => arriving.push(work);
const onLeave = (work) => leaving.push(work);
const runAll = (list) => list.splice(0).forEach((work) => work());

function heading(title, lead, kicker) {
  return el('header', { class: 'heading' },
    kicker ? el('p', { class: 'kicker' }, kicker) : null,
    el('h1', { tabindex: '-1', dir: 'auto', text: title }),
    lead ? el('p', { class: 'lead' }, lead) : null);
}

// A bar whose length is a share; the number stands beside it, so the bar itself is silent.
function bar(share, kind) {
  return el('span', { class: `bar ${kind || ''}`, 'aria-hidden': 'true' },
    el('span', { style: { width: `${clamp(100 * share, 0, 100)}%` } }));
}

function nothing(text) {
  return el('p', { class: 'nothing', text });
}

// Buttons to go through pages of a list: at no time are all its entries in the page.
function pager(page, pages, go) {
  if (pages < 2) return null;
  const button = (label, to, path) => el('button', {
    type: 'button', class: 'button', disabled: to < 0 || to >= pages, on: { click: () => go(to) },
  }, icon(path), label);
  return el('nav', { class: 'pager', 'aria-label': 'Pages of this list' },
    button('Previous', page - 1, ICONS.previous),
    el('span', { text: `Page ${count(page + 1)} of ${count(pages)}` }),
    button('Next', page + 1, ICONS.next));
}
