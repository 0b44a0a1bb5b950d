// Suggested tags with the reason for each, and the same list as a table to take away.

const ON_PAGE = 12;
const TAGS_ON_CARD = 12;
const SUGGESTIONS_ON_CARD = 8;
const WORD = data.calibrated ? 'probability' : 'score';
const choice = { least: 0, tag: -1, order: 'best', page: 0 };

function suggestions(argument) {
  choice.tag = argument !== '' && data.vocabulary[Number(argument)] !== undefined ? Number(argument) : -1;
  choice.page = 0;
  const results = el('div', { class: 'cards' });
  const found = el('p', { class: 'found' });
  const update = () => showSuggestions(results, found);
  const view = el('div', { class: 'suggestions-page' },
    heading('Suggested tags', `Tags that ${MANY} seem to lack, each with the ${MANY} that speak for it.`));
  if (!data.suggestionTag.length) {
    view.append(nothing('There is nothing to suggest.'));
    return view;
  }
  view.append(el('p', { class: 'quiet meaning', text: MEANING }), suggestionControls(update), found, results);
  update();
  return view;
}

function suggestionControls(update) {
  const change = (set) => (event) => {
    set(event.target);
    choice.page = 0;
    update();
  };
  const surest = data.suggestionShare.reduce((most, share) => Math.max(most, share), 0);
  const shown = el('output', { for: 'least', text: likelihood(choice.least / 100) });
  const slider = el('input', {
    id: 'least', type: 'range', min: 0, max: Math.max(1, Math.floor(surest / 10)), step: 1, value: choice.least,
    'aria-valuetext': likelihood(choice.least / 100),
    on: { input: change((input) => {
      choice.least = Number(input.value);
      shown.textContent = likelihood(choice.least / 100);
      input.setAttribute('aria-valuetext', shown.textContent);
    }) },
  });
  const order = el('select', { id: 'order', on: { change: change((input) => { choice.order = input.value; }) } },
    [['best', data.calibrated ? 'Surest first' : 'Highest first'],
      ['unsure', data.calibrated ? 'Least sure first' : 'Lowest first'], ['name', 'By name']].map(([value, label]) =>
      el('option', { value, selected: value === choice.order, text: label })));
  const tag = el('select', { id: 'of-tag', on: { change: change((input) => { choice.tag = Number(input.value); }) } },
    el('option', { value: -1, text: 'All tags' }),
    suggestedTags().map(([one, times]) =>
      el('option', { value: one, selected: one === choice.tag, text: `${tagName(one)} (${count(times)})` })));
  return el('form', { class: 'controls', on: { submit: (event) => event.preventDefault() } },
    el('div', {}, el('label', { for: 'least', text: data.calibrated ? 'At least' : 'Score at least' }), slider, shown),
    el('div', {}, el('label', { for: 'of-tag', text: 'Tag' }), tag),
    el('div', {}, el('label', { for: 'order', text: 'Order' }), order),
    el('button', { type: 'button', class: 'button strong', on: { click: exportSuggestions }, text: 'Save as CSV' }));
}

const MOST_OPTIONS = 300;

// Tags that are suggested and how often, most often first.
function suggestedTags() {
  const times = new Map();
  for (const tag of data.suggestionTag) times.set(tag, (times.get(tag) || 0) + 1);
  const all = [...times].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  const listed = all.slice(0, MOST_OPTIONS);
  if (choice.tag >= 0 && !listed.some(([tag]) => tag === choice.tag)) {
    listed.push([choice.tag, times.get(choice.tag) || 0]);
  }
  return listed;
}

// Pictures with those of their suggestions that are wanted.
function wantedSuggestions() {
  const wanted = [];
  for (let item = 0; item < nItems; item += 1) {
    const list = suggestionsOf(item).filter((one) => data.suggestionShare[one] >= 10 * choice.least
      && (choice.tag < 0 || data.suggestionTag[one] === choice.tag));
    if (list.length) wanted.push({ item, list });
  }
  const best = ({ list }) => Math.max(...list.map((one) => data.suggestionShare[one]));
  if (choice.order === 'best') wanted.sort((a, b) => best(b) - best(a) || a.item - b.item);
  if (choice.order === 'unsure') wanted.sort((a, b) => best(a) - best(b) || a.item - b.item);
  if (choice.order === 'name') wanted.sort((a, b) => (data.names[a.item] < data.names[b.item] ? -1 : 1));
  return wanted;
}

function showSuggestions(host, found) {
  const wanted = wantedSuggestions();
  const total = wanted.reduce((sum, { list }) => sum + list.length, 0);
  const text = `${counted(total, 'suggestion', 'suggestions')} for ${things(wanted.length)}`;
  found.textContent = text;
  announce(text);
  const shown = wanted.slice(choice.page * ON_PAGE, (choice.page + 1) * ON_PAGE);
  const list = el('ul', { class: 'card-list' }, shown.map(suggestionCard));
  sequences.set(list, wanted.map(({ item }) => item));
  const pages = pager(choice.page, Math.ceil(wanted.length / ON_PAGE), (page) => {
    choice.page = page;
    showSuggestions(host, found);
    found.scrollIntoView();
  });
  host.replaceChildren(...[wanted.length ? list : nothing(`No suggestion has such a ${WORD}. Move the slider to the left.`), pages].filter(Boolean));
}

function suggestionCard({ item, list }) {
  const tagged = Array.from(tagsOf(item));
  const more = (all, shown, what) => andMore(all.length - shown, itemLink(item), `${what} of ${fileName(item)}`);
  return el('li', { class: 'card' },
    el('div', { class: 'card-picture' }, tile(item)),
    el('div', { class: 'card-text' },
      el('h2', { dir: 'auto', title: data.names[item], text: fileName(item) }),
      chips(tagged.slice(0, TAGS_ON_CARD), more(tagged, TAGS_ON_CARD, 'tags')),
      el('ul', { class: 'suggestions' }, list.slice(0, SUGGESTIONS_ON_CARD).map((one) => suggestionRow(one, 4))),
      more(list, SUGGESTIONS_ON_CARD, 'suggestions')));
}

// A cell that a spreadsheet would take for a formula gets an apostrophe and stays a text.
function csvCell(value) {
  const text = String(value);
  const safe = /^[\s]*[=+\-@\t\r\n＝＋－＠]/u.test(text) ? `'${text}` : text;
  return `"${safe.replace(/"/g, '""')}"`;
}

function suggestionsAsCsv() {
  const rows = [['item', 'tag', WORD, 'because_of'].map(csvCell)];
  for (const { item, list } of wantedSuggestions()) {
    for (const one of list) {
      rows.push([
        csvCell(data.names[item]),
        csvCell(tagName(data.suggestionTag[one])),
        (data.suggestionShare[one] / 1000).toFixed(3),
        csvCell(votersOf(one).map((voter) => data.names[voter.item]).join(' | ')),
      ]);
    }
  }
  return `${rows.map((row) => row.join(',')).join('\r\n')}\r\n`;
}

function exportSuggestions() {
  // The mark at the start tells spreadsheets that this is UTF-8.
  const blob = new Blob(['\ufeff', suggestionsAsCsv()], { type: 'text/csv;charset=utf-8' });
  const link = el('a', { href: URL.createObjectURL(blob), download: 'suggested-tags.csv' });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
