"""XMP: tags and paths in every form that programs write, in sidecars and within pictures."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.datasets.media_files import DC, RDF, iptc_block, jpeg, laughs, png, webp, xmp_packet

from conceptforest.datasets.embedded import read_embedded
from conceptforest.datasets.rdf_tags import WrittenTags
from conceptforest.datasets.xmp import read_xmp

TAGS = xmp_packet(["boat", "<script>", "=cmd()"], ["Places|Europe|Paris"], ["People/Anna"])
FOUND = WrittenTags(
    ("boat", "<script>", "=cmd()"), (("Places", "Europe", "Paris"), ("People", "Anna"))
)


@pytest.mark.parametrize("kind", ["Bag", "Seq", "Alt"])
def test_lists_of_every_kind_are_read(kind):
    assert read_xmp(xmp_packet(["a", "b"], ["x|y"], kind=kind)) == WrittenTags(
        ("a", "b"), (("x", "y"),)
    )


def test_subjects_and_both_kinds_of_paths_are_read():
    assert read_xmp(TAGS) == FOUND
    assert read_xmp(TAGS + b"\n" + b"\0" * 100) == FOUND


@pytest.mark.parametrize("mark", ["\ufeff", ""])
@pytest.mark.parametrize("order", ["le", "be"])
def test_packets_in_utf_16_are_read(embedded, order, mark):
    words = ["b\u0101t", "Ćuprija"]  # bytes that are zeros or spaces within letters
    text = mark + xmp_packet(words).decode()
    data = text.encode(f"utf-16-{order}")
    for padding in (b"", b"\0", b"\0" * 8, " \n".encode(f"utf-16-{order}")):
        assert read_xmp(data + padding).tags == tuple(words)
    declared = text.replace("<?xp", '<?xml version="1.0" encoding="UTF-16"?><?xp', 1)
    assert read_xmp(declared.encode(f"utf-16-{order}")).tags == tuple(words)
    assert embedded(webp(xmp=data))[0].tags == tuple(words)


def test_text_that_only_begins_like_utf_16_is_refused():
    with pytest.raises(ValueError, match="its text cannot be decoded"):
        read_xmp(b"\xff\xfe\x00\xd8")
    assert read_xmp(b"\0" + TAGS) == FOUND


def test_values_that_are_no_lists_are_read():
    for form in (' dc:subject="a, b; c"/>', "><dc:subject>a, b; c</dc:subject></rdf:Description>"):
        data = f'<rdf:Description xmlns:rdf="{RDF}" xmlns:dc="{DC}"{form}'
        assert read_xmp(data.encode()).tags == ("a", "b", "c")


def test_commas_within_a_list_stay():
    assert read_xmp(xmp_packet(["Paris, Texas"])).tags == ("Paris, Texas",)


def test_other_lists_are_passed_over():
    data = TAGS.replace(b"dc:subject", b"dc:creator")
    assert read_xmp(data).tags == ()


def test_the_labels_that_digikam_keeps_for_itself_are_left_out():
    paths = ["_Digikam_Internal_Tags_/Color Label Red", "Anna"]
    assert read_xmp(xmp_packet(digikam=paths)).paths == (("Anna",),)


def test_empty_entries_are_left_out():
    assert read_xmp(xmp_packet(["", "  ", "a"])).tags == ("a",)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (laughs(), "it has a DOCTYPE"),
        (b"", "not well-formed"),
        (TAGS[:-100], "not well-formed"),
        (b"<a>" * 10_000, "nested"),
        (b"<a>" + b"x" * 2**22 + b"</a>", "larger than 4,194,304 bytes"),
        (xmp_packet(["x" * 10_001]), "one of its tags has more than 10,000 characters"),
        (xmp_packet(["x"] * 10_001), "it has more than 10,000 tags"),
    ],
)
def test_what_is_no_sound_xmp_is_refused(data, message):
    begin = time.perf_counter()
    with pytest.raises(ValueError, match=message):
        read_xmp(data)
    assert time.perf_counter() - begin < 20  # less than one, or hours


@pytest.fixture
def embedded(tmp_path):
    def read(content):
        (tmp_path / "a.bin").write_bytes(content)
        return read_embedded(tmp_path / "a.bin")

    return read


@pytest.mark.parametrize(
    "content",
    [jpeg(xmp=TAGS), png(xmp=TAGS), png(xmp=TAGS, packed=True), webp(xmp=TAGS)],
    ids=["jpeg", "png", "packed png", "webp"],
)
def test_packets_within_pictures_are_found(embedded, content):
    assert embedded(content) == (FOUND, None)


def test_xmp_and_iptc_are_joined(embedded):
    content = jpeg(xmp=xmp_packet(["a"]), iptc=iptc_block([b"b"]))
    assert embedded(content) == (WrittenTags(("a", "b")), None)


@pytest.mark.parametrize("content", [jpeg(), png(), webp(), b"", b"GIF89a", b"\xff\xd8\xff\xd9"])
def test_files_without_tags_have_none(embedded, content):
    assert embedded(content) == (WrittenTags(), None)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (jpeg(xmp=TAGS)[:300], "it ends within its header"),
        (b"\xff\xd8", "its header is torn"),
        (b"\xff\xd8\xff\xe1\0\0", "its header is torn"),
        (b"\xff\xd8\x00\xe1\0\5abc", "its header is torn"),
        (jpeg(xmp=b"<a>"), "it is not well-formed XML (no element found: line 1, column 3)"),
        (png(xmp=TAGS)[:150], "it ends within its header"),
        (png(xmp=TAGS).replace(b"xmp\0\0", b"xmp\0\1"), "its XMP cannot be unpacked"),
        (png(xmp=bytes(2**22 + 5), packed=True), "its XMP unpacks to more than 4,194,304 bytes"),
        (b"\x89PNG\r\n\x1a\n\xff\xff\xff\xffiTXtXML:com.adobe.xmp\0", "is larger than 4,194,304"),
        (webp(xmp=TAGS)[:-9], "it ends within its header"),
        (jpeg(xmp=laughs(5)), "it has a DOCTYPE"),
    ],
)
def test_damaged_parts_give_no_tags_and_a_reason(embedded, content, problem):
    tags, why = embedded(content)
    assert tags == WrittenTags()
    assert problem in why


def test_sound_parts_count_beside_damaged_ones(embedded):
    tags, problem = embedded(jpeg(xmp=b"<a>", iptc=iptc_block([b"b"])))
    assert tags.tags == ("b",)
    assert "not well-formed" in problem


def test_a_long_header_is_not_read_to_its_end(embedded):
    segment = b"\xff\xe1\xff\xff" + bytes(65533)
    assert embedded(b"\xff\xd8" + segment * 70)[1] == "its header is too long"


@settings(deadline=None, max_examples=200)
@given(
    sound=st.sampled_from([jpeg(xmp=TAGS, iptc=iptc_block([b"a"])), png(xmp=TAGS), webp(xmp=TAGS)]),
    place=st.integers(0, 1200),
    data=st.binary(max_size=20),
    cut=st.booleans(),
)
def test_damage_is_found_or_harmless(tmp_path_factory, sound, place, data, cut):
    place %= len(sound)
    content = sound[:place] + data + (b"" if cut else sound[place + len(data) :])
    path = tmp_path_factory.getbasetemp() / "mutated"
    path.write_bytes(content)
    tags, problem = read_embedded(path)
    assert isinstance(tags, WrittenTags)
    assert problem is None or problem
