// The map: a canvas that shows every picture as a point, and as a picture where there is room.

const MOST_LOADED = 600; // pictures kept for drawing; those not used for longest go first
const MOST_DRAWN = 300;
const loaded = new Map();

// A picture that is ready to draw, or null; then `done` is called once it is.
function ready(item, done) {
  const known = loaded.get(item);
  if (known) {
    loaded.delete(item);
    loaded.set(item, known);
    return known.complete && known.naturalWidth ? known : null;
  }
  const image = new Image();
  image.addEventListener('load', done);
  image.src = thumbnail(item);
  loaded.set(item, image);
  if (loaded.size > MOST_LOADED) loaded.delete(loaded.keys().next().value);
  return null;
}

function map(argument) {
  const query = argument;
  const matches = query ? new Set(searchItems(query)) : null;
  const canvas = el('canvas', {
    tabindex: '0', role: 'application', class: 'map-canvas', 'aria-describedby': 'map-help',
    'aria-label': `Map of ${things(nItems)}`,
  });
  const labels = data.clusters.map((cluster, i) => el('a', {
    class: 'map-label', href: `#concepts/${i}`, style: { '--tint': colourOf(i) },
  }, el('bdi', { text: cluster.name })));
  const card = el('div', { class: 'map-card', hidden: true, 'aria-hidden': 'true' });
  const box = el('div', { class: 'map-box' }, canvas, el('div', { class: 'map-labels' }, labels), card);
  const lead = matches
    ? `${things(matches.size)} with “${query}” ${matches.size === 1 ? 'stands' : 'stand'} out.`
    : `What is alike by looks and tags lies close together. Come closer to see more ${MANY}.`;
  onArrive(() => startMap(box, canvas, labels, card, matches));
  if (matches) announce(`${things(matches.size)} found on the map`);
  const button = (label, text, action) => el('button', {
    type: 'button', class: 'round', 'aria-label': label, 'data-action': action, text,
  });
  box.append(el('div', { class: 'map-buttons' }, button('Closer', '+', 'in'),
    button('Farther', '−', 'out'), button('Show all', '⤢', 'all')));
  return el('div', { class: 'map-page' },
    heading('Map', lead),
    box,
    el('p', { class: 'quiet', id: 'map-help',
      text: 'Drag to move; scroll, pinch or press + and − to come closer; arrow keys move, Enter '
        + `opens the ${ONE} in the middle, 0 shows all.` }));
}

function startMap(box, canvas, labels, card, matches) {
  let view = mapView(box.clientWidth, box.clientHeight);
  let room = withRoom(view, matches);
  let hovered = -1;
  const sizes = labels.map((label) => ({ width: label.offsetWidth, height: label.offsetHeight }));
  const redraw = oncePerFrame(() => {
    if (!box.isConnected) return;
    drawMap(canvas, view, { pictures: room(pictureSize(view).level), matches, hovered, redraw });
    moveLabels(labels, placeLabels(view, sizes));
  });
  const hover = (item) => {
    if (item === hovered) return;
    hovered = item;
    canvas.classList.toggle('pointing', item >= 0);
    showCard(card, view, item);
    redraw();
  };
  const look = (next) => {
    view = next;
    showCard(card, view, -1);
    hovered = -1;
    redraw();
  };
  const open = (item) => { if (item >= 0) navigate(itemLink(item)); };
  const state = { view: () => view, look, hover, open, matches };
  listenToMap(box, canvas, state);
  const observer = new ResizeObserver(() => {
    const fresh = mapView(box.clientWidth, box.clientHeight);
    room = withRoom(fresh, matches);
    view = { ...fresh, x: view.x, y: view.y, zoom: view.zoom };
    redraw();
  });
  observer.observe(box);
  const scheme = window.matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', redraw);
  onLeave(() => {
    observer.disconnect();
    scheme.removeEventListener('change', redraw);
  });
  redraw();
}

function listenToMap(box, canvas, { view, look, hover, open, matches }) {
  const pointers = new Map();
  let moved = 0;
  const at = (event) => {
    const rectangle = canvas.getBoundingClientRect();
    return { x: event.clientX - rectangle.left, y: event.clientY - rectangle.top };
  };
  const under = (point) => nearest(view(), point.x, point.y, pictureSize(view()).size / 2, matches);
  const pinch = () => {
    const [a, b] = [...pointers.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, apart: Math.hypot(a.x - b.x, a.y - b.y) || 1 };
  };
  listen(canvas, {
    pointerdown: (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, at(event));
      moved = pointers.size > 1 ? Infinity : 0; // a pinch is no click
    },
    pointermove: (event) => {
      const point = at(event);
      const last = pointers.get(event.pointerId);
      if (!last) return hover(under(point));
      if (pointers.size === 1) {
        moved += Math.hypot(point.x - last.x, point.y - last.y);
        pointers.set(event.pointerId, point);
        // A hand is not that steady: a click may move by a few dots.
        return moved > 4 ? look(pan(view(), point.x - last.x, point.y - last.y)) : undefined;
      }
      const before = pinch();
      pointers.set(event.pointerId, point);
      const after = pinch();
      return look(pan(zoomAt(view(), after.apart / before.apart, before.x, before.y),
        after.x - before.x, after.y - before.y));
    },
    pointerup: (event) => {
      if (pointers.delete(event.pointerId) && moved <= 4) open(under(at(event)));
    },
    pointercancel: (event) => pointers.delete(event.pointerId),
    pointerleave: () => hover(-1),
    blur: () => hover(-1),
    keydown: (event) => mapKey(event, { view, look, hover, open, matches }),
  });
  // On the box, so that names of clusters under the mouse do not stop it.
  box.addEventListener('wheel', (event) => {
    event.preventDefault();
    const point = at(event);
    look(zoomAt(view(), Math.exp(-clamp(event.deltaY, -120, 120) / 320), point.x, point.y));
  }, { passive: false });
  const factors = { in: 1.6, out: 1 / 1.6 };
  for (const button of box.querySelectorAll('.map-buttons button')) {
    button.addEventListener('click', () => {
      const action = button.getAttribute('data-action');
      const now = view();
      look(action === 'all' ? mapView(now.width, now.height)
        : zoomAt(now, factors[action], now.width / 2, now.height / 2));
    });
  }
}

// The keyboard points with the middle of the map.
function mapKey(event, { view, look, hover, open, matches }) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const now = view();
  const middle = () => nearest(view(), now.width / 2, now.height / 2, Infinity, matches);
  const next = {
    ArrowLeft: () => pan(now, 80, 0),
    ArrowRight: () => pan(now, -80, 0),
    ArrowUp: () => pan(now, 0, 80),
    ArrowDown: () => pan(now, 0, -80),
    '+': () => zoomAt(now, 1.5, now.width / 2, now.height / 2),
    '=': () => zoomAt(now, 1.5, now.width / 2, now.height / 2),
    '-': () => zoomAt(now, 1 / 1.5, now.width / 2, now.height / 2),
    0: () => mapView(now.width, now.height),
  }[event.key];
  if (next) {
    event.preventDefault();
    look(next());
    const item = middle();
    hover(item);
    if (item >= 0) announce(`In the middle: ${describe(item)}`);
  } else if (event.key === 'Enter') {
    event.preventDefault();
    open(middle());
  }
}

function moveLabels(labels, boxes) {
  labels.forEach((label, i) => {
    const place = boxes[i];
    label.hidden = !place;
    if (place) setStyle(label, { transform: `translate(${Math.round(place.left)}px, ${Math.round(place.top)}px)` });
  });
}

function showCard(card, view, item) {
  card.hidden = item < 0;
  if (item < 0) return;
  const source = thumbnail(item);
  card.replaceChildren(
    source ? el('img', { src: source, alt: '' }) : placeholder(item),
    el('div', {},
      el('strong', { dir: 'auto', text: fileName(item) }),
      el('span', { class: 'quiet', dir: 'auto', text: Array.from(tagsOf(item), tagName).slice(0, 6).join(', ') || 'no tags' }),
      el('span', { class: 'cluster-link' },
        el('span', { class: 'dot', style: { background: colourOf(data.labels[item]) } }),
        el('bdi', { text: clusterOf(item).name }))));
  const x = screenX(view, data.map.x[item]);
  const y = screenY(view, data.map.y[item]);
  const left = clamp(x + 24, 8, Math.max(8, view.width - card.offsetWidth - 8));
  const below = y + 24 + card.offsetHeight < view.height;
  setStyle(card, { transform: `translate(${left}px, ${below ? y + 24 : Math.max(8, y - card.offsetHeight - 24)}px)` });
}

function drawMap(canvas, view, { pictures, matches, hovered, redraw }) {
  const sharp = Math.min(window.devicePixelRatio || 1, 2);
  if (canvas.width !== Math.round(view.width * sharp) || canvas.height !== Math.round(view.height * sharp)) {
    canvas.width = Math.round(view.width * sharp);
    canvas.height = Math.round(view.height * sharp);
  }
  const pen = canvas.getContext('2d');
  pen.setTransform(sharp, 0, 0, sharp, 0, 0);
  pen.clearRect(0, 0, view.width, view.height);
  const paint = paints();
  drawPoints(pen, view, matches, paint);
  const { size } = pictureSize(view);
  let drawn = 0;
  for (const item of pictures) {
    if (drawn >= MOST_DRAWN) break;
    if (!visible(view, item, size)) continue;
    const image = ready(item, redraw);
    drawn += 1;
    if (image) drawPicture(pen, view, item, image, size, paint);
  }
  if (hovered >= 0) drawHovered(pen, view, hovered, size, paint, redraw);
}

// One path for each cluster: the browser draws 20,000 points in a few milliseconds so.
function drawPoints(pen, view, matches, paint) {
  // The more there are, the finer they are drawn, or they would run together.
  const radius = clamp(3.1 * (600 / Math.max(nItems, 600)) ** 0.2 * view.zoom ** 0.4, 1.4, 6);
  const paths = data.clusters.map(() => [new Path2D(), new Path2D()]);
  for (let item = 0; item < nItems; item += 1) {
    if (!visible(view, item, radius)) continue;
    const bright = !matches || matches.has(item) ? 1 : 0;
    addShape(paths[data.labels[item]][bright], shapeOf(data.labels[item]),
      screenX(view, data.map.x[item]), screenY(view, data.map.y[item]), radius);
  }
  paths.forEach(([dim, bright], cluster) => {
    pen.fillStyle = paint(cluster);
    pen.globalAlpha = 0.12;
    pen.fill(dim);
    pen.globalAlpha = 0.8;
    pen.fill(bright);
  });
  pen.globalAlpha = 1;
}

function addShape(path, shape, x, y, r) {
  if (shape === 0) {
    path.moveTo(x + r, y);
    path.arc(x, y, r, 0, 2 * Math.PI);
  } else if (shape === 1) path.rect(x - r * 0.85, y - r * 0.85, r * 1.7, r * 1.7);
  else {
    const top = shape === 2 ? -1.2 : -1.3;
    path.moveTo(x, y + top * r);
    path.lineTo(x + 1.2 * r, y + (shape === 2 ? 0.9 : 0) * r);
    if (shape === 3) path.lineTo(x, y + 1.3 * r);
    path.lineTo(x - 1.2 * r, y + (shape === 2 ? 0.9 : 0) * r);
    path.closePath();
  }
}

function drawPicture(pen, view, item, image, size, paint) {
  const wide = aspect(item);
  const width = size * Math.min(1, wide);
  const height = size / Math.max(1, wide);
  const x = screenX(view, data.map.x[item]) - width / 2;
  const y = screenY(view, data.map.y[item]) - height / 2;
  pen.save();
  pen.beginPath();
  pen.roundRect(x - 2, y - 2, width + 4, height + 4, 5);
  pen.fillStyle = paint(data.labels[item]);
  pen.fill();
  pen.beginPath();
  pen.roundRect(x, y, width, height, 3);
  pen.clip();
  pen.drawImage(image, x, y, width, height);
  pen.restore();
}

// Lines to what is alike, and the picture on top of all others.
function drawHovered(pen, view, item, size, paint, redraw) {
  const x = screenX(view, data.map.x[item]);
  const y = screenY(view, data.map.y[item]);
  pen.lineWidth = 1.5;
  pen.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue('--ink');
  for (const { item: other, share } of neighboursOf(item)) {
    pen.globalAlpha = clamp(0.2 + share, 0, 0.9);
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(screenX(view, data.map.x[other]), screenY(view, data.map.y[other]));
    pen.stroke();
  }
  pen.globalAlpha = 1;
  const image = thumbnail(item) && ready(item, redraw);
  if (image) drawPicture(pen, view, item, image, size * 1.15, paint);
}
