"""TRECVID MED 2011 as the LDC distributes it: clips, judgements with their text, event names.

The event of a clip comes from the judgements, its tags from their text, and the two layers of the
tags from the names of the events. What the release does not settle, and how it is read here, is in
the docstring of :func:`read_trecvid_med`.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from conceptforest.checks import whole
from conceptforest.datasets.media import VIDEO_SUFFIXES, MediaCollection, MediaItem, Skipped
from conceptforest.datasets.published_files import (
    check_folder,
    files_by_name,
    read_csv_rows,
    refuse,
)
from conceptforest.tags import TagMatrix, parse_tags

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

__all__ = ["read_trecvid_med"]

_CLIP = re.compile(r"(?:HVC)?([0-9]{1,9})", re.IGNORECASE)
_EVENT = re.compile(r"E[0-9]{3,4}")
_WORD = re.compile(r"[a-z][a-z'-]*[a-z]")
_NO_TEXT = {"clipid", "eventid", "instance_type", "media_file", "md5sum", "codec", "duration"}
_MAX_SHARE = 0.5  # a word of more than half of the clips tells none from another
_STOP_TEXT = """
a about above across after again against all along also am among an and another any are around as
at away back be because been before behind being below beside between both but by can clip clips
could did do does doing done down during each either else ends etc every few film for from front
further get gets getting go goes going had has have having he her here hers herself him himself his
how if in inside into is it its itself just like many me more most much my near next no nor not now
of off on once one ones only onto or other others our out outside over own same scene seen several
she shot show showing shown shows so some someone something start starts such than that the their
them themselves then there these they this those three through to together too toward towards two
under until up upon us use used uses using various very via video videos was we were what when
where which while who whom whose why will with within without would you your
"""
_STOP_WORDS = frozenset(_STOP_TEXT.split())


@dataclass
class _Clips:
    """What the databases say of the clips, by clip number of six digits or more."""

    events: dict[str, set[str]] = field(default_factory=dict)
    text: dict[str, list[str]] = field(default_factory=dict)
    media: dict[str, str] = field(default_factory=dict)
    banned: set[str] = field(default_factory=set)
    names: dict[str, str] = field(default_factory=dict)


def read_trecvid_med(
    root: str | os.PathLike[str],
    *,
    tags: str | os.PathLike[str] | None = None,
    truth: str | os.PathLike[str] | None = None,
    n_tags: int = 114,
    min_count: int = 5,
    verbose: int = 0,
) -> MediaCollection:
    """Read TRECVID MED 2011 from the folder that holds its metadata and its videos.

    Read are all tables below `root` whose names end in ``JudgementMD.csv`` (``ClipID``,
    ``EventID``, ``INSTANCE_TYPE`` and columns of text), ``ClipMD.csv`` (``ClipID``,
    ``MEDIA_FILE``), ``EventDB.csv`` (``EventID``, ``EventName``) and
    ``Clip_location_lookup_table.csv`` (``ClipID``, ``Banned_Status``). A clip's class is the event
    of which it is a *positive* instance; near misses and related clips are left out, and clips
    that are positive for several events are skipped. The video of clip 123 is ``HVC000123.mp4``,
    or the file that ``MEDIA_FILE`` names, anywhere below `root`.

    Parameters
    ----------
    root : str or path-like
    tags : str or path-like, default=None
        A comma-separated table with the column ``tag`` and one or both of:

        - ``layer``, 1 for abstract and 2 for specific: the vocabulary and its layers, instead of
          the words that are frequent and those of the event names;
        - ``ClipID``: the tags of the clips, instead of words of the judgements.
    truth : str or path-like, default=None
        A comma-separated table with the columns ``ClipID`` and ``tag``: tags that were completed by
        hand. They join the observed ones in the collection's `truth`.
    n_tags : int, default=114
        So many words of the judgements, those of most clips, are the vocabulary. A word is in lower
        case, of two letters or more, and no stop word; it counts once a clip, and words of more
        than half of the clips are left out.
    min_count : int, default=5
        Words of fewer clips are left out.
    verbose : int, default=0
        Taken for the sake of uniformity; reading takes seconds.

    Returns
    -------
    MediaCollection
        Videos with tags and classes. Without a table of layers, the first layer holds the tags
        that occur in the name of an event ("party" of "Birthday party"), the second all others;
        there are no layers if one of them would be empty. Clips without a video, banned clips and
        clips of several events are in `skipped`.

    Raises
    ------
    FileNotFoundError
        If the folder or the judgements are missing.
    ValueError
        If a table is damaged, or no positive clip has its video below `root`.

    Examples
    --------
    >>> read_trecvid_med("no such folder")
    Traceback (most recent call last):
    FileNotFoundError: There is no folder 'no such folder'. Give the folder of TRECVID MED 2011.
    """
    del verbose
    whole("n_tags", n_tags, 1)
    whole("min_count", min_count, 1)
    folder = check_folder(root, "TRECVID MED 2011")
    clips = _read_databases(folder)
    items, skipped = _find_videos(folder, clips)
    numbers = [number for number, _ in items]
    if tags is None:
        words = [_words(clips.text.get(number, ())) for number in numbers]
        observed, layers, note = _choose_words(folder, words, clips, n_tags, min_count)
    else:
        observed, layers, note = _read_tag_table(Path(tags), numbers, clips)
    notes = [note]
    completed = None
    if truth is not None:
        completed, note = _read_truth(Path(truth), numbers, observed)
        notes.append(note)
    ids = sorted({next(iter(clips.events[number])) for number in numbers})
    place = {event: label for label, event in enumerate(ids)}
    labels = [place[next(iter(clips.events[number]))] for number in numbers]
    return MediaCollection(
        name="trecvid-med-2011",
        root=folder,
        items=tuple(item for _, item in items),
        tags=observed,
        skipped=tuple(skipped),
        notes=tuple(notes),
        labels=np.array(labels, dtype=np.int64),
        class_names=tuple(f"{event} {clips.names.get(event, '')}".strip() for event in ids),
        truth=completed,
        layers=layers,
    )


# --- The databases -------------------------------------------------------------------------------


def _read_databases(folder: Path) -> _Clips:
    clips = _Clips()
    readers = {
        "judgementmd.csv": _read_judgements,
        "clipmd.csv": _read_clips,
        "eventdb.csv": _read_events,
        "clip_location_lookup_table.csv": _read_locations,
    }
    tables = sorted(files_by_name(folder, readers).items())
    for name, path in tables:
        for ending, read in readers.items():
            if name.endswith(ending):
                read(path, clips)
    if not any(name.endswith("judgementmd.csv") for name, _ in tables):
        raise FileNotFoundError(
            f"There is no table *_JudgementMD.csv below {str(folder)!r}. Unpack the metadata of"
            " MED 2011 (folders 'databases', 'events' and 'doc') there."
        )
    return clips


def _rows(path: Path, columns: tuple[str, ...]) -> Iterable[tuple[int, dict[str, str]]]:
    """Give the rows of a table that has certain columns, whatever their case."""
    for number, row in read_csv_rows(path):
        by_name = {name.lower(): value for name, value in row.items()}
        for column in columns:
            if column.lower() not in by_name:
                refuse(path, f"it has no column {column}; it has {', '.join(row)}", 1)
        known = {column.lower(): column for column in columns}
        yield number, {known.get(name.lower(), name): value for name, value in row.items()}


def _clip(path: Path, number: int, text: str) -> str:
    match = _CLIP.fullmatch(text)
    if match is None:
        refuse(path, f"{text!r} is no clip; write 123, 000123 or HVC000123", number)
    return match[1].zfill(6)


def _read_judgements(path: Path, clips: _Clips) -> None:
    for number, row in _rows(path, ("ClipID", "EventID", "INSTANCE_TYPE")):
        if row["INSTANCE_TYPE"].lower() != "positive":
            continue
        clip, event = _clip(path, number, row["ClipID"]), row["EventID"]
        if not _EVENT.fullmatch(event):
            refuse(path, f"{event!r} is no event; events are written like E001", number)
        clips.events.setdefault(clip, set()).add(event)
        text = [value for name, value in row.items() if name.lower() not in _NO_TEXT]
        clips.text.setdefault(clip, []).extend(text)


def _read_clips(path: Path, clips: _Clips) -> None:
    for number, row in _rows(path, ("ClipID", "MEDIA_FILE")):
        file = row["MEDIA_FILE"].replace("\\", "/").rpartition("/")[2]
        clips.media[_clip(path, number, row["ClipID"])] = file


def _read_events(path: Path, clips: _Clips) -> None:
    for _, row in _rows(path, ("EventID", "EventName")):
        if _EVENT.fullmatch(row["EventID"]):  # there is also a line for "NULL"
            clips.names[row["EventID"]] = row["EventName"].replace("_", " ")


def _read_locations(path: Path, clips: _Clips) -> None:
    for number, row in _rows(path, ("ClipID", "Banned_Status")):
        if row["Banned_Status"].lower() == "banned":
            clips.banned.add(_clip(path, number, row["ClipID"]))


def _find_videos(folder: Path, clips: _Clips) -> tuple[list[tuple[str, MediaItem]], list[Skipped]]:
    """Find the video of each positive clip, by name of the file."""
    files = files_by_name(folder, sorted(VIDEO_SUFFIXES))
    by_stem = {Path(name).stem: path for name, path in files.items()}
    found, skipped = [], []
    for number in sorted(clips.events):
        name = f"HVC{number}"
        events = sorted(clips.events[number])
        path = files.get(clips.media.get(number, "").lower()) or by_stem.get(name.lower())
        if number in clips.banned:
            skipped.append(Skipped(name, "its use is banned by the distributor; delete the file"))
        elif len(events) > 1:
            skipped.append(Skipped(name, f"it is positive for several events: {', '.join(events)}"))
        elif path is None:
            skipped.append(Skipped(name, "it is judged, but its video is not there"))
        else:
            item = MediaItem(path.relative_to(folder).as_posix(), path, "video")
            found.append((number, item))
    if not found:
        raise ValueError(
            f"None of the {len(clips.events):,} positive clips has its video below"
            f" {str(folder)!r}. Put the videos (HVC000123.mp4, ...) there."
        )
    return sorted(found, key=lambda pair: pair[1].name), skipped


# --- Text to tags --------------------------------------------------------------------------------


def _words(texts: Iterable[str]) -> set[str]:
    """Give the words of some texts that may be tags."""
    words = (word for text in texts for word in _WORD.findall(text.lower()))
    return {word.removesuffix("'s") for word in words} - _STOP_WORDS


_Layers = tuple[tuple[str, ...], ...] | None


def _choose_words(
    folder: Path, words: list[set[str]], clips: _Clips, n_tags: int, min_count: int
) -> tuple[TagMatrix, _Layers, str]:
    counts = Counter(word for some in words for word in some)
    if not counts:
        raise ValueError(
            f"The judgements below {str(folder)!r} hold no text. Give a table with the columns"
            " ClipID and tag as tags."
        )
    most = _MAX_SHARE * len(words)
    able = [word for word, count in counts.items() if min_count <= count <= most]
    able.sort(key=lambda word: (-counts[word], word))
    vocabulary = sorted(able[:n_tags])
    if not vocabulary:
        raise ValueError(
            f"None of the {len(counts):,} words of the judgements is of at least {min_count} and at"
            f" most half of the {len(words):,} clips. Lower min_count."
        )
    known = set(vocabulary)
    tags = parse_tags([some & known for some in words], vocabulary=vocabulary)
    note = (
        f"The tags are the {len(vocabulary)} most frequent words of the judgements' text, of"
        f" {len(counts):,}."
    )
    return tags, _layers_by_name(vocabulary, clips), note


def _layers_by_name(vocabulary: Iterable[str], clips: _Clips) -> _Layers:
    """Put the tags that name an event above the others."""
    naming = _words(clips.names.values())
    abstract = tuple(tag for tag in vocabulary if tag in naming)
    specific = tuple(tag for tag in vocabulary if tag not in naming)
    return (abstract, specific) if abstract and specific else None


def _read_tag_table(
    path: Path, numbers: list[str], clips: _Clips
) -> tuple[TagMatrix, _Layers, str]:
    """Read a table of layers, of clips' tags, or of both."""
    layer_of: dict[str, str] = {}
    tags_of: dict[str, set[str]] = {}
    columns: set[str] = set()
    for number, row in _rows(path, ("tag",)):
        by_name = {name.lower(): value for name, value in row.items()}
        columns = set(by_name)
        tag, layer = by_name["tag"], by_name.get("layer", "")
        if not tag or not columns & {"clipid", "layer"}:
            refuse(path, "it must have a tag, and a column layer, ClipID or both", number)
        if "layer" in columns and layer not in {"1", "2"}:
            refuse(path, f"the layer {layer!r} is neither 1 nor 2", number)
        if layer_of.setdefault(tag, layer) != layer:
            refuse(path, f"the tag {tag!r} has another layer on an earlier line", number)
        if "clipid" in columns:
            tags_of.setdefault(_clip(path, number, by_name["clipid"]), set()).add(tag)
    if not layer_of:
        refuse(path, "it holds no tag")
    vocabulary = sorted(layer_of)
    if "clipid" in columns:
        rows = [tags_of.get(number, set()) for number in numbers]
    else:
        spelt = {tag.lower(): tag for tag in vocabulary}
        texts = (_words(clips.text.get(number, ())) for number in numbers)
        rows = [{spelt[word] for word in words & spelt.keys()} for words in texts]
    layers = _layers_by_name(vocabulary, clips)
    if "layer" in columns:
        both = tuple(tuple(t for t in vocabulary if layer_of[t] == k) for k in ("1", "2"))
        layers = both if all(both) else None
    source = "tags of the clips come" if "clipid" in columns else "vocabulary comes"
    return parse_tags(rows, vocabulary=vocabulary), layers, f"The {source} from {path.name}."


def _read_truth(path: Path, numbers: list[str], observed: TagMatrix) -> tuple[TagMatrix, str]:
    """Add tags completed by hand to the observed ones."""
    place = {number: row for row, number in enumerate(numbers)}
    column = {tag: j for j, tag in enumerate(observed.vocabulary)}
    full = observed.matrix.tolil()
    clips, judged = set(), set()
    for number, row in _rows(path, ("ClipID", "tag")):
        clip, tag = _clip(path, number, row["ClipID"]), row["tag"]
        if clip not in place:
            refuse(path, f"the clip {row['ClipID']!r} is not in the collection", number)
        if tag not in column:
            refuse(
                path, f"the tag {tag!r} is none of the {len(column)} tags of the collection", number
            )
        full[place[clip], column[tag]] = 1
        clips.add(clip)
        judged.add(tag)
    note = f"The truth is complete for {len(clips)} videos and {len(judged)} tags alone."
    return parse_tags(full.tocsr(), vocabulary=observed.vocabulary), note
