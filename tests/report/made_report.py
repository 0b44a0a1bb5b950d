"""A made-up report of any size: landscapes in the colours of their concept, and tags in layers."""

import io
from dataclasses import dataclass
from functools import cache

import numpy as np

from conceptforest.report.page import ClusterInfo, DuplicateGroup, ReportData, Suggestion


@dataclass(frozen=True)
class Concept:
    name: str
    above: str
    tags: tuple[str, ...]
    sky: tuple[tuple[int, int, int], tuple[int, int, int]]
    ground: tuple[int, int, int]


CONCEPTS = (
    Concept(
        "beach, sea",
        "water",
        ("beach", "sea", "sand", "palm"),
        ((88, 170, 222), (214, 236, 240)),
        (232, 205, 148),
    ),
    Concept(
        "city at night",
        "town",
        ("city", "night", "lights", "street"),
        ((12, 16, 46), (64, 44, 98)),
        (24, 22, 40),
    ),
    Concept(
        "forest",
        "land",
        ("forest", "tree", "moss", "path"),
        ((150, 190, 160), (220, 232, 208)),
        (38, 84, 52),
    ),
    Concept(
        "harvest field",
        "land",
        ("field", "wheat", "tractor", "summer"),
        ((120, 178, 226), (246, 226, 172)),
        (214, 164, 58),
    ),
    Concept(
        "ski slope, snow",
        "mountain",
        ("snow", "ski", "winter", "slope"),
        ((96, 150, 206), (226, 236, 246)),
        (240, 244, 250),
    ),
    Concept(
        "harbour",
        "water",
        ("harbour", "boat", "pier", "gull"),
        ((128, 150, 178), (232, 214, 200)),
        (44, 84, 116),
    ),
    Concept(
        "sunset over dunes",
        "land",
        ("sunset", "dune", "desert", "heat"),
        ((118, 40, 88), (250, 150, 70)),
        (150, 66, 42),
    ),
    Concept(
        "market",
        "town",
        ("market", "fruit", "stall", "crowd"),
        ((236, 214, 178), (250, 240, 220)),
        (178, 58, 50),
    ),
    Concept(
        "lake in autumn",
        "water",
        ("lake", "autumn", "leaf", "mist"),
        ((176, 160, 152), (240, 216, 186)),
        (164, 88, 36),
    ),
    Concept(
        "glacier",
        "mountain",
        ("glacier", "ice", "rock", "peak"),
        ((70, 100, 140), (190, 216, 232)),
        (150, 190, 208),
    ),
)
SHAPES = ((192, 128), (192, 144), (144, 192), (192, 192), (192, 108))
VARIANTS = 10


@cache
def landscape(concept: int, variant: int) -> tuple[bytes, int, int]:
    from PIL import Image, ImageDraw

    rng = np.random.default_rng([concept, variant])
    look = CONCEPTS[concept % len(CONCEPTS)]
    small = SHAPES[int(rng.integers(len(SHAPES)))]
    width, height = 3 * small[0], 3 * small[1]  # drawn large and made smaller: smooth edges
    above, below = (np.array(colour, dtype=float) for colour in look.sky)
    share = np.linspace(0, 1, height)[:, None, None]
    sky = (above * (1 - share) + below * share) * rng.uniform(0.9, 1.08)
    image = Image.fromarray(np.broadcast_to(sky.clip(0, 255), (height, width, 3)).astype(np.uint8))
    draw = ImageDraw.Draw(image)
    x, y, r = rng.uniform(0.15, 0.85) * width, rng.uniform(0.15, 0.4) * height, rng.uniform(27, 66)
    draw.ellipse((x - r, y - r, x + r, y + r), fill=(255, 244, 214))
    for layer in range(4):
        ridge = height * (0.5 + 0.13 * layer)
        wave = rng.uniform(0, 6.3, size=3)
        steps = np.linspace(0, width, 40)
        ups = sum(np.sin(steps / width * (3 + 4 * k) + wave[k]) / (k + 1) for k in range(3))
        points = [
            (float(a), float(ridge + 0.05 * height * b)) for a, b in zip(steps, ups, strict=True)
        ]
        far = 0.75 - 0.2 * layer
        colour = tuple(
            int(g * (1 - far) + b * far) for g, b in zip(look.ground, below, strict=True)
        )
        draw.polygon([*points, (width, height), (0, height)], fill=colour)
    file = io.BytesIO()
    image.reduce(3).save(file, "WEBP", quality=82)
    return file.getvalue(), *small


def made_report(n: int = 240, *, seed: int = 0, **changes) -> ReportData:
    """Give a report of `n` items; `changes` replace parts of it."""
    rng = np.random.default_rng(seed)
    k = min(len(CONCEPTS), max(n, 1))
    labels = np.sort((k * rng.beta(0.9, 1.4, size=n)).astype(int).clip(0, k - 1))
    labels = np.argsort(np.argsort(-np.bincount(labels, minlength=k), kind="stable"))[labels]
    tags = [made_tags(int(label), rng) for label in labels]
    centres = 4 * np.stack([np.cos(np.arange(k) * 2.4), np.sin(np.arange(k) * 2.4)], axis=1)
    centres *= (np.sqrt(np.arange(k) + 0.4) / np.sqrt(k))[:, None]
    positions = centres[labels] + rng.normal(scale=0.42, size=(n, 2))
    members = [np.flatnonzero(labels == label) for label in range(k)]
    near = [made_neighbours(item, members[labels[item]], rng) for item in range(n)]
    counts = {}
    for row in tags:
        for tag in row:
            counts[tag] = counts.get(tag, 0) + 1
    parts = {
        "title": "A walk outdoors",
        "names": [
            f"{CONCEPTS[c].above}/{CONCEPTS[c].tags[0]}-{i:05d}.jpg" for i, c in enumerate(labels)
        ],
        "links": [f"../photos/{i:05d}.jpg" for i in range(n)],
        "kinds": ["video" if i % 17 == 3 else "image" for i in range(n)],
        "thumbnails": lambda item: landscape(int(labels[item]), item % VARIANTS),
        "tags": tags,
        "labels": labels,
        "clusters": [made_cluster(c, members[c], tags, counts) for c in range(k)],
        "tag_counts": counts,
        "suggestions": [made_suggestions(i, int(labels[i]), tags, near[i], rng) for i in range(n)],
        "neighbours": near,
        "positions": positions,
        "layers": [
            sorted({c.above for c in CONCEPTS}),
            [c.tags[0] for c in CONCEPTS],
            [tag for c in CONCEPTS for tag in c.tags[1:]],
        ],
        "tree": made_tree(),
        "relations": made_relations(),
        "duplicates": [
            DuplicateGroup(list(map(int, m[:3])), 0.985) for m in members[:3] if len(m) > 2
        ],
        "outliers": [(int(i), "its nearest picture is far") for i in range(0, n, max(1, n // 8))],
        "skipped": [
            ("broken/half.jpg", "the file ends too early"),
            ("notes.png", "it holds no picture"),
        ],
        "notes": ["12 pictures have a sidecar without tags."],
        "facts": [
            ("pictures", f"{n:,}"),
            ("tags", f"{len(counts):,}"),
            ("untagged", "12 %"),
            ("concepts", f"{k} (sure)"),
            ("features", "classic"),
            ("trees", "1,000"),
            ("time", "41 s"),
        ],
        "scores": [
            ("Concepts found (NMI)", 0.81, "1 would be the truth itself; chance is 0."),
            ("Suggestions right", 0.68, "Of the first suggestion for each picture."),
            ("Missing tags found", 0.57, "Among five suggestions for each picture."),
        ],
        "command": "conceptforest discover photos --tags tags.csv --out run",
    }
    return ReportData(**{**parts, **changes})


def made_tags(label, rng):
    look = CONCEPTS[label]
    if rng.uniform() < 0.12:
        return []
    chosen = [tag for tag in (look.above, *look.tags) if rng.uniform() < 0.5]
    return chosen or [look.tags[0]]


def made_neighbours(item, members, rng):
    others = members[members != item]
    chosen = rng.permutation(others[:200])[:12]
    return [(int(other), 0.9 - 0.05 * rank) for rank, other in enumerate(chosen)]


def made_cluster(label, members, tags, counts):
    look = CONCEPTS[label]
    shares = {
        tag: np.mean([tag in tags[i] for i in members]) if len(members) else 0 for tag in look.tags
    }
    scale = len(tags) / max(1, len(members))
    rows = [
        (tag, share * len(members) / max(1, counts.get(tag, 1)) * scale, share)
        for tag, share in shares.items()
    ]
    return ClusterInfo(
        look.name, len(members), rows, list(map(int, members[:16])), 0.86 - 0.05 * label
    )


def made_suggestions(item, label, tags, near, rng):
    missing = [tag for tag in CONCEPTS[label].tags if tag not in tags[item]]
    shares = np.sort(rng.uniform(0.3, 0.97, size=len(missing)))[::-1]
    return [
        Suggestion(tag, float(share), [(i, a) for i, a in near if tag in tags[i]][:5])
        for tag, share in zip(missing, shares, strict=True)
    ]


def made_tree():
    rows = [(above, None) for above in sorted({c.above for c in CONCEPTS})]
    rows += [(c.tags[0], c.above) for c in CONCEPTS]
    return rows + [(tag, c.tags[0]) for c in CONCEPTS for tag in c.tags[1:]]


def made_relations():
    together = [
        (c.tags[0], c.tags[1], 9.5 - rank / 2, 30 - rank, "together")
        for rank, c in enumerate(CONCEPTS)
    ]
    apart = [
        (a.tags[0], b.tags[0], 0.05 + rank / 40, rank, "apart")
        for rank, (a, b) in enumerate(zip(CONCEPTS, CONCEPTS[3:], strict=False))
    ]
    return together + apart
