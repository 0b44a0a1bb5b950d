// The shorter lists: near-duplicates, outliers, what was left out, and how all this was made.

const GROUPS = 24;
const LINES = 100;

// A list in pages, for views that are nothing but a list.
function paged(entries, onPage, make) {
  const host = el('div');
  const show = (page) => {
    const part = entries.slice(page * onPage, (page + 1) * onPage);
    host.replaceChildren(...[make(part), pager(page, Math.ceil(entries.length / onPage), (to) => {
      show(to);
      window.scrollTo(0, 0);
    })].filter(Boolean));
  };
  show(0);
  return host;
}

function duplicates() {
  const groups = data.duplicates;
  return el('div', {},
    heading('Near-duplicates', groups.length
      ? `${counted(groups.length, 'group', 'groups')} of ${MANY} that are almost the same.` : null),
    groups.length ? paged(groups, GROUPS, (part) => el('ul', { class: 'groups' },
      part.map(([similarity, items]) => el('li', { class: 'group' },
        el('p', { class: 'row' },
          el('strong', { text: things(items.length) }),
          el('span', { class: 'quiet', text: `${percent(similarity)} alike` })),
        strip(items.slice(0, 12)),
        items.length > 12 ? el('p', { class: 'quiet', text: `and ${count(items.length - 12)} more` }) : null,
        el('ul', { class: 'names' }, items.slice(0, 4).map((item) => el('li', { dir: 'auto', text: data.names[item] })))))))
      : nothing(`No two ${MANY} are nearly the same.`));
}

function outliers() {
  const all = data.outliers;
  const items = all.map(([item]) => item);
  return el('div', {},
    heading('Outliers', all.length ? `${things(all.length)} that ${all.length === 1 ? 'fits' : 'fit'} nowhere well.` : null),
    all.length ? paged(all, GROUPS * 2, (part) => {
      const list = el('ul', { class: 'outliers' }, part.map(([item, reason]) => el('li', {},
        tile(item), el('p', {}, el('strong', { dir: 'auto', text: fileName(item) }), el('span', { class: 'quiet', text: reason })))));
      sequences.set(list, items);
      return list;
    }) : nothing(`Every ${ONE} has company.`));
}

const notesTitle = () => (data.notes.length
  ? `Notes${data.skipped.length ? ' and skipped files' : ''}` : 'Skipped files');

function notes() {
  const skipped = data.skipped;
  return el('div', {},
    heading(notesTitle()),
    data.notes.length ? el('section', {}, el('h2', { text: 'Notes' }),
      el('ul', { class: 'plain-list' }, data.notes.map((note) => el('li', { text: note })))) : null,
    el('section', {}, el('h2', { text: counted(skipped.length, 'skipped file', 'skipped files') }),
      skipped.length ? paged(skipped, LINES, (part) => el('table', { class: 'lines' },
        el('thead', {}, el('tr', {}, el('th', { scope: 'col', text: 'file' }), el('th', { scope: 'col', text: 'why' }))),
        el('tbody', {}, part.map(([name, reason]) => el('tr', {},
          el('td', { class: 'file', dir: 'auto', text: name }), el('td', { text: reason }))))))
        : nothing('Every file could be read.')));
}

function about() {
  return el('div', { class: 'about' },
    heading('About this report'),
    el('p', {}, `conceptforest looks at how ${MANY} look and at the few tags that they carry. A forest of `
      + 'decision trees splits the collection by looks, and prefers splits that make sense of the tags, '
      + `from abstract to specific; and regressions tell which tags each of the ${MANY} should have. `
      + `${capital(MANY)} that end in the same leaves, or that should have the same tags, are alike: this gives `
      + `the concepts, the map, and the tags that ${MANY} lack.`),
    data.facts.length ? el('section', {}, el('h2', { text: 'Facts and settings' }),
      el('table', { class: 'lines' }, el('tbody', {}, data.facts.map(([label, value]) =>
        el('tr', {}, el('th', { scope: 'row', text: label }), el('td', { text: value })))))) : null,
    data.command ? el('section', {}, el('h2', { text: 'Made with' }), el('pre', { tabindex: '0', text: data.command })) : null,
    el('section', {}, el('h2', { text: 'Keys' }),
      el('table', { class: 'lines' }, el('tbody', {}, [
        ['/', 'search'], ['Enter', `open ${ONE === 'item' ? 'an' : 'a'} ${ONE}`], ['← →', `previous and next ${ONE}`],
        ['Esc', 'close it'], ['+ − 0', 'on the map: closer, farther, all of it'],
        ['arrows', 'on the map: move; in the hierarchy: open, close and go'],
      ].map(([key, what]) => el('tr', {}, el('th', { scope: 'row' }, el('kbd', { text: key })), el('td', { text: what })))))),
    el('section', {}, el('h2', { text: 'Privacy' }),
      el('p', { text: 'This page asks nothing of any network. It is one file'
        + `${data.thumbnails.folder ? `, with its small pictures in the folder ${data.thumbnails.folder} beside it` : ''}.` })));
}
