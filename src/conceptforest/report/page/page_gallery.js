// Galleries: rows of pictures of one height that fill the width, of which only those near the
// screen are in the page. So 20,000 pictures cost as much as forty.

const GAP = 8;
const sequences = new WeakMap(); // the pictures of a list, for "next" and "previous" in the panel

// Rows of {top, height, first, widths}: pictures are scaled to fill the width, rows to be about
// `target` high.
function justify(items, width, target) {
  const rows = [];
  let top = 0;
  let first = 0;
  let sum = 0;
  const close = (end, height) => {
    const widths = items.slice(first, end).map((item) => aspect(item) * height);
    rows.push({ top, height, first, widths });
    top += height + GAP;
    first = end;
    sum = 0;
  };
  items.forEach((item, i) => {
    sum += aspect(item);
    const room = width - GAP * (i - first);
    if (sum * target >= room) close(i + 1, room / sum);
  });
  if (first < items.length) close(items.length, Math.min(target, (width - GAP) / sum));
  return rows;
}

const rowHeight = () => (window.innerWidth < 640 ? 116 : 172);

// All of `items`, or only as many rows as `mostRows` says.
function gallery(items, label, mostRows) {
  const list = el('ul', { class: 'gallery', 'aria-label': label });
  sequences.set(list, items);
  let rows = [];
  const shown = new Map();

  function place(i, row, left) {
    const item = items[i];
    const entry = shown.get(i) || el('li', {
      'aria-setsize': items.length, 'aria-posinset': i + 1,
    }, tile(item));
    setStyle(entry, {
      transform: `translate(${left}px, ${row.top}px)`,
      width: `${row.widths[i - row.first]}px`,
      height: `${row.height}px`,
    });
    return entry;
  }

  function show() {
    const box = list.getBoundingClientRect();
    const near = 600; // what is just out of sight is ready before it comes
    const wanted = new Map();
    for (const row of rows) {
      const top = box.top + row.top;
      if (top + row.height < -near || top > window.innerHeight + near) continue;
      let left = 0;
      row.widths.forEach((width, j) => {
        wanted.set(row.first + j, place(row.first + j, row, left));
        left += width + GAP;
      });
    }
    for (const [i, entry] of shown) {
      // What has the focus stays, or the keyboard would lose its place.
      if (!wanted.has(i) && !entry.contains(document.activeElement)) {
        entry.remove();
        shown.delete(i);
      }
    }
    let before = null;
    for (const [i, entry] of wanted) {
      if (!shown.has(i)) {
        shown.set(i, entry);
        // In the order of the items, so that Tab goes through them in order.
        if (before) before.after(entry); else list.prepend(entry);
      }
      before = entry;
    }
  }

  let width = 0;
  function arrange() {
    if (list.clientWidth === width || !list.isConnected) return;
    width = list.clientWidth;
    rows = justify(items, width, rowHeight());
    if (mostRows) rows = rows.slice(0, mostRows);
    const last = rows[rows.length - 1];
    setStyle(list, { height: `${last ? last.top + last.height : 0}px` });
    show();
  }

  const update = oncePerFrame(() => list.isConnected && show());
  const observer = new ResizeObserver(oncePerFrame(arrange));
  observer.observe(list);
  window.addEventListener('scroll', update, { passive: true });
  onLeave(() => {
    observer.disconnect();
    window.removeEventListener('scroll', update);
  });
  onArrive(arrange);
  return list;
}
