"""Tags hang below the abstract tags that their items carry."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptforest.datasets import make_tagged
from conceptforest.tags import TagHierarchy, parse_tags
from conceptforest.tags.tree import tag_tree


def obvious_tree(rows, layers):
    """Look at every pair."""
    rows = [row for row in rows if any(row)]
    counts = [sum(row[j] for row in rows) for layer in layers for j in layer]
    counts = dict(zip((j for layer in layers for j in layer), counts, strict=True))
    found = []
    for number, layer in enumerate(layers):
        above = [j for other in layers[:number] for j in other]
        for child in sorted(layer, key=lambda j: (-counts[j], j)):
            ranks = []
            for parent in above:
                both = sum(row[child] and row[parent] for row in rows)
                base = counts[parent] / len(rows) if rows else 1
                if both and base < 1:
                    share = (both + 5 * base) / (counts[child] + 5)
                    score = (share - base) / (1 - base)
                    if score >= 0.2:
                        ranks.append((-round(score, 9), base, above.index(parent), parent))
            found.append((child, min(ranks)[-1] if ranks else None))
    return found


@settings(deadline=None, max_examples=80)
@given(data=st.data())
def test_equals_looking_at_every_pair(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    n, m = data.draw(st.integers(1, 40)), data.draw(st.integers(1, 8))
    rows = (rng.uniform(size=(n, 1)) + rng.uniform(size=(n, m))) < data.draw(st.floats(0.3, 1.5))
    n_layers = data.draw(st.integers(1, m))
    home = np.concatenate([np.arange(n_layers), rng.integers(0, n_layers, m - n_layers)])
    layers = [np.flatnonzero(home == k).tolist() for k in range(n_layers)]
    found = tag_tree(parse_tags(rows), layers)
    expected = obvious_tree(rows.astype(int).tolist(), layers)
    assert found == [(str(c), None if p is None else str(p)) for c, p in expected]


def test_specific_tags_hang_on_their_concepts():
    made = make_tagged(2000, 8, random_state=0)
    parents = dict(tag_tree(parse_tags(made.tags), made.layers))
    assert parents["skyscraper"] in {"city", "urban"}
    assert parents["swimmer"] in {"beach", "seaside"}
    assert parents["stall"] in {"market", "shopping"}
    assert parents["tractor"] in {"farm", "agriculture"}
    for everywhere in ("people", "sky", "sunny", "outdoor", "weekend"):
        assert parents[everywhere] is None
    assert all(parents[tag] is None for tag in made.layers[0])


def test_a_tag_on_one_item_hangs_on_nobody():
    tags = parse_tags([{"city", "tram"}] * 20 + [{"beach"}] * 20 + [{"beach", "odd"}])
    assert dict(tag_tree(tags, [["beach", "city"], ["tram", "odd"]])) == {
        "beach": None,
        "city": None,
        "tram": "city",
        "odd": None,
    }


def test_parents_come_from_any_layer_above_and_the_nearest_of_equal_ones():
    names = [{"life", "animal", "dog"}] * 20 + [{"life", "plant"}] * 20 + [{"thing"}] * 20
    tags = parse_tags(names)
    tree = dict(tag_tree(tags, [["life", "thing"], ["animal", "plant"], ["dog"]]))
    assert tree["animal"] == tree["plant"] == "life"
    assert tree["dog"] == "animal"
    assert dict(tag_tree(tags, [["life", "thing"], ["plant"], ["dog"]]))["dog"] == "life"


def test_parents_come_first_and_frequent_tags_before_others():
    made = make_tagged(500, 8, random_state=0)
    tags = parse_tags(made.tags)
    tree = tag_tree(tags, made.layers)
    seen = set()
    for tag, parent in tree:
        assert parent is None or parent in seen
        seen.add(tag)
    assert len(tree) == tags.n_tags
    counts = dict(zip(tags.vocabulary, tags.counts.tolist(), strict=True))
    n_first = len(made.layers[0])
    for part in (tree[:n_first], tree[n_first:]):
        ordered = [counts[tag] for tag, _ in part]
        assert ordered == sorted(ordered, reverse=True)


def test_a_hierarchy_can_be_made_of_it():
    made = make_tagged(500, 8, random_state=0)
    tree = tag_tree(parse_tags(made.tags), made.layers)
    text = TagHierarchy.from_parents(tree).to_text()
    assert f"{len(tree)} tags in 2 layers" in text


def test_untagged_items_change_nothing():
    made = make_tagged(300, 4, random_state=0)
    tree = tag_tree(parse_tags(made.tags), made.layers)
    assert tag_tree(parse_tags([*made.tags, *[None] * 900]), made.layers) == tree


def test_tags_in_no_layer_are_left_out():
    tags = parse_tags([{"a", "b", "c"}] * 3)
    assert tag_tree(tags, [["a"], [1]]) == [("a", None), ("b", None)]


def test_unknown_tags_are_refused():
    with pytest.raises(ValueError, match="Did you mean 'cat'"):
        tag_tree(parse_tags([{"cat"}]), [["cta"]])
