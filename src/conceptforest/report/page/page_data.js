// What the page shows. Rows of different lengths are flat arrays with the starts of the rows
// beside them, so that 20,000 pictures are a few arrays of numbers and no heap of objects.

const data = JSON.parse(document.getElementById('data').textContent);
const nItems = data.names.length;

for (const name of ['tagStart', 'tagIds', 'labels', 'suggestionStart', 'suggestionTag',
  'suggestionShare', 'voterStart', 'voterItem', 'voterShare', 'neighbourStart', 'neighbourItem',
  'neighbourShare']) data[name] = Int32Array.from(data[name]);
data.map.x = Float32Array.from(data.map.x);
data.map.y = Float32Array.from(data.map.y);
data.thumbnails.widths = Int32Array.from(data.thumbnails.widths);
data.thumbnails.heights = Int32Array.from(data.thumbnails.heights);

// A name is also the text of links, and those must not be empty.
data.clusters.forEach((cluster, i) => { cluster.name = cluster.name.trim() || `Concept ${i + 1}`; });

const tagName = (tag) => data.vocabulary[tag];
const tagsOf = (item) => data.tagIds.subarray(data.tagStart[item], data.tagStart[item + 1]);
const clusterOf = (item) => data.clusters[data.labels[item]];
const fileName = (item) => data.names[item].split('/').pop() || data.names[item];

// What the collection is made of, by one noun throughout: pictures, videos, or items where it holds
// both or neither.
const [ONE, MANY] = { i: ['picture', 'pictures'], v: ['video', 'videos'] }[[...new Set(data.kinds)].join('')]
  || ['item', 'items'];
const things = (n) => counted(n, ONE, MANY);
const capital = (text) => text[0].toUpperCase() + text.slice(1);

function range(start, end) {
  return Array.from({ length: end - start }, (_, i) => start + i);
}

// The tags that a picture seems to lack, by number of the suggestion; best first.
const suggestionsOf = (item) => range(data.suggestionStart[item], data.suggestionStart[item + 1]);

// What stands beside a suggestion. A score that is no probability must not look like one.
const likelihood = (share) => (data.calibrated ? percent(share) : share.toFixed(2));
const MEANING = data.calibrated
  ? 'A percentage is the share of such tags that the people who tagged this collection would have given '
    + 'themselves; they leave out many right ones, so more are right than it says.'
  : 'The number is a score, not a probability: the higher, the more speaks for a tag, but 0.50 does not '
    + 'mean right half of the time.';

function votersOf(suggestion) {
  return range(data.voterStart[suggestion], data.voterStart[suggestion + 1])
    .map((i) => ({ item: data.voterItem[i], share: data.voterShare[i] / 1000 }));
}

function neighboursOf(item) {
  return range(data.neighbourStart[item], data.neighbourStart[item + 1])
    .map((i) => ({ item: data.neighbourItem[i], share: data.neighbourShare[i] / 1000 }));
}

function remembered(work) {
  const known = new Map();
  return (key) => {
    if (!known.has(key)) known.set(key, work(key));
    return known.get(key);
  };
}

// The items of a cluster, the most typical first.
const membersOf = remembered((cluster) => {
  const first = data.clusters[cluster].central.filter((item) => data.labels[item] === cluster);
  const seen = new Set(first);
  const members = [...seen];
  for (let item = 0; item < nItems; item += 1) {
    if (data.labels[item] === cluster && !seen.has(item)) members.push(item);
  }
  return members;
});

const carriersOf = remembered((tag) => {
  const carriers = [];
  for (let item = 0; item < nItems; item += 1) {
    if (tagsOf(item).includes(tag)) carriers.push(item);
  }
  return carriers;
});

const layerOf = new Map(data.layers.flatMap((layer, i) => layer.map((tag) => [tag, i])));

const plain = (text) => text.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '');
const plainTags = data.vocabulary.map(plain);
let plainNames = null; // made at the first search

// Items for which every word is part of the name or of one of the tags.
function searchItems(query) {
  const words = plain(query).split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  plainNames = plainNames || data.names.map(plain);
  const meant = words.map((word) => new Set(searchTags(word)));
  const found = [];
  for (let item = 0; item < nItems; item += 1) {
    const tags = tagsOf(item);
    if (words.every((word, i) => plainNames[item].includes(word)
      || tags.some((tag) => meant[i].has(tag)))) found.push(item);
  }
  return found;
}

function searchTags(query) {
  const text = plain(query).trim();
  const found = [];
  if (text) plainTags.forEach((tag, i) => { if (tag.includes(text)) found.push(i); });
  return found;
}

// Eight colours that people with any colour vision can tell apart; the style sheet holds them, for
// light and dark. With more clusters than colours, the shape of points goes on.
const N_COLOURS = 8;
const colourOf = (cluster) => `var(--c${cluster % N_COLOURS})`;
const shapeOf = (cluster) => Math.floor(cluster / N_COLOURS) % 4;

// The same colours for a canvas, which knows no variables.
function paints() {
  const style = getComputedStyle(document.documentElement);
  const colours = range(0, N_COLOURS).map((i) => style.getPropertyValue(`--c${i}`).trim());
  return (cluster) => colours[cluster % N_COLOURS];
}
