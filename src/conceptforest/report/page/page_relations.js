// Which tags come together and which keep apart: lists of the strongest pairs, and a small matrix
// of the most frequent tags.

const MATRIX = 25;
const PAIRS = 12;

function relationLists() {
  const together = data.relations.filter((one) => one[4] === 1);
  const apart = data.relations.filter((one) => one[4] === 0);
  return el('div', { class: 'columns' },
    pairList('Come together', `Many times as often in one ${ONE} as by chance`, together),
    pairList('Keep apart', `Rarer in one ${ONE} than by chance`, apart));
}

function pairList(title, lead, pairs) {
  // Twice as often and half as often are equally far from chance.
  const far = (lift) => Math.abs(Math.log2(Math.max(lift, 1 / 64)));
  const most = Math.max(1, ...pairs.map((pair) => far(pair[2])));
  const list = el('ul', { class: 'pairs' });
  const button = el('button', { type: 'button', class: 'button' });
  let shown = 0;
  const more = () => {
    list.append(...pairs.slice(shown, shown + PAIRS).map(([a, b, lift, both]) => el('li', {},
      el('span', { class: 'pair' }, chip(a), el('span', { class: 'quiet', text: '+' }), chip(b)),
      bar(far(lift) / most, lift < 1 ? 'apart' : ''),
      el('span', { class: 'number', text: lift < 1 ? `${lift.toFixed(2)}×` : times(lift) }),
      el('span', { class: 'quiet', text: things(both) }))));
    shown += PAIRS;
    button.textContent = `Show more of ${count(pairs.length)}`;
    button.hidden = shown >= pairs.length;
  };
  more();
  button.addEventListener('click', more);
  return el('section', {}, el('h3', { text: title }), el('p', { class: 'quiet', text: lead }),
    pairs.length ? list : el('p', { class: 'quiet', text: 'None' }), button);
}

// Where a tag comes in the hierarchy, so that what belongs together stands together.
const treePlace = remembered((tag) => {
  const above = new Map(data.tree);
  const path = [];
  for (let at = tag; at >= 0; at = above.get(at)) path.unshift(at);
  return path.reduce((place, step, depth) => place + (step + 1) / (data.vocabulary.length + 2) ** depth, 0);
});

// For the most frequent tags, how many times as often as by chance two meet in a picture.
function matrixOfLifts() {
  const size = Math.min(MATRIX, data.counts.filter((times) => times > 0).length);
  const both = new Float64Array(size * size);
  for (let item = 0; item < nItems; item += 1) {
    // Tags are numbered by frequency: the most frequent are the lowest.
    const here = Array.from(tagsOf(item)).filter((tag) => tag < size);
    for (const a of here) for (const b of here) both[a * size + b] += 1;
  }
  const byChance = (a, b) => (both[a * size + a] * both[b * size + b]) / nItems;
  return {
    size,
    order: range(0, size).sort((a, b) => treePlace(a) - treePlace(b) || a - b),
    both: (a, b) => both[a * size + b],
    lift: (a, b) => both[a * size + b] / Math.max(byChance(a, b), 1e-9),
    // One meeting more on both sides: that two rare tags never meet says little, and looks so.
    colour: (a, b) => clamp(Math.log2((both[a * size + b] + 1) / (byChance(a, b) + 1)) / 3, -1, 1),
  };
}

function relationMatrix() {
  const matrix = matrixOfLifts();
  if (matrix.size < 3) return null;
  const canvas = el('canvas', {
    class: 'matrix', role: 'img',
    'aria-label': `How often the ${matrix.size} most frequent tags meet; the lists say it in words.`,
  });
  const readout = el('p', { class: 'quiet readout', text: 'Point at a square to read it.' });
  onArrive(() => startMatrix(canvas, readout, matrix));
  return el('section', { class: 'matrix-box' },
    el('h3', { text: `The ${matrix.size} most frequent tags` }),
    el('p', { class: 'legend quiet' }, el('span', { class: 'swatch apart' }), 'rarer than by chance',
      el('span', { class: 'swatch together' }), 'more often'),
    canvas, readout);
}

function startMatrix(canvas, readout, matrix) {
  const cell = () => (canvas.clientWidth - margin()) / matrix.size;
  const longest = Math.max(...matrix.order.map((tag) => tagName(tag).length));
  const margin = () => clamp(7.5 * longest + 16, 30, Math.min(130, canvas.clientWidth * 0.28));
  const draw = oncePerFrame(() => canvas.isConnected && drawMatrix(canvas, matrix, cell(), margin()));
  const observer = new ResizeObserver(draw);
  observer.observe(canvas);
  const scheme = window.matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', draw);
  canvas.addEventListener('pointermove', (event) => {
    const a = matrix.order[Math.floor((event.offsetY - margin()) / cell())];
    const b = matrix.order[Math.floor((event.offsetX - margin()) / cell())];
    if (a === undefined || b === undefined || a === b) return;
    readout.textContent = `${tagName(a)} + ${tagName(b)}: ${matrix.lift(a, b).toFixed(2)} times as often `
      + `as by chance, ${things(matrix.both(a, b))}`;
  });
  onLeave(() => {
    observer.disconnect();
    scheme.removeEventListener('change', draw);
  });
}

function drawMatrix(canvas, { size, order, colour: colourAt }, cell, margin) {
  const sharp = Math.min(window.devicePixelRatio || 1, 2);
  const side = canvas.clientWidth;
  canvas.width = Math.round(side * sharp);
  canvas.height = Math.round(side * sharp);
  const pen = canvas.getContext('2d');
  pen.scale(sharp, sharp);
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  pen.font = `${clamp(cell * 0.62, 7, 12)}px ${getComputedStyle(document.body).fontFamily}`;
  pen.textBaseline = 'middle';
  for (let a = 0; a < size; a += 1) {
    const middle = margin + (a + 0.5) * cell;
    const name = shortened(pen, tagName(order[a]), margin - 10);
    pen.fillStyle = colour('--muted');
    pen.textAlign = 'right';
    pen.fillText(name, margin - 6, middle);
    pen.save();
    pen.translate(middle, margin - 6);
    pen.rotate(-Math.PI / 2);
    pen.textAlign = 'left';
    pen.fillText(name, 0, 0);
    pen.restore();
    for (let b = 0; b < size; b += 1) {
      const far = colourAt(order[a], order[b]);
      pen.globalAlpha = a === b ? 1 : Math.max(Math.abs(far) * (far < 0 ? 0.75 : 1), 0.04);
      pen.fillStyle = colour(a === b ? '--line' : far < 0 ? '--apart' : '--together');
      pen.fillRect(margin + b * cell + 0.5, margin + a * cell + 0.5, cell - 1, cell - 1);
    }
    pen.globalAlpha = 1;
  }
}

function shortened(pen, text, width) {
  let short = text;
  while (short.length > 1 && pen.measureText(`${short}…`).width > width) short = short.slice(0, -1);
  return short === text ? text : `${short}…`;
}
