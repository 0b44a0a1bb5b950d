// The hierarchy of tags as a tree that opens and closes, by mouse and by keyboard. Branches are
// made when they are first opened, and long ones in portions, so a large vocabulary stays light.

const PORTION = 40;

function tagTree() {
  const children = new Map();
  for (const [tag, parent] of data.tree) {
    if (!children.has(parent)) children.set(parent, []);
    children.get(parent).push(tag);
  }
  for (const list of children.values()) list.sort((a, b) => data.counts[b] - data.counts[a] || a - b);
  const tree = el('ul', { class: 'tree', role: 'tree', 'aria-label': 'Hierarchy of tags' });
  addBranch(tree, children, -1, 1);
  const roots = children.get(-1) || [];
  // A few branches stand open, so one sees at once that there is more below.
  [...tree.children].slice(0, roots.length > 12 ? 2 : 4).forEach((node) => openNode(node, true));
  if (tree.firstChild) tree.firstChild.tabIndex = 0;
  listen(tree, { keydown: treeKey, click: treeClick });
  return tree;

  function addBranch(host, all, parent, level) {
    const tags = all.get(parent) || [];
    const shown = host.querySelectorAll(':scope > [data-tag]').length;
    const more = host.querySelector(':scope > .tree-more');
    if (more) more.remove();
    for (const tag of tags.slice(shown, shown + PORTION)) host.append(treeNode(tag, level, all));
    const left = tags.length - shown - PORTION;
    if (left > 0) {
      const entry = el('li', { role: 'treeitem', class: 'tree-more', tabindex: '-1', 'aria-level': level },
        el('span', { class: 'tree-row', text: `${count(left)} more` }));
      entry.grow = () => {
        const before = entry.previousElementSibling;
        addBranch(host, all, parent, level);
        focusNode(before.nextElementSibling);
      };
      host.append(entry);
    }
  }

  function treeNode(tag, level, all) {
    const below = all.get(tag) || [];
    const node = el('li', {
      role: 'treeitem', tabindex: '-1', 'data-tag': tag, 'aria-level': level,
      'aria-expanded': below.length ? 'false' : null,
    }, el('span', { class: 'tree-row' },
      el('span', { class: 'twist', 'aria-hidden': 'true' }),
      el('bdi', { text: tagName(tag) }),
      el('span', { class: 'number', text: count(data.counts[tag]) }),
      bar(data.counts[tag] / Math.max(1, data.counts[0]))));
    if (below.length) {
      node.fill = () => {
        const group = el('ul', { role: 'group' });
        addBranch(group, all, tag, level + 1);
        node.append(group);
      };
    }
    return node;
  }
}

const isOpen = (node) => node.getAttribute('aria-expanded') === 'true';

function openNode(node, open) {
  if (!node.hasAttribute('aria-expanded')) return;
  if (open && !node.querySelector(':scope > ul')) node.fill();
  node.setAttribute('aria-expanded', String(open));
}

function focusNode(node) {
  if (!node) return;
  for (const other of node.closest('.tree').querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
  node.tabIndex = 0;
  node.focus();
}

// Nodes in the order in which they are seen.
function seenNodes(tree) {
  return [...tree.querySelectorAll('[role="treeitem"]')]
    .filter((node) => !node.parentElement.closest('[aria-expanded="false"]'));
}

function act(node) {
  if (node.grow) node.grow();
  else navigate(`#tags/${node.getAttribute('data-tag')}`);
}

function treeKey(event) {
  const node = event.target.closest('[role="treeitem"]');
  if (!node || event.ctrlKey || event.metaKey || event.altKey) return;
  const seen = () => seenNodes(event.currentTarget);
  const move = (by) => focusNode(seen()[seen().indexOf(node) + by]);
  const keys = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    ArrowRight: () => (node.hasAttribute('aria-expanded') && !isOpen(node) ? openNode(node, true)
      : isOpen(node) && move(1)),
    ArrowLeft: () => (isOpen(node) ? openNode(node, false)
      : focusNode(node.parentElement.closest('[role="treeitem"]'))),
    Home: () => focusNode(seen()[0]),
    End: () => focusNode(seen().pop()),
    Enter: () => act(node),
    ' ': () => (node.hasAttribute('aria-expanded') ? openNode(node, !isOpen(node)) : act(node)),
  };
  if (keys[event.key]) {
    event.preventDefault();
    keys[event.key]();
  } else if (event.key.length === 1) {
    const all = seen();
    const at = all.indexOf(node);
    const begins = (other) => plain(other.textContent).startsWith(plain(event.key));
    focusNode([...all.slice(at + 1), ...all.slice(0, at)].find(begins));
  }
}

// A click on the row opens and closes; on the name, it leads to the tag.
function treeClick(event) {
  const node = event.target.closest('[role="treeitem"]');
  if (!node) return;
  focusNode(node);
  if (event.target.closest('bdi') || node.grow) act(node);
  else openNode(node, !isOpen(node));
}
