// Which view is shown: the part of the address after "#" is section/argument~picture, so every
// view and every picture can be linked to, and the browser's Back leads where one was.

const SECTIONS = [
  { id: 'overview', title: 'Overview', show: overview },
  { id: 'map', title: 'Map', show: map },
  { id: 'concepts', title: 'Concepts', show: concepts, size: data.clusters.length },
  { id: 'tags', title: 'Tags', show: tags, size: data.vocabulary.length },
  { id: 'suggestions', title: 'Suggestions', show: suggestions, size: data.suggestionTag.length },
  { id: 'duplicates', title: 'Near-duplicates', show: duplicates, size: data.duplicates.length },
  { id: 'outliers', title: 'Outliers', show: outliers, size: data.outliers.length },
  { id: 'notes', title: notesTitle(), show: notes, size: data.skipped.length },
  { id: 'about', title: 'About', show: about },
  { id: 'search', title: 'Search', show: search, hidden: true },
];
const ON_BAR = 4; // sections on a phone's bar; the rest are behind "More"

const main = document.getElementById('content');
const nav = document.querySelector('nav.sections');
const scrolled = new Map();
let current = { section: '', argument: '', item: -1 };

function readRoute(hash) {
  const [, path, item] = /^#?(.*?)(?:~(\d+))?$/s.exec(hash);
  const slash = path.indexOf('/');
  const section = slash < 0 ? path : path.slice(0, slash);
  const known = SECTIONS.some(({ id }) => id === section);
  return {
    section: known ? section : 'overview',
    argument: known && slash >= 0 ? decoded(path.slice(slash + 1)) : '',
    item: item !== undefined && Number(item) < nItems ? Number(item) : -1,
  };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    return text; // an address that somebody typed
  }
}

const routeBase = () => (current.argument
  ? `${current.section}/${encoded(current.argument)}` : current.section || 'overview');

// `replace`: take the place of the last step. `quiet`: leave the focus where it is.
function navigate(hash, options) {
  const { replace, quiet } = options || {};
  const depth = (history.state && history.state.depth) || 0;
  const next = readRoute(hash);
  // How many steps lead back to the view without a panel.
  const deeper = next.item < 0 ? 0 : replace ? depth : (current.item < 0 ? 0 : depth) + 1;
  scrolled.set(routeBase(), window.scrollY);
  history[replace ? 'replaceState' : 'pushState']({ depth: deeper }, '', hash);
  showRoute(next, { quiet, opener: document.activeElement });
}

function closePanel() {
  const depth = (history.state && history.state.depth) || 0;
  if (depth > 0) history.go(-depth);
  else navigate(`#${routeBase()}`, { replace: true, quiet: true });
}

function showRoute(next, { quiet, back, opener }) {
  const moved = next.section !== current.section || next.argument !== current.argument;
  const first = current.section === '';
  current = next;
  if (moved) showSection(next, { quiet, back, first });
  if (next.item >= 0) showPanel(next.item, opener);
  else hidePanel();
}

function showSection({ section, argument }, { quiet, back, first }) {
  const { show, title } = SECTIONS.find(({ id }) => id === section);
  hidePanel();
  runAll(leaving);
  arriving.length = 0;
  main.className = `view-${section}`;
  main.replaceChildren(show(argument));
  runAll(arriving);
  window.scrollTo(0, back ? scrolled.get(routeBase()) || 0 : 0);
  document.title = section === 'overview' ? data.title : `${title} · ${data.title}`;
  for (const link of nav.querySelectorAll('a')) {
    const here = link.getAttribute('href') === `#${section}`;
    if (here) link.setAttribute('aria-current', 'page'); else link.removeAttribute('aria-current');
  }
  if (document.activeElement !== box) box.value = section === 'search' || section === 'map' ? argument : '';
  if (!quiet && !first) (main.querySelector('h1') || main).focus({ preventScroll: true });
}

function makeNav() {
  const entry = ({ id, title, size }) => el('li', {},
    el('a', { href: `#${id}` }, icon(ICONS[id]), el('span', { class: 'nav-title', text: title }),
      size ? el('span', { class: 'nav-size', text: count(size) }) : null));
  const shown = SECTIONS.filter(({ hidden }) => !hidden);
  const button = el('button', {
    type: 'button', class: 'nav-more', 'aria-expanded': 'false', 'aria-controls': 'nav-later',
  }, icon(ICONS.more), el('span', { class: 'nav-title', text: 'More' }));
  const open = (yes) => {
    nav.classList.toggle('open', yes);
    button.setAttribute('aria-expanded', String(yes));
  };
  button.addEventListener('click', () => open(!nav.classList.contains('open')));
  nav.addEventListener('click', (event) => { if (event.target.closest('a')) open(false); });
  nav.addEventListener('keydown', (event) => { if (event.key === 'Escape') { open(false); button.focus(); } });
  nav.append(el('ul', {}, shown.slice(0, ON_BAR).map(entry)), button,
    el('ul', { id: 'nav-later', class: 'later' }, shown.slice(ON_BAR).map(entry)));
}

document.addEventListener('click', (event) => {
  const link = event.target.closest('a[href^="#"]');
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey
    || event.shiftKey || event.altKey) return;
  event.preventDefault();
  if (link.classList.contains('skip')) {
    main.focus();
    return;
  }
  // Also when it was clicked without having been focused, as some browsers do.
  link.focus({ preventScroll: true });
  navigate(link.getAttribute('href'));
});
window.addEventListener('popstate', () => showRoute(readRoute(location.hash), { back: true }));

makeNav();
history.replaceState({ depth: 0 }, '', location.hash || '#overview');
showRoute(readRoute(location.hash), {});
