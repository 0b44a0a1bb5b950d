"""One folder with all that is broken, huge or malicious: it is left out and told, no more."""

import csv
import os
import struct
import zlib

import pytest
from pyarrow import parquet
from tests.discovery.small_collection import write_collection
from tests.memory import peak_growth

from conceptforest.discovery import Settings, discover

SCRIPT = "<script>alert(1)</script>"
FORMULA = "=cmd()"
ENTITIES = """<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">
<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">
<!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;">
<!ENTITY f "&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;"><!ENTITY g "&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;">
]><x>&g;&g;&g;&g;&g;&g;&g;&g;</x>"""


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_bomb(side):
    """A picture of zeros: a few kilobytes that would unpack to side * side * 3 bytes."""
    packer = zlib.compressobj(9)
    row = bytes(1 + 3 * side)
    rows = b"".join(packer.compress(row) for _ in range(min(side, 3000))) + packer.flush()
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile") / "p"
    written = write_collection(folder, 40)
    good = (folder / written[0][0]).read_bytes()
    (folder / "bomb.png").write_bytes(png_bomb(60_000))
    (folder / "cut.png").write_bytes(good[: len(good) // 2])
    (folder / "text.jpg").write_text("not a picture at all")
    (folder / "empty.gif").write_bytes(b"")
    (folder / "film.mp4").write_bytes(b"\0\0\0\x18ftypisom and then nothing")
    (folder / "png.jpg").write_bytes(good)  # a picture all the same
    (folder / "<img src=x onerror=alert(1)>.png").write_bytes(good)
    (folder / "two\nlines.png").write_bytes(good)
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    (folder / "gone.png").symlink_to(folder / "nowhere.png")
    os.mkfifo(folder / "pipe.jpg")
    (folder / "png.jpg.xmp").write_text(ENTITIES)
    with (folder / "tags.csv").open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        names = [name for name, _ in written]
        writer.writerows([name, SCRIPT] for name in names[::3])
        writer.writerows([name, FORMULA] for name in names[::4])
        writer.writerows((f"nowhere-{i}.jpg", f"tag {i % 50}") for i in range(1_000_000))
    settings = Settings(
        tags=(str(folder / "tags.csv"), "sidecars"), features="classic", n_clusters=4, n_trees=30
    )
    return folder, discover(folder, folder.parent / "run", settings, n_jobs=2)


def test_everything_usable_is_used_and_everything_else_is_told(made):
    folder, found = made
    run = folder.parent / "run"
    table = parquet.read_table(run / "skipped.parquet").to_pylist()
    skipped = {row["file"]: row["reason"] for row in table}
    assert found.items.n_items == 43
    assert {"png.jpg", "two\nlines.png", "<img src=x onerror=alert(1)>.png"} <= set(
        found.items.names
    )
    unusable = {"bomb.png", "cut.png", "text.jpg", "empty.gif", "film.mp4", "gone.png", "pipe.jpg"}
    assert unusable <= set(skipped)
    assert all(len(reason) > 8 for reason in skipped.values())


def test_memory_stays_far_below_what_the_bomb_would_unpack_to(made):
    folder, found = made
    before = f"""
        import conceptforest.discovery as d
        settings = d.Settings.from_json({found.settings.to_json()!r})
    """
    work = f"d.discover({str(folder)!r}, {str(folder.parent / 'again')!r}, settings, n_jobs=2)"
    assert peak_growth(before, work) < 800 * 2**20  # the bomb alone would take ten times that


def test_scripts_and_formulas_are_text_everywhere(made):
    folder, found = made
    run = folder.parent / "run"
    assert {SCRIPT, FORMULA} <= set(found.items.tags.vocabulary)
    page = (run / "report.html").read_text(encoding="utf-8")
    assert SCRIPT not in page
    assert "<img src=x" not in page
    for table in run.glob("*.csv"):
        with table.open(newline="", encoding="utf-8-sig") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
        assert not [cell for cell in cells if cell.startswith(("=", "@"))]
    tags = parquet.read_table(run / "layers.parquet").column("tag").to_pylist()
    assert FORMULA in tags


def test_rows_for_files_that_are_not_there_are_counted(made):
    assert any("1,000,000" in note for note in made[1].items.notes)
