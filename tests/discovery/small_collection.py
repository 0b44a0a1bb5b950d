"""A folder of small pictures of four kinds, with a table of tags."""

import csv
import hashlib
import os

import numpy as np
from PIL import Image

KINDS = {
    "sea": ((20, 80, 200), ("water", "boat", "wave")),
    "wood": ((30, 120, 40), ("plants", "tree", "moss")),
    "sand": ((220, 190, 110), ("dry", "dune", "camel")),
    "night": ((15, 10, 40), ("dark", "lamp", "star")),
}


def picture(kind, seed, size=(48, 40)):
    """Draw noise around the kind's colour, with stripes of its own."""
    rng = np.random.default_rng(seed)
    colour, _ = KINDS[kind]
    stripes = np.sin(np.arange(size[0]) * (1 + list(KINDS).index(kind)) / 3) * 25
    values = np.array(colour) + stripes[None, :, None] + rng.normal(0, 12, (size[1], size[0], 3))
    return Image.fromarray(np.clip(values, 0, 255).astype(np.uint8))


def write_pictures(folder, n=48, *, first=0):
    """Write n pictures into folders named a and b; gives their names and kinds."""
    written = []
    for number in range(first, first + n):
        kind = list(KINDS)[number % len(KINDS)]
        name = f"{'ab'[number // 8 % 2]}/{number:04d}.png"
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        picture(kind, number).save(place)
        os.utime(place, (1e9, 1e9))  # a cache trusts the date of no file that is just written
        written.append((name, kind))
    return written


def write_tags(path, written, seed=0):
    """Give each picture two or three tags of its kind, and every sixth none."""
    rng = np.random.default_rng(seed)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["file", "tags"])
        for place, (name, kind) in enumerate(written):
            own = list(KINDS[kind][1])
            n_tags = 0 if place % 6 == 5 else int(rng.integers(2, 4))
            chosen = rng.permutation(own)[:n_tags].tolist()
            writer.writerow([name, ";".join(chosen)])


def write_collection(folder, n=48):
    """Write pictures and tags.csv; gives names and kinds."""
    written = write_pictures(folder, n)
    write_tags(folder / "tags.csv", written)
    return written


def digests(run):
    """Hash all files but the cache, whose pages depend on the order of work."""
    return {
        str(path.relative_to(run)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(run.rglob("*"))
        if path.is_file() and not path.name.startswith(("cache.sqlite", ".conceptforest"))
    }
