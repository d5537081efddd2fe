"""The label in each format: round trips, read by others too, and the sound stays as it was."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from app.marks import flac, id3, label, ogg, riff, vorbis_comment
from app.marks.errors import ContainerError

VALUE = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E, exclude_characters='"\\'), max_size=80)
MADE = label.make("VoxCPM-Studio", "0f8e1f0c", "ab" * 32)


@given(VALUE, VALUE, VALUE)
def test_a_label_comes_back(producer: str, number: str, digest: str) -> None:
    made = label.make(producer, number, digest)
    assert label.parse(made.text()) == made
    assert made.covers(digest) == "sound"
    assert made.covers(digest + "0") == ("label" if not digest else "nothing")
    assert list(json.loads(made.text())) == [
        *("Label", "ContentProducer", "ProduceID", "ReservedCode1", "ContentPropagator", "PropagateID", "ReservedCode2")
    ]


@pytest.mark.parametrize("bad", ["with space", 'quote"', "back\\slash", "ü", "new\nline"])
def test_values_that_the_standard_does_not_allow(bad: str) -> None:
    with pytest.raises(ValueError, match="ASCII"):
        label.make(bad, "1", "")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"Label":"1 "}', "[" * 5000, '{"Label":' * 3000])
def test_what_is_no_label(text: str) -> None:
    with pytest.raises(ContainerError):
        label.parse(text)


def test_every_format_carries_it_and_keeps_its_sound(written: tuple[Path, str], tmp_path: Path) -> None:
    path, kind = written
    with path.open("rb") as file:
        assert label.kind_of(file) == kind
    assert label.read(path, kind) is None
    digest = label.sound_digest(path, kind)
    target = tmp_path / "labelled"
    made = label.make("VoxCPM-Studio", "1-2", digest)
    label.write(path, target, kind, made)
    found = label.read(target, kind)
    assert found == made
    assert found.covers(label.sound_digest(target, kind)) == "sound"
    before, rate = soundfile.read(path, dtype="float32")
    after, same = soundfile.read(target, dtype="float32")
    assert rate == same and np.array_equal(before, after)
    with pytest.raises(ContainerError, match="already"):
        label.write(target, tmp_path / "twice", kind, made)


@pytest.mark.skipif(shutil.which("ffprobe") is None, reason="ffprobe (Debian package ffmpeg) is not installed")
def test_another_program_reads_it(written: tuple[Path, str], tmp_path: Path) -> None:
    path, kind = written
    target = tmp_path / f"labelled.{kind}"
    label.write(path, target, kind, MADE)
    told = subprocess.run(
        ["ffprobe", "-v", "error", "-show_entries", "format_tags:stream_tags:stream=codec_type", "-of", "json", target],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stderr == ""
    said = json.loads(told.stdout)
    tags = {**said.get("format", {}).get("tags", {}), **said["streams"][0].get("tags", {})}
    if kind == "wav":  # ffprobe shows no chunks of others; it has to read past ours
        assert said["streams"][0]["codec_type"] == "audio"
    else:
        assert tags["AIGC"] == MADE.text()


def test_another_reader_finds_the_chunk(tmp_path: Path) -> None:
    path, target = tmp_path / "a.wav", tmp_path / "b.wav"
    soundfile.write(path, np.zeros(7), 8000, subtype="PCM_U8")
    label.write(path, target, "wav", MADE)
    data = target.read_bytes()
    assert int.from_bytes(data[4:8], "little") == len(data) - 8
    assert len(data) % 2 == 0
    # The standard library's chunk arithmetic (wave) skips what it does not know only if the sizes are right.
    import wave

    with wave.open(str(target)) as file:
        assert file.getnframes() == 7
    assert data[data.index(b"AIGC") + 8 :].rstrip(b"\0").decode() == MADE.text()


@given(st.lists(st.binary(max_size=40), max_size=4), st.text(max_size=300))
def test_chunks_of_any_size_stay(contents: list[bytes], text: str) -> None:
    text = text.replace("\0", "")
    body = b"".join(b"junk" + len(c).to_bytes(4, "little") + c + b"\0" * (len(c) % 2) for c in contents)
    data = b"RIFF" + (len(body) + 4).to_bytes(4, "little") + b"WAVE" + body
    target = io.BytesIO()
    riff.add_label(io.BytesIO(data), target, text)
    assert riff.read_label(target) == text
    kept = [chunk for chunk in riff.chunks(target) if chunk.name == b"junk"]
    assert [target.getvalue()[c.start : c.start + c.size] for c in kept] == contents
    assert int.from_bytes(target.getvalue()[4:8], "little") == len(target.getvalue()) - 8


def test_a_wav_of_a_stream_is_read_to_its_end() -> None:
    stream = b"RIFF\xff\xff\xff\xffWAVE" + riff.label_chunk(MADE.text()) + b"data\xff\xff\xff\xff" + b"\1\2" * 9
    assert riff.read_label(io.BytesIO(stream)) == MADE.text()
    assert list(riff.chunks(io.BytesIO(stream)))[-1].size == 18


def test_a_wav_that_would_be_too_long_is_refused() -> None:
    class Sparse(io.BytesIO):
        """4 GiB of which only the head exists."""

        length = (1 << 32) - 200

        def seek(self, place: int, whence: int = 0) -> int:
            return super().seek(self.length if whence == 2 else place)

    head = b"RIFF\0\0\0\0WAVEdata" + (Sparse.length - 20).to_bytes(4, "little")
    with pytest.raises(ContainerError, match="4 GiB"):
        riff.add_label(Sparse(head), io.BytesIO(), "x" * 300)


@given(st.binary(max_size=40), st.lists(st.text(max_size=60), max_size=5))
def test_comments_come_back(vendor: bytes, comments: list[str]) -> None:
    built = vorbis_comment.build(vendor, comments) + b"\1behind"
    assert vorbis_comment.parse(built) == (vendor, comments, b"\1behind")


@given(st.text(min_size=1, max_size=20_000))
def test_the_tag_of_an_mp3_comes_back(text: str) -> None:
    text = text.replace("\0", "").replace("\ufeff", "")
    sound = b"\xff\xfb\x90\x00" + bytes(100)
    target = io.BytesIO()
    id3.add_label(io.BytesIO(sound), target, text)
    assert id3.read_label(target) == text
    assert id3.length(target) == len(target.getvalue()) - len(sound)
    assert id3.sound_digest(target) == id3.sound_digest(io.BytesIO(sound))


def test_a_tag_of_an_older_version_is_read() -> None:
    content = b"\x01" + "AIGC\0".encode("utf-16") + '{"Label":"1"}'.encode("utf-16")
    frame = b"TXXX" + len(content).to_bytes(4, "big") + b"\0\0" + content
    tag = b"ID3\x03\0\0" + bytes([0, 0, len(frame) >> 7, len(frame) & 0x7F]) + frame
    assert id3.read_label(io.BytesIO(tag + b"\xff\xfb\x90\x00")) == '{"Label":"1"}'


@given(st.integers(0, 70_000), st.integers(0, 5))
def test_an_ogg_of_any_comment_length_is_laid_out_again(length: int, pages: int) -> None:
    """The comments may fill many pages; the pages of sound are then numbered anew."""
    tags = b"OpusTags" + vorbis_comment.build(b"maker", ["TITLE=" + "t" * length])
    head = ogg.Page(2, 0, 7, 0, bytes([19]), b"OpusHead" + bytes(11))
    out, number = io.BytesIO(), 0
    out.write(head.coded())
    for lacing, content, bits in ogg._laid_out([tags]):
        number += 1
        out.write(ogg.Page(bits & 1, 0 if bits & 2 else -1, 7, number, lacing, content).coded())
    for page in range(pages):
        number += 1
        out.write(ogg.Page(4 * (page == pages - 1), 960 * page, 7, number, bytes([9]), bytes([page] * 9)).coded())
    target = io.BytesIO()
    ogg.add_label(out, target, MADE.text())
    assert ogg.read_label(target) == MADE.text()
    assert ogg.sound_digest(target) == ogg.sound_digest(out)
    target.seek(0)
    read = list(ogg.pages(target))
    assert [page.number for page in read] == list(range(len(read)))
    assert [page.content for page in read[len(read) - pages :]] == [bytes([page] * 9) for page in range(pages)]


@pytest.mark.parametrize("reader", [riff.read_label, flac.read_label, id3.read_label, ogg.read_label])
@given(data=st.data())
def test_damaged_files_are_refused_or_read(reader: object, data: st.DataObject) -> None:
    heads = (b"RIFF\0\0\0\0WAVE", b"fLaC", b"ID3\x04\0\0\0\0\1\0TXXX", b"ID3\x03\0\xc0\0\0\1\0", b"OggS\0")
    head = data.draw(st.sampled_from(heads))
    file = io.BytesIO(head + data.draw(st.binary(max_size=200)))
    try:
        label.kind_of(file)
        reader(file)  # type: ignore[operator]
        id3.length(file)
    except ContainerError:
        pass


@given(place=st.floats(0, 1, exclude_max=True), flip=st.integers(1, 255))
def test_one_changed_byte_of_an_ogg_is_noticed(place: float, flip: int) -> None:
    page = ogg.Page(2, 5, 7, 0, bytes([50]), bytes(range(50))).coded()
    data = bytearray(page)
    data[int(place * len(data))] ^= flip
    with pytest.raises(ContainerError):
        list(ogg.pages(io.BytesIO(bytes(data))))
