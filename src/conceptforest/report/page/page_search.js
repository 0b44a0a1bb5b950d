// One search over everything: concepts, tags and pictures.

const box = document.getElementById('search');

function search(argument) {
  const query = argument;
  const items = searchItems(query);
  const tagsFound = searchTags(query);
  const clusters = range(0, data.clusters.length)
    .filter((i) => query.trim() && plain(data.clusters[i].name).includes(plain(query).trim()));
  const text = query.trim() ? `${things(items.length)} and `
    + `${counted(tagsFound.length, 'tag', 'tags')} for “${query}”` : 'Type a part of a name or a tag.';
  announce(text);
  const view = el('div', { class: 'search-page' }, heading('Search', text));
  if (items.length) {
    view.append(el('p', {}, el('a', { class: 'more', href: `#map/${encoded(query)}` }, 'Show on the map', icon(ICONS.arrow))));
  }
  if (clusters.length) {
    view.append(part('Concepts', el('ul', { class: 'chips' }, clusters.slice(0, 20).map((i) => el('li', {}, clusterLink(i))))));
  }
  if (tagsFound.length) {
    view.append(part('Tags', el('ul', { class: 'chips' },
      tagsFound.slice(0, 40).map((tag) => el('li', {}, chip(tag, count(data.counts[tag])))))));
  }
  if (items.length) view.append(el('h2', { text: capital(MANY) }), gallery(items, `${capital(MANY)} for ${query}`));
  else if (query.trim()) view.append(nothing(`No ${ONE} has this in its name or tags.`));
  return view;
}

// Half of a surrogate pair cannot be part of an address, and a plain "~" there begins the number of
// the item that is open.
const encoded = (text) => encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, '�')).replace(/~/g, '%7E');

function searchFor(query) {
  const section = current.section === 'map' ? 'map' : 'search';
  const again = current.section === section && current.argument !== '';
  if (!query && section === 'search' && current.section !== 'search') return;
  navigate(`#${section}${query ? `/${encoded(query)}` : ''}`, { replace: again, quiet: true });
}

box.addEventListener('input', afterPause(150, () => searchFor(box.value)));
box.form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (box.value) navigate(`#search/${encoded(box.value)}`);
});
document.addEventListener('keydown', (event) => {
  const typing = event.target.closest && event.target.closest('input, select, textarea');
  if (event.key === '/' && !typing && !panel.open && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    box.focus();
  }
});
