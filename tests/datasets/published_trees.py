"""Small trees in exactly the layouts in which published collections are distributed."""

import csv
import struct

import numpy as np

DIMENSIONS = {"CH": 64, "CORR": 144, "EDH": 73, "WT": 128, "CM55": 225, "BoW": 500}
CONCEPTS = ("animal", "beach", "clouds", "dog", "flags")

# The smallest thing that Pillow takes for a JPEG is not needed: readers look at names alone.
NO_PICTURE = b"\xff\xd8\xff\xd9"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(text, bytes):
        path.write_bytes(text)
    else:
        path.write_text(text, encoding="utf-8")
    return path


def write_csv(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows(rows)
    return path


def picture(path):
    return write(path, NO_PICTURE)


class NusWide:
    """What a small copy of NUS-WIDE holds, in all the orders in which it is distributed."""

    def __init__(self, root, n=60, m=12, seed=0, parts=False, features=("CH", "BoW"), eol="\n"):
        rng = np.random.default_rng(seed)
        self.root, self.n, self.eol = root, n, eol
        self.images = [f"{CONCEPTS[i % 5]}\\{i:04d}_{9000 + i}.jpg" for i in range(n)]
        self.tag_names = [f"tag{j}" for j in range(m)]
        self.tags = (rng.random((n, m)) < 0.3).astype(int)
        self.concepts = np.zeros((n, len(CONCEPTS)), dtype=int)
        self.concepts[np.arange(n), rng.integers(0, len(CONCEPTS), n)] = 1
        self.concepts[:6] = 0  # of no concept
        self.concepts[6:12, :2] = 1  # of two or three
        self.X = {
            name: rng.normal(size=(n, DIMENSIONS[name])).round(5).astype(np.float32)
            for name in features
        }
        self.train = np.sort(rng.permutation(n)[: n * 3 // 5])
        self.test = np.setdiff1d(np.arange(n), self.train)[::-1]
        self._write_lists(parts)

    @property
    def classes(self):
        """The concept of images that show exactly one, -1 for others."""
        return np.where(self.concepts.sum(axis=1) == 1, self.concepts.argmax(axis=1), -1)

    def lines(self, path, lines):
        return write(self.root / path, "".join(f"{line}{self.eol}" for line in lines))

    def _write_lists(self, parts):
        self.lines("ImageList/Imagelist.txt", self.images)
        for name, rows in (("Train", self.train), ("Test", self.test)):
            self.lines(f"ImageList/{name}Imagelist.txt", [self.images[i] for i in rows])
        self.lines("NUS_WID_Tags/TagList1k.txt", self.tag_names)
        self.lines("ConceptsList/Concepts81.txt", CONCEPTS)
        low = "NUS_WID_Low_Level_Features/Low_Level_Features"
        if not parts:
            self.lines("NUS_WID_Tags/AllTags1k.txt", ["\t".join(map(str, r)) for r in self.tags])
            for j, name in enumerate(CONCEPTS):
                self.lines(f"Groundtruth/AllLabels/Labels_{name}.txt", self.concepts[:, j])
            for name, X in self.X.items():
                file = "BoW_int.dat" if name == "BoW" else f"Normalized_{name}.dat"
                self.lines(f"{low}/{file}", [" ".join(map(str, row)) + " " for row in X])
            return
        for part, rows in (("Train", self.train), ("Test", self.test)):
            tags = ["\t".join(map(str, r)) + "\t" for r in self.tags[rows]]
            self.lines(f"NUS_WID_Tags/{part}_Tags1k.dat", tags)
            for j, name in enumerate(CONCEPTS):
                path = f"Groundtruth/TrainTestLabels/Labels_{name}_{part}.txt"
                self.lines(path, self.concepts[rows, j])
            for name, X in self.X.items():
                file = f"BoW_{part}_int.dat" if name == "BoW" else f"{part}_Normalized_{name}.dat"
                self.lines(f"{low}/{file}", [" ".join(map(str, row)) for row in X[rows]])


MED_EVENTS = {"E001": "Attempting_a_board_trick", "E006": "Birthday_party", "E012": "Parade"}
MED_TEXT = {
    "000101": ("E006", "People at a birthday party eat food in the park."),
    "000102": ("E006", "A girl's party, with food and a cake"),
    "000103": ("E012", "A parade in the street; people watch the band."),
    "000104": ("E012", "Band plays in a street parade"),
    "000105": ("E001", "Boy does a board trick in the park"),
    "000106": ("E001", "a boy tries a trick on his board in the street"),
}


def trecvid_med(root, text=None, extra=(), lost=(), banned=()):
    """Make metadata as in LDC2011E42, and videos in folders of their events."""
    text = MED_TEXT if text is None else text
    data = root / "databases"
    judged = [["ClipID", "EventID", "INSTANCE_TYPE", "SYNOPSIS"]]
    judged += [[clip, event, "positive", words] for clip, (event, words) in text.items()]
    judged += [["000900", "E006", "miss", "people people people"], *extra]
    write_csv(data / "EVENTS_20110615_JudgementMD.csv", judged)
    clips = [["ClipID", "MEDIA_FILE", "CODEC", "MD5SUM", "DURATION"]]
    clips += [[clip, f"HVC{clip}.mp4", "h264", "0" * 32, "10.5"] for clip in text]
    write_csv(data / "EVENTS_20110615_ClipMD.csv", clips)
    events = [["EventID", "EventName"], *MED_EVENTS.items(), ["NULL", "NULL"]]
    write_csv(data / "EVENTS_20110615_EventDB.csv", events)
    places = [["ClipID", "Banned_Status", "CatalogID", "Directory_Path"]]
    places += [[c, "banned" if c in banned else "not banned", "LDC2011E41", "events"] for c in text]
    write_csv(root / "doc" / "Clip_location_lookup_table.csv", places)
    for clip, (event, _) in text.items():
        if clip not in lost:
            write(root / "LDC2011E41" / "events" / event / f"HVC{clip}.mp4", b"")
    return root


def mirflickr(root, tags, topics=None):
    """Make numbered pictures with their tag files, and lists of topics; None: no tag file."""
    for number, some in tags.items():
        picture(root / f"im{number}.jpg")
        if some is not None:
            write(root / "meta" / "tags" / f"tags{number}.txt", "".join(f"{t}\r\n" for t in some))
    (root / "meta" / "tags").mkdir(parents=True, exist_ok=True)
    for topic, numbers in (topics or {}).items():
        write(root / "annotations" / f"{topic}.txt", "".join(f"{n}\n" for n in numbers))
    return root


COREL_WORDS = ("city", "mountain", "sky", "sun")
COREL_TRAIN = {1000: (2, 3), 1001: (), 108004: (0,)}
COREL_TEST = {1005: (1, 2), 108033: (0, 3)}


def hvecs(rows, d):
    """Write 0/1 vectors as 16-bit numbers, each behind its length."""
    return b"".join(
        struct.pack(f"<{d + 1}H", d, *(int(j in row) for j in range(d))) for row in rows
    )


def corel_pictures(root, numbers=(*COREL_TRAIN, *COREL_TEST)):
    for number in numbers:
        picture(root / str(number // 1000 * 1000) / f"{number}.jpeg")
    return root


def corel_lists(root):
    write(root / "corel5k_words.txt", "\n".join(COREL_WORDS))
    for part, entries in (("train", COREL_TRAIN), ("test", COREL_TEST)):
        names = [f"{number // 1000 * 1000}/{number}\n" for number in entries]
        write(root / f"corel5k_{part}_list.txt", "".join(names))
        vectors = hvecs(entries.values(), len(COREL_WORDS))
        write(root / f"corel5k_{part}_annot.hvecs", vectors)
    return corel_pictures(root)


def corel_eccv(root):
    write(root / "words", "\n".join(COREL_WORDS))
    for prefix, entries in (("", COREL_TRAIN), ("test_1_", COREL_TEST)):
        write(root / f"{prefix}image_nums", "".join(f"{number}\n" for number in entries))
        rows = [[j + 1 for j in row] + [-99] * (5 - len(row)) for row in entries.values()]
        text = "".join(" ".join(map(str, row)) + "\n" for row in rows)
        write(root / f"{prefix}document_words", text)
    return corel_pictures(root)


def svg(*tags):
    """Write a drawing whose metadata hold tags as those of openclipart do."""
    items = "".join(f"<rdf:li>{tag}</rdf:li>" for tag in tags)
    return (
        '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"'
        ' xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
        ' xmlns:cc="http://web.resource.org/cc/" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f'<metadata><rdf:RDF><cc:Work rdf:about=""><dc:subject><rdf:Bag>{items}</rdf:Bag>'
        "</dc:subject></cc:Work></rdf:RDF></metadata></svg>"
    )
