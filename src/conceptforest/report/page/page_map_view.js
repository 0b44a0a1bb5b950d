// The geometry of the map, apart from drawing: where things are on the screen, which pictures
// have room, and where the names of clusters go.

const DEEPEST = 8; // the map can be enlarged 2 ** DEEPEST times
const MOST_STRETCH = 1.7;

// Centre and enlargement -> where a place of the map is on a screen of that size.
function mapView(width, height) {
  // Room for pictures and names at the edges.
  const margin = Math.min(56, 0.08 * Math.max(width, 1));
  const fitX = Math.max(1e-6, (width - 2 * margin) / data.map.width);
  const fitY = Math.max(1e-6, (height - 2 * margin - 24) / data.map.height);
  return {
    width,
    height,
    // What is near counts on such a map, not angles: it may be stretched to fill the screen.
    fitX: Math.min(fitX, MOST_STRETCH * fitY),
    fitY: Math.min(fitY, MOST_STRETCH * fitX),
    zoom: 1,
    x: data.map.width / 2,
    y: data.map.height / 2,
  };
}

const screenX = (view, x) => (x - view.x) * view.fitX * view.zoom + view.width / 2;
const screenY = (view, y) => (y - view.y) * view.fitY * view.zoom + view.height / 2;

// Enlarge so that what is under a point of the screen stays there.
function zoomAt(view, factor, atX, atY) {
  const zoom = clamp(view.zoom * factor, 0.6, 2 ** DEEPEST);
  const move = 1 / view.zoom - 1 / zoom;
  return centred({
    ...view,
    zoom,
    x: view.x + (atX - view.width / 2) * (move / view.fitX),
    y: view.y + (atY - view.height / 2) * (move / view.fitY),
  });
}

function pan(view, byX, byY) {
  return centred({
    ...view,
    x: view.x - byX / (view.fitX * view.zoom),
    y: view.y - byY / (view.fitY * view.zoom),
  });
}

// Something of the map is always on the screen.
function centred(view) {
  return { ...view, x: clamp(view.x, 0, data.map.width), y: clamp(view.y, 0, data.map.height) };
}

const visible = (view, item, margin) => {
  const x = screenX(view, data.map.x[item]);
  const y = screenY(view, data.map.y[item]);
  return x > -margin && y > -margin && x < view.width + margin && y < view.height + margin;
};

// The item nearest to a point of the screen, within a distance. 20,000 items take a tenth of a
// millisecond or so, so there is no index to go wrong.
function nearest(view, atX, atY, within, allowed) {
  let best = -1;
  let least = within * within;
  for (let item = 0; item < nItems; item += 1) {
    if (allowed && !allowed.has(item)) continue;
    const dx = screenX(view, data.map.x[item]) - atX;
    const dy = screenY(view, data.map.y[item]) - atY;
    const distance = dx * dx + dy * dy;
    if (distance < least) {
      least = distance;
      best = item;
    }
  }
  return best;
}

// Items by who may show a picture first: the most typical of each cluster, the next of each, ...
const byImportance = remembered(() => {
  const seen = new Set();
  const most = Math.max(0, ...data.clusters.map((cluster) => cluster.central.length));
  for (let rank = 0; rank < most; rank += 1) {
    for (const cluster of data.clusters) {
      if (rank < cluster.central.length) seen.add(cluster.central[rank]);
    }
  }
  for (let item = 0; item < nItems; item += 1) seen.add(item);
  return [...seen].filter((item) => data.thumbnails.formats[item] !== '-');
});

// How large pictures are drawn: they grow while one comes closer, until twice as many have room.
function pictureSize(view) {
  const level = clamp(Math.floor(Math.log2(view.zoom)), 0, DEEPEST);
  const least = level === 0 ? 38 : 46;
  return { level, size: clamp(least * (view.zoom / 2 ** level), 30, 2 * least) };
}

// Those items that have room for a picture at a level. Who has room at one level keeps it at the
// next, so nothing vanishes while one comes closer; and all depends on the map alone, so nothing
// jumps while one moves. `allowed` is a set of items, or null for all.
function withRoom({ fitX, fitY }, allowed) {
  const levels = [];
  return (level) => {
    for (let next = levels.length; next <= level; next += 1) {
      const apart = (next === 0 ? 50 : 54) / 2 ** next;
      levels.push(spread(next ? levels[next - 1] : [], apart / fitX, apart / fitY, allowed));
    }
    return levels[level];
  };
}

// `chosen`, and in order of importance all that are so far from all before them.
function spread(chosen, apartX, apartY, allowed) {
  const cells = new Map();
  const key = (column, row) => column * 65536 + row;
  const cellOf = (item) => [Math.floor(data.map.x[item] / apartX), Math.floor(data.map.y[item] / apartY)];
  const put = (item) => {
    const name = key(...cellOf(item));
    if (cells.has(name)) cells.get(name).push(item); else cells.set(name, [item]);
  };
  const isFree = (item) => {
    const [column, row] = cellOf(item);
    for (let c = column - 1; c <= column + 1; c += 1) {
      for (let r = row - 1; r <= row + 1; r += 1) {
        for (const other of cells.get(key(c, r)) || []) {
          // Pictures are squares: two have room if they are apart in either direction.
          if (Math.abs(data.map.x[other] - data.map.x[item]) < apartX
            && Math.abs(data.map.y[other] - data.map.y[item]) < apartY) return false;
        }
      }
    }
    return true;
  };
  chosen.forEach(put);
  const all = [...chosen];
  const taken = new Set(chosen);
  for (const item of byImportance(0)) {
    if (!taken.has(item) && (!allowed || allowed.has(item)) && isFree(item)) {
      put(item);
      all.push(item);
    }
  }
  return all;
}

// The upper edge of each cluster, where its name covers few of its pictures: quantiles, so that
// stray members do not pull the name away.
const upperEdges = remembered(() => data.clusters.map((_, cluster) => {
  const members = membersOf(cluster);
  const at = (values, share) => Float32Array.from(values).sort()[Math.floor(values.length * share)];
  return members.length
    ? { x: at(members.map((i) => data.map.x[i]), 0.5), y: at(members.map((i) => data.map.y[i]), 0.05) }
    : null;
}));

// Where a name may go, from its cluster's edge: as near as there is room.
const LABEL_MOVES = [[0, 0], [0, -1], [-0.4, 0], [0.4, 0], [0, 1], [-0.5, -1], [0.5, -1]];

const overlap = (a, b) => a.left < b.right + 6 && b.left < a.right + 6
  && a.top < b.bottom + 4 && b.top < a.bottom + 4;

// Boxes for names, the largest clusters first; null for those without room. `sizes` are theirs.
function placeLabels(view, sizes) {
  const placed = [];
  return sizes.map(({ width, height }, cluster) => {
    const edge = upperEdges(0)[cluster];
    if (!edge) return null;
    const x = screenX(view, edge.x);
    const y = screenY(view, edge.y) - height;
    for (const [moveX, moveY] of LABEL_MOVES) {
      const left = x + moveX * width - width / 2;
      const top = y + moveY * (height + 8) - height / 2;
      const box = { left, top, right: left + width, bottom: top + height };
      const inside = left > 4 && top > 4 && box.right < view.width - 4 && box.bottom < view.height - 4;
      if (inside && !placed.some((other) => overlap(box, other))) {
        placed.push(box);
        return box;
      }
    }
    return null;
  });
}
