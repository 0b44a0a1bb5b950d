"""XML within bounds: what is sound is read, and no file costs more than its size allows."""

import contextlib
import io
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.datasets.media_files import laughs
from tests.memory import peak_growth

from conceptforest.datasets import xml_safely
from conceptforest.datasets.xml_safely import EndReading, XmlError, read_xml

HANGS = 20  # seconds; what is refused takes less than one, and a bomb would take hours


class Record:
    def __init__(self, stop=""):
        self.starts, self.texts, self.ends, self.stop = [], [], [], stop

    def start(self, name, attributes):
        self.starts.append((name, dict(attributes)))

    def text(self, data):
        self.texts.append(data)

    def end(self, name):
        self.ends.append(name)
        if name[1] == self.stop:
            raise EndReading


def read(data, *, doctype=True, stop="", **limits):
    record = Record(stop)
    read_xml(io.BytesIO(data), record, doctype=doctype, **limits)
    return record


def assert_refused_quickly(data, message, **options):
    begin = time.perf_counter()
    with pytest.raises(XmlError, match=message):
        read(data, **options)
    assert time.perf_counter() - begin < HANGS


def test_namespaces_are_resolved_where_they_hold():
    found = read(b'<a xmlns="u:1" xmlns:p="u:2"><p:b xmlns:p="u:3" p:k="1" k="2"/><p:c/></a>')
    assert found.starts == [
        (("u:1", "a"), {}),
        (("u:3", "b"), {("u:3", "k"): "1", ("", "k"): "2"}),
        (("u:2", "c"), {}),
    ]
    assert found.ends == [("u:3", "b"), ("u:2", "c"), ("u:1", "a")]


def test_a_prefix_that_nobody_declared_has_no_namespace():
    assert read(b"<p:a q:k='1'/>").starts == [(("", "a"), {("", "k"): "1"})]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "cp1252"])
def test_text_comes_in_the_encoding_that_is_declared(encoding):
    declared = encoding.removesuffix("-sig")
    text = f'<?xml version="1.0" encoding="{declared}"?><!-- x > y --><a>Käse</a>'
    assert "".join(read(text.encode(encoding)).texts) == "Käse"


def test_reading_stops_where_the_reader_says():
    file = io.BytesIO(b"<a><b/>" + b" " * 10_000_000 + b"not closed <")
    read_xml(file, Record(stop="b"))
    assert file.tell() < 100_000


def test_short_entities_are_expanded_where_a_doctype_is_allowed():
    data = b'<!DOCTYPE a [<!ENTITY ns "urn:x"><!ATTLIST a k CDATA "d">]><a xmlns="&ns;">&ns;</a>'
    found = read(data)
    assert found.starts == [(("urn:x", "a"), {})]
    assert "".join(found.texts) == "urn:x"


def test_no_doctype_is_taken_where_none_belongs():
    assert_refused_quickly(b"<!DOCTYPE a><a/>", "it has a DOCTYPE", doctype=False)
    late = b"<?x y?>\n<!-- > -->" + b"<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>"
    assert_refused_quickly(late, "it has a DOCTYPE", doctype=False)
    assert_refused_quickly(
        '<?xml version="1.0" encoding="utf-16"?><!DOCTYPE a><a/>'.encode("utf-16"),
        "it has a DOCTYPE",
        doctype=False,
    )


@pytest.mark.parametrize("doctype", [False, True])
def test_a_billion_laughs_are_refused(doctype):
    assert_refused_quickly(laughs(), "DOCTYPE|more than a short plain text", doctype=doctype)


@pytest.mark.parametrize(
    "declaration",
    [
        '<!ENTITY x SYSTEM "file:///etc/passwd">',
        '<!ENTITY x PUBLIC "a" "http://localhost/">',
        '<!ENTITY % x "text">',
        '<!ENTITY % x SYSTEM "http://localhost/x.dtd"> %x;',
        '<!NOTATION n SYSTEM "n"><!ENTITY x SYSTEM "y" NDATA n>',
    ],
)
def test_entities_that_are_no_plain_text_are_refused(declaration):
    data = f"<!DOCTYPE a [{declaration}]><a>&x;</a>".encode()
    assert_refused_quickly(data, "its entity 'x' does not stand for plain text")


@pytest.mark.parametrize("value", ["x" * 201, "&amp;y;", "<b/>"])
def test_entities_that_are_more_than_a_short_text_are_refused(value):
    data = f'<!DOCTYPE a [<!ENTITY x "{value}">]><a>&x;</a>'.encode()
    assert_refused_quickly(data, "its entity 'x' is more than a short plain text")


@pytest.mark.parametrize("wrap", ["<a>{}</a>", "<a k='{}'/>", "<a>" + "<b k='{}'/>" * 3 + "</a>"])
def test_many_short_entities_do_not_add_up(wrap):
    entity = f'<!DOCTYPE a [<!ENTITY x "{"y" * 200}">]>'
    data = (entity + wrap.replace("{}", "&x;" * 500_000)).encode()
    assert_refused_quickly(data, "grow to far more text|longer than 65,536 bytes")


def test_defaults_of_attributes_do_not_add_up():
    names = "".join(f'k{k} CDATA "{"y" * 40}" ' for k in range(500))
    data = f"<!DOCTYPE a [<!ATTLIST b {names}>]><a>{'<b/>' * 20_000}</a>".encode()
    begin = time.perf_counter()
    assert all(not attributes for _, attributes in read(data).starts)
    assert time.perf_counter() - begin < HANGS
    many = "".join(f"<!ATTLIST b k{k} CDATA '1'>" for k in range(600))
    assert_refused_quickly(f"<!DOCTYPE a [{many}]><a/>".encode(), "declares more than 512 names")


def test_long_namespaces_are_not_written_out_again():
    space = "u" * 1_000_000
    attributes = " ".join(f"p:k{k}=''" for k in range(20_000))
    begin = time.perf_counter()
    read(f"<r><a xmlns:p='{space}'>{f'<p:b {attributes}/>' * 5}</a></r>".encode())
    assert time.perf_counter() - begin < HANGS


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"<a>" * 300 + b"</a>" * 300, "nested more than 256 deep"),
        (b"<a>" * 3_000_000, "nested more than 256 deep"),
        (b"<r><a k='" + b"x" * 12_000_000 + b"'/></r>", "longer than 8,388,608 bytes"),
        (b"<a><!--" + b"x" * 12_000_000 + b"--></a>", "longer than 8,388,608 bytes"),
        (b"<a k='" + b"x" * 100_000 + b"'/>", "there is no element in its first 65,536 bytes"),
        (b"<!--" + b">" * 100_000 + b"--><a/>", "there is no element in its first 65,536 bytes"),
        (b" " * 100_000 + b"<a/>", "there is no element in its first 65,536 bytes"),
        (b"", "not well-formed"),
        (b"text", "not well-formed"),
        (b"<a><b></a>", "not well-formed"),
        (b"<a>&undeclared;</a>", "not well-formed"),
        (b'<?xml version="1.0" encoding="no such"?><a/>', "cannot be decoded|not well-formed"),
        (b'<?xml version="1.0" encoding="unknown-9"?><a/>', "cannot be decoded|not well-formed"),
        (b'<?xml version="1.0" encoding="big5"?><a/>', "cannot be decoded"),
    ],
)
def test_what_is_too_much_or_no_xml_is_refused(data, message):
    assert_refused_quickly(data, message)


def test_too_many_elements_are_refused(monkeypatch):
    monkeypatch.setattr(xml_safely, "MAX_ELEMENTS", 1000)
    assert len(read(b"<a>" + b"<b/>" * 999 + b"</a>").starts) == 1000
    assert_refused_quickly(b"<a>" + b"<b/>" * 1000 + b"</a>", "it has more than 1,000 elements")


def test_a_file_over_the_limit_is_refused():
    assert_refused_quickly(b"<a>" + b"x" * 3_000_000, "larger than 1,000,000", max_bytes=1_000_000)
    assert xml_safely.MAX_BYTES == 2**26


def test_bombs_take_no_memory():
    before = """
    import io
    from conceptforest.datasets.rdf_tags import RdfReader
    from conceptforest.datasets.xml_safely import XmlError, read_xml
    from tests.datasets.media_files import laughs
    quadratic = b'<!DOCTYPE a [<!ENTITY x "' + b"y" * 200 + b'">]><a k="' + b"&x;" * 2_000_000
    """
    work = """
    for bomb in (laughs(), quadratic):
        try:
            read_xml(io.BytesIO(bomb), RdfReader(), doctype=True)
        except XmlError:
            continue
        raise AssertionError
    """
    assert peak_growth(before, work) < 50_000_000


@settings(deadline=None, max_examples=150)
@given(data=st.binary(max_size=200), place=st.integers(0, 200), cut=st.integers(0, 40))
def test_damage_is_found_or_harmless(data, place, cut):
    sound = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "y">]><a b="&x;"><c>&x;</c><!--d--></a>'
    for content in (data, sound[:place] + data[:cut] + sound[place + cut :]):
        with contextlib.suppress(XmlError):
            read(content)
