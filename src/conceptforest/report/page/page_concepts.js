// Clusters as galleries: all of them in short, or one of them with all its pictures.

const ON_CONCEPTS_PAGE = 40;

function concepts(argument) {
  const cluster = Number(argument);
  if (argument !== '' && data.clusters[cluster]) return oneConcept(cluster);
  const view = el('div', { class: 'concepts' },
    heading('Concepts', `${capital(MANY)} that are alike and share a meaning, the largest groups first. `
      + 'In each, the most typical lead.'));
  if (!data.clusters.length) {
    view.append(nothing('No concepts were found.'));
    return view;
  }
  const fill = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (entry.isIntersecting) fillConcept(entry.target);
    }
  }, { rootMargin: '500px' });
  view.append(paged(range(0, data.clusters.length), ON_CONCEPTS_PAGE, (part) => {
    const shells = part.map(conceptShell);
    fill.disconnect();
    shells.forEach((shell) => fill.observe(shell));
    return el('div', {}, shells);
  }));
  onLeave(() => fill.disconnect());
  return view;
}

// The name and the tags are there at once; pictures come when they are nearly in sight.
function conceptShell(i) {
  const cluster = data.clusters[i];
  return el('section', { class: 'concept', 'data-cluster': i, 'aria-labelledby': `concept-${i}` },
    el('div', { class: 'row' },
      el('h2', { id: `concept-${i}` }, el('a', { href: `#concepts/${i}` },
        el('span', { class: 'dot', style: { background: colourOf(i) } }),
        el('bdi', { text: cluster.name }))),
      measure(cluster)),
    characteristic(cluster.tags.slice(0, 8)),
    el('div', { class: 'concept-pictures' }),
    el('p', {}, el('a', { class: 'more', href: `#concepts/${i}` },
      cluster.size === 1 ? 'Show it' : `Show all ${count(cluster.size)}`, el('span', { class: 'unseen', text: ` of ${cluster.name}` }),
      icon(ICONS.arrow))));
}

const STRIP = 12;

function fillConcept(shell) {
  const place = shell.querySelector('.concept-pictures');
  if (place.firstChild) return;
  const i = Number(shell.getAttribute('data-cluster'));
  const items = data.clusters[i].central.length >= 6
    ? data.clusters[i].central.slice(0, STRIP)
    : membersOf(i).slice(0, STRIP);
  place.append(gallery(items, `Typical ${MANY} of ${data.clusters[i].name}`, 2));
  // This view is in the page already.
  runAll(arriving);
}

function measure(cluster) {
  return el('p', { class: 'measure' },
    el('span', { text: things(cluster.size) }),
    el('span', { class: 'cohesion', title: `How much its ${MANY} are alike, from 0 to 100 %` },
      'cohesion', bar(cluster.cohesion), el('span', { class: 'number', text: percent(cluster.cohesion) })));
}

function characteristic(tags) {
  if (!tags.length) return el('p', { class: 'quiet', text: `No tag is characteristic of these ${MANY}.` });
  return el('ul', { class: 'chips', 'aria-label': 'Characteristic tags' }, tags.map(([tag, lift]) =>
    el('li', {}, chip(tag, times(lift)))));
}

function oneConcept(i) {
  const cluster = data.clusters[i];
  const members = membersOf(i);
  const rows = cluster.tags.slice(0, 12).map(([tag, lift, share]) => el('tr', {},
    el('th', { scope: 'row' }, chip(tag)),
    el('td', {}, el('span', { class: 'number', text: times(lift) })),
    el('td', {}, bar(share), el('span', { class: 'number', text: percent(share) }))));
  return el('div', { class: 'concept-page' },
    heading(cluster.name, null, [el('a', { href: '#concepts', text: 'Concepts' })]),
    measure(cluster),
    rows.length ? el('details', { class: 'tag-table', open: true },
      el('summary', { text: 'Characteristic tags' }),
      el('table', {}, el('thead', {}, el('tr', {},
        el('th', { scope: 'col', text: 'tag' }),
        el('th', { scope: 'col', text: 'more frequent than elsewhere' }),
        el('th', { scope: 'col', text: `${MANY} here that carry it` }))),
      el('tbody', {}, rows))) : null,
    el('h2', { text: allOf(members.length, ONE, MANY) }),
    gallery(members, `${capital(MANY)} of ${cluster.name}, most typical first`),
    neighbourConcepts(i));
}

function neighbourConcepts(i) {
  const others = [i - 1, i + 1].filter((other) => data.clusters[other]);
  return el('nav', { class: 'beside', 'aria-label': 'Other concepts' }, others.map((other) =>
    el('a', { href: `#concepts/${other}` },
      el('span', { class: 'quiet', text: other < i ? 'Previous concept' : 'Next concept' }),
      el('bdi', { text: data.clusters[other].name }))));
}
