"""Opening videos: three containers, local data, bounded frames."""

import os

import av
import numpy as np
import pytest
from tests.features.clips import noise_frames, numbered_frames, real_clip, write_clip

from conceptforest.features import video_file
from conceptforest.features.decode import UnreadableError
from conceptforest.features.video_file import open_video


def refusal(path):
    with pytest.raises(UnreadableError) as caught, open_video(path) as video:
        list(video.frames())
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "codec"),
    [
        ("a.mp4", "libx264"),
        ("a.mov", "mpeg4"),
        ("a.m4v", "mpeg4"),
        ("a.mkv", "ffv1"),
        ("a.webm", "libvpx"),
        ("a.avi", "mpeg4"),
        ("wrong.avi.mp4", "mjpeg"),
    ],
)
def test_all_containers_are_decoded(tmp_path, name, codec):
    path = tmp_path / name
    pixels = {"pix_fmt": "yuvj420p"} if codec == "mjpeg" else {}
    with av.open(str(path), "w", format="avi" if "avi" in name else None) as container:
        stream = container.add_stream(codec, rate=25)
        stream.width, stream.height = 48, 32
        stream.pix_fmt = pixels.get("pix_fmt", "yuv420p")
        for picture in numbered_frames(9):
            color = np.repeat(picture[..., None], 3, axis=2)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(color, format="rgb24")))
        container.mux(stream.encode())
    with open_video(path) as video:
        assert [(frame.width, frame.height) for frame in video.frames()] == [(48, 32)] * 9


def test_a_playlist_named_like_a_video_is_not_followed(tmp_path):
    target = real_clip("carphone_pristine")
    lists = {
        "m3u.mp4": f"#EXTM3U\n#EXTINF:4,\nfile:{target}\n#EXT-X-ENDLIST\n",
        "concat.mp4": f"ffconcat version 1.0\nfile '{target}'\n",
        "address.mkv": "http://127.0.0.1:9/a.mp4\n",
        "sdp.avi": "v=0\no=- 0 0 IN IP4 127.0.0.1\nm=video 9 RTP/AVP 96\n",
    }
    for name, text in lists.items():
        path = tmp_path / name
        path.write_text(text)
        assert refusal(path) == "it is no MP4, QuickTime, Matroska, WebM or AVI file"


def test_a_playlist_behind_the_first_bytes_of_a_container_is_not_followed(tmp_path):
    target = real_clip("carphone_pristine")
    for head in (b"\x00\x00\x00\x18ftypisom", b"\x1a\x45\xdf\xa3", b"RIFF\x00\x00\x00\x00AVI "):
        path = tmp_path / "mixed.mp4"
        path.write_bytes(head + f"\n#EXTM3U\n#EXTINF:4,\nfile:{target}\n".encode())
        try:
            with open_video(path) as video:
                assert list(video.frames()) == []
        except UnreadableError as error:
            assert "it " in str(error)  # noqa: PT017


def test_a_name_that_looks_like_an_address_is_only_a_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert refusal("http://127.0.0.1:9/a.mp4") == "it cannot be opened (No such file or directory)"
    assert refusal("concat:a.mp4|b.mp4") == "it cannot be opened (No such file or directory)"


def test_each_of_the_lists_alone_keeps_a_playlist_from_being_followed(tmp_path, monkeypatch):
    path = tmp_path / "list.mp4"
    path.write_text(f"ffconcat version 1.0\nfile 'file:{real_clip('carphone_pristine')}'\n")
    monkeypatch.setattr(video_file, "_kind", lambda _: "concat")
    allowed = dict(video_file._WHITELISTS)
    monkeypatch.setattr(video_file, "_WHITELISTS", {"safe": "0", "protocol_whitelist": "file"})
    with open_video(path) as video:  # what FFmpeg does when it is let
        assert len(list(video.frames())) == 120
    for name, value in allowed.items():
        lists = {"safe": "0", "protocol_whitelist": "file", name: value}
        monkeypatch.setattr(video_file, "_WHITELISTS", lists)
        assert refusal(path).startswith("it is damaged")


def test_files_without_video_are_refused(tmp_path):
    path = tmp_path / "sound.mkv"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("pcm_s16le", rate=8000)
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 800), np.int16), layout="mono")
        frame.sample_rate = 8000
        container.mux(stream.encode(frame))
        container.mux(stream.encode())
    assert refusal(path) == "it holds no video"


def test_damaged_and_missing_files_are_refused(tmp_path):
    whole = write_clip(tmp_path / "whole.mkv", noise_frames(5)).read_bytes()
    cut = tmp_path / "cut.mkv"
    cut.write_bytes(whole[:60])
    assert refusal(cut).startswith("it is damaged") or refusal(cut) == "it holds no video"
    empty = tmp_path / "empty.mp4"
    empty.touch()
    assert refusal(empty) == "it is no MP4, QuickTime, Matroska, WebM or AVI file"
    assert refusal(tmp_path) == "it is not a regular file"
    os.mkfifo(tmp_path / "pipe.mp4")
    assert refusal(tmp_path / "pipe.mp4") == "it is not a regular file"


def test_large_frames_are_refused_before_they_are_decoded(tmp_path, monkeypatch):
    path = write_clip(tmp_path / "a.mp4", noise_frames(3, 64, 96))
    monkeypatch.setattr(video_file, "MAX_PIXELS", 64 * 96 - 1)
    decoded = []
    monkeypatch.setattr(video_file.Video, "frames", lambda _: decoded.append(1) or iter(()))
    assert refusal(path) == "its frames are 96 x 64 pixels; up to 6,143 pixels are decoded"
    assert not decoded


def test_frames_larger_than_the_file_says_are_not_decoded(tmp_path, monkeypatch):
    path = write_clip(tmp_path / "a.mkv", noise_frames(3, 64, 96))
    data = path.read_bytes()
    # The width in the track's head: element B0, one byte long.
    place = data.index(b"\xb0\x81\x60")
    path.write_bytes(data[: place + 2] + b"\x10" + data[place + 3 :])
    monkeypatch.setattr(video_file, "MAX_PIXELS", 64 * 96 - 1)
    try:
        with open_video(path) as video:
            assert list(video.frames()) == []
    except UnreadableError as error:
        assert "pixels" in str(error)  # noqa: PT017


def test_without_pyav_the_error_says_what_to_install(tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "av", None)
    with (
        pytest.raises(ImportError, match=r'pip install "conceptforest\[video\]"'),
        open_video(tmp_path / "a.mp4"),
    ):
        pass
