"""Pictures per second of each extractor: decoding and describing apart, together, and cached.

The pictures are made from the seed, unless --data names a folder: photographs (JPEG of 1600 x 1200
pixels with gradients, shapes and noise) and drawings (PNG of 512 x 512 with plain areas).

- decode: file to RGB of the size that the extractor asks for, in one thread
- prepare: RGB to the extractor's input, in one thread (the whole work of the classic descriptor)
- run: batches through the network
- pipeline: all of it with --jobs threads, with digests, thumbnails and the cache on disk
- again: the same with everything in the cache

With --judge and --data, instead, how well the vectors tell the folders right below the given one
apart: k-means with as many clusters as folders (mean NMI of three seeds), and how often the nearest
other picture is of the same folder. Pictures with the same content count once.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image
from sklearn.cluster import KMeans
from sklearn.metrics import normalized_mutual_info_score
from sklearn.neighbors import NearestNeighbors

from conceptforest.datasets.media import IMAGE_SUFFIXES, MediaItem
from conceptforest.features.cache import FeatureCache
from conceptforest.features.choose import available, make_extractor
from conceptforest.features.decode import UnreadableError, decode_image
from conceptforest.features.embed import embed
from workload import Clock, arguments, emit, machine_facts, note, settings, table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from conceptforest.features.extractor import Extractor

STEPS = ("decode", "prepare", "run", "pipeline", "again")


def photograph(rng: np.random.Generator, width: int = 1600, height: int = 1200) -> Image.Image:
    """Make a picture that costs as much to decode as a photograph: soft, noisy, many colours."""
    y, x = np.mgrid[0:1:150j, 0:1:200j]
    tones = rng.uniform(40, 215, size=(2, 3))
    image = tones[0] + (tones[1] - tones[0]) * y[..., None]
    for _ in range(12):
        (left, top), size = rng.random(2), rng.uniform(0.03, 0.2)
        inside = ((x - left) ** 2 + (y - top) ** 2 < size**2)[..., None]
        image = np.where(inside, image * 0.5 + rng.uniform(0, 128, size=3), image)
    soft = Image.fromarray(np.clip(image, 0, 255).astype(np.uint8)).resize((width, height))
    noise = rng.integers(-12, 13, size=(height, width, 1), dtype=np.int16)
    return Image.fromarray(np.clip(np.asarray(soft) + noise, 0, 255).astype(np.uint8))


def drawing(rng: np.random.Generator, side: int = 512) -> Image.Image:
    """Make a picture of a few plain shapes on a clear ground."""
    y, x = np.mgrid[0:side, 0:side]
    image = np.zeros((side, side, 4), dtype=np.uint8)
    for _ in range(8):
        left, top = rng.integers(side - 60, size=2)
        width, height = rng.integers(20, side // 2, size=2)
        colour = [*rng.integers(256, size=3), 255]
        image[(x >= left) & (x < left + width) & (y >= top) & (y < top + height)] = colour
    return Image.fromarray(image)


def make_pictures(folder: Path, count: int, seed: int) -> dict[str, list[Path]]:
    """Write as many photographs as drawings."""
    rng = np.random.default_rng(seed)
    photographs, drawings = [], []
    for number in range(count):
        photographs.append(folder / f"{number:05}.jpg")
        photograph(rng).save(photographs[-1], quality=88)
        drawings.append(folder / f"{number:05}.png")
        drawing(rng).save(drawings[-1])
    return {"JPEG 1600 x 1200": photographs, "PNG 512 x 512": drawings}


def find_pictures(folder: Path, count: int, seed: int) -> dict[str, list[Path]]:
    """Draw pictures of a folder, in the order of their names."""
    paths = sorted(p for p in folder.rglob("*") if p.suffix.lower() in IMAGE_SUFFIXES)
    chosen = np.random.default_rng(seed).permutation(len(paths))[: 2 * count]
    return {str(folder): [paths[place] for place in sorted(chosen)]}


def measure(
    extractor: Extractor, paths: Sequence[Path], args: argparse.Namespace
) -> dict[str, float | None]:
    """Give the pictures per second of each step."""
    clocks = {step: Clock() for step in STEPS}
    images = []
    with clocks["decode"].running():
        for path in paths:
            try:
                images.append(decode_image(path, shortest=extractor.shortest))
            except UnreadableError as error:
                note(f"{path}: {error}")
    if not images:
        raise SystemExit("No picture can be decoded. Give another folder.")
    with clocks["prepare"].running():
        prepared = [extractor.prepare(image) for image in images]
    size = extractor.batch_size
    batches = [
        filled(prepared[begin : begin + size], size) for begin in range(0, len(images), size)
    ]
    extractor.run(batches[0])  # the first run of a network sets it up
    with clocks["run"].running():
        for batch in batches:
            extractor.run(batch)
    items = [MediaItem(path.name, path, "image") for path in paths]
    with tempfile.TemporaryDirectory() as folder, FeatureCache(Path(folder) / "cache.db") as cache:
        for step in ("pipeline", "again"):
            with clocks[step].running():
                embed(items, extractor, cache, n_jobs=args.jobs)
    # A batch that is not full takes as long as a full one; the classic descriptor runs nothing.
    run = None if extractor.name == "classic" else len(batches) * size / clocks["run"].wall
    return {step: len(images) / clock.wall for step, clock in clocks.items()} | {"run": run}


def judge(
    extractor: Extractor, paths: Sequence[Path], root: Path, cache: FeatureCache, jobs: int
) -> dict[str, float]:
    """Tell how well vectors keep folders apart."""
    found = embed(
        [MediaItem(p.relative_to(root).as_posix(), p, "image") for p in paths],
        extractor,
        cache,
        n_jobs=jobs,
        verbose=1,
    )
    first = np.sort(np.unique(np.array(found.digests), return_index=True)[1])
    X = found.X[first]
    folders = np.array([paths[i].relative_to(root).parts[0] for i in found.kept[first]])
    scores = [
        normalized_mutual_info_score(
            folders, KMeans(len(set(folders)), n_init=3, random_state=seed).fit_predict(X)
        )
        for seed in range(3)
    ]
    nearest = NearestNeighbors(n_neighbors=1).fit(X).kneighbors(return_distance=False)[:, 0]
    return {
        "pictures": len(X),
        "folders": len(set(folders)),
        "NMI": float(np.mean(scores)),
        "nearest": float((folders[nearest] == folders).mean()),
    }


def filled(rows: list[NDArray[Any]], size: int) -> NDArray[Any]:
    batch = np.zeros((size, *rows[0].shape), dtype=rows[0].dtype)
    batch[: len(rows)] = rows
    return batch


def render(result: dict[str, Any]) -> None:
    if result["options"]["judge"]:
        table(["extractor", "pictures", "folders", "NMI", "nearest"], result["rows"])
        return
    table(["pictures", "extractor", "features", *STEPS], result["rows"])
    print("\npictures per second; the classic descriptor does all its work in prepare")


def judged(names: Sequence[str], args: argparse.Namespace) -> list[list[Any]]:
    paths = next(iter(find_pictures(args.data, args.pictures, args.seed).values()))
    with FeatureCache(args.cache) as cache:
        scores = {
            name: judge(make_extractor(name, args.jobs), paths, args.data, cache, args.jobs)
            for name in names
        }
    return [[name, *score.values()] for name, score in scores.items()]


def measured(names: Sequence[str], args: argparse.Namespace) -> list[list[Any]]:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        note("making pictures" if args.data is None else f"looking into {args.data}")
        if args.data is None:
            groups = make_pictures(Path(folder), args.pictures, args.seed)
        else:
            groups = find_pictures(args.data, args.pictures, args.seed)
        for name in names:
            extractor = make_extractor(name, args.jobs)
            for label, paths in groups.items():
                note(f"{name}: {len(paths)} pictures, {label}")
                speed = measure(extractor, paths, args)
                rows.append([label, name, extractor.n_features, *(speed[step] for step in STEPS)])
    return rows


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument(
        "--pictures", type=int, default=100, help="of each kind; half of a folder's"
    )
    parser.add_argument("--jobs", type=int, default=-1, help="threads of the pipeline")
    parser.add_argument("--data", type=Path, help="a folder of pictures to use instead")
    parser.add_argument("--extractors", nargs="+", default=None, help="default: all there are")
    parser.add_argument("--judge", action="store_true", help="how well folders are told apart")
    parser.add_argument("--cache", type=Path, help="for --judge: a file that keeps the vectors")
    args = parser.parse_args()
    if args.judge and args.data is None:
        parser.error("--judge needs --data")
    facts = machine_facts()
    names = args.extractors or [name for name in available() if name != "auto"]
    rows = judged(names, args) if args.judge else measured(names, args)
    result = {"machine": facts, "options": settings(args), "rows": rows}
    emit(result, render, as_json=args.json)


if __name__ == "__main__":
    main()
