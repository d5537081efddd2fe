"""Bundles: what is written is read back, every changed byte shows, and whatever an enemy packs is refused."""

import hashlib
import io
import os
import random
import stat
import struct
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core import canonical
from app.core.safe_zip import MANIFEST, BundleError, Limits, check_name, read_bundle, write_bundle
from app.core.store.errors import StoreAccessError

NAMES = st.from_regex(r"[a-z][a-z0-9_-]{0,8}(/[a-z][a-z0-9_-]{0,8}){0,2}\.(wav|json)", fullmatch=True)
SMALL = Limits(entries=4, total_bytes=10_000, ratio=100, manifest_bytes=2000, free=1000)


def crafted(path, entries, *, manifest=None, kind="test", seal=True, change=lambda info: None, packed=False):
    """A zip as an enemy writes it: any names, any manifest, with a right hash at the end."""
    described = {
        name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in entries
        if name != MANIFEST
    }
    raw = {"format": "voxcpm-bundle", "kind": kind, "version": 1, "entries": described}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED) as archive:
        archive.comment = b"sha256:" + b"0" * 64
        for name, data in [(MANIFEST, canonical.dump(raw) if manifest is None else manifest), *entries]:
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
            change(info)
            archive.writestr(info, data)
    path.write_bytes(sealed(out.getvalue()) if seal else out.getvalue())
    return path


def sealed(data):
    return data[:-64] + hashlib.sha256(data[:-64]).hexdigest().encode()


def refused(path, match=None, limits=SMALL):
    with pytest.raises(BundleError, match=match):
        read_bundle(path, kind="test", limits=limits)


@settings(max_examples=60, deadline=None)
@given(entries=st.dictionaries(NAMES, st.binary(max_size=300), max_size=6))
def test_what_is_written_is_read_back(tmp_path_factory, entries):
    folder = tmp_path_factory.mktemp("bundle")
    if len({name.casefold() for name in entries}) != len(entries) or MANIFEST in entries:
        return
    digest = write_bundle(folder / "one.zip", entries, kind="test")
    assert hashlib.sha256((folder / "one.zip").read_bytes()).hexdigest() == digest
    assert write_bundle(folder / "two.zip", entries, kind="test") == digest  # the same bytes, whenever it is made
    with read_bundle(folder / "one.zip", kind="test") as bundle:
        assert {name: bundle.read(name) for name in bundle} == entries and bundle.sha256 == digest
        for number, (name, data) in enumerate(entries.items()):
            bundle.extract(name, folder / str(number))
            assert (folder / str(number)).read_bytes() == data
    assert not list(folder.glob(".*"))


def test_files_are_packed_as_they_are(tmp_path):
    (tmp_path / "sound.wav").write_bytes(os.urandom(200_000))
    write_bundle(tmp_path / "b.zip", {"audio/a.wav": tmp_path / "sound.wav", "note.json": b"{}"}, kind="test")
    with read_bundle(tmp_path / "b.zip", kind="test") as bundle:
        assert bundle.read("audio/a.wav") == (tmp_path / "sound.wav").read_bytes()
        with pytest.raises(KeyError):
            bundle.read(MANIFEST)
        with pytest.raises(FileExistsError):
            bundle.extract("note.json", tmp_path / "sound.wav")
    with zipfile.ZipFile(tmp_path / "b.zip") as ordinary:  # other programs open it too
        assert ordinary.testzip() is None


def test_an_older_file_stays_when_writing_fails(tmp_path):
    write_bundle(tmp_path / "b.zip", {"a.json": b"1"}, kind="test")
    before = (tmp_path / "b.zip").read_bytes()
    with pytest.raises(StoreAccessError, match="is not there"):
        write_bundle(tmp_path / "b.zip", {"a.wav": tmp_path / "none.wav"}, kind="test")
    with pytest.raises(BundleError, match="Leave out some"):
        write_bundle(tmp_path / "b.zip", {"a.wav": bytes(10_001)}, kind="test", limits=SMALL)
    assert (tmp_path / "b.zip").read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["b.zip"]


def test_a_thousand_changed_bytes_are_all_detected(tmp_path):
    path = tmp_path / "b.zip"
    write_bundle(path, {"audio/a.wav": random.Random(1).randbytes(900), "request.json": b'{"a":1}'}, kind="test")
    data = path.read_bytes()
    chooser = random.Random(42)
    # The structure is small beside the sound: half of the changes go there.
    structure = [i for i in range(len(data)) if not 400 < i < 1300]
    for number in range(1000):
        place = chooser.choice(structure) if number % 2 else chooser.randrange(len(data))
        changed = bytearray(data)
        changed[place] ^= chooser.randrange(1, 256)
        path.write_bytes(changed)
        refused(path)
    for length in range(0, len(data), 37):
        path.write_bytes(data[:length])
        refused(path)
    path.write_bytes(data + b"x")
    refused(path)


def test_a_change_with_a_new_hash_at_the_end_gets_no_further_than_the_list(tmp_path):
    path = tmp_path / "b.zip"
    entries = {"audio/a.wav": random.Random(1).randbytes(900), "request.json": b'{"a":1}'}
    write_bundle(path, entries, kind="test")
    data = path.read_bytes()
    chooser = random.Random(43)
    harmless = 0
    for _ in range(1000):
        changed = bytearray(data)
        changed[chooser.randrange(len(data) - 71)] ^= chooser.randrange(1, 256)
        path.write_bytes(sealed(bytes(changed)))
        try:
            with read_bundle(path, kind="test") as bundle:
                assert {name: bundle.read(name) for name in bundle} == entries  # a date or an attribute
                harmless += 1
        except BundleError:
            pass
    assert harmless < 300


@pytest.mark.parametrize(
    "name",
    [
        "../x",
        "/etc/passwd",
        "a/../../x",
        "a//b",
        "",
        ".",
        "..",
        ".hidden",
        "a\\b",
        "C:/x",
        "a/b/c/d",
        "nul",
        "CON.wav",
        "a.",
        *("a b", "ä", "a\0b", "x" * 65, "a/", "com1", "aux.json", "~/x", "a\nb"),
    ],
    ids=repr,
)
def test_names_that_reach_elsewhere_are_refused(tmp_path, name):
    with pytest.raises(BundleError):
        check_name(name)
    with pytest.raises(BundleError):
        write_bundle(tmp_path / "b.zip", {name: b"1"}, kind="test")
    if name and "\0" not in name:
        refused(crafted(tmp_path / "c.zip", [(name, b"1")]))


def test_links_folders_and_locked_entries_are_refused(tmp_path):
    def link(info):
        if info.filename == "a.wav":
            info.external_attr = (stat.S_IFLNK | 0o777) << 16

    refused(crafted(tmp_path / "b.zip", [("a.wav", b"/etc/passwd")], change=link), "link or a folder")
    path = crafted(tmp_path / "c.zip", [("a.wav", b"12345")])
    data = bytearray(path.read_bytes())
    at = data.rfind(b"PK\x01\x02")
    data[at + 8] |= 1  # "encrypted"
    path.write_bytes(sealed(bytes(data)))
    refused(path, "locked")
    data[at + 8] ^= 1
    data[at + 10 : at + 12] = struct.pack("<H", zipfile.ZIP_LZMA)
    path.write_bytes(sealed(bytes(data)))
    refused(path, "unknown way")


def test_more_than_the_limits_is_refused(tmp_path):
    path = tmp_path / "b.zip"
    refused(crafted(path, [(f"{n}.wav", b"1") for n in range(4)]), "at most 4")
    crafted(path, [(f"{n}.wav", b"1") for n in range(3)])
    read_bundle(path, kind="test", limits=SMALL).close()
    refused(crafted(path, [("a.wav", bytes(6000)), ("b.wav", bytes(5000))], packed=True), "unpacks to")
    refused(crafted(path, [("a.wav", os.urandom(60_000))]), "bytes; a bundle has at most")
    refused(crafted(path, [("a.wav", bytes(9999))], packed=True, manifest=b"x" * 3000), "larger than it says")


def test_a_bomb_is_refused_whatever_its_headers_say(tmp_path):
    path = tmp_path / "b.zip"
    bomb = bytes(50 << 20)
    limits = Limits()
    refused(crafted(path, [("a.wav", bomb)], packed=True), "unpacks to 52428800", Limits(total_bytes=1 << 20))
    refused(crafted(path, [("a.wav", bomb)], packed=True), "packed more than 100 times", limits)
    lie = {"a.wav": {"size": 10, "sha256": hashlib.sha256(bomb).hexdigest()}}
    raw = canonical.dump({"format": "voxcpm-bundle", "kind": "test", "version": 1, "entries": lie})
    refused(crafted(path, [("a.wav", bomb)], packed=True, manifest=raw), "larger than it says", limits)
    honest = random.Random(3).randbytes(5000) * 60  # 60 times is allowed
    crafted(path, [("a.wav", honest)], packed=True)
    with read_bundle(path, kind="test") as bundle:
        assert bundle.read("a.wav") == honest


def test_the_list_and_the_entries_must_be_the_same(tmp_path):
    path = tmp_path / "b.zip"
    one = {"size": 1, "sha256": hashlib.sha256(b"1").hexdigest()}

    def manifest(entries, **changes):
        raw = {"format": "voxcpm-bundle", "kind": "test", "version": 1, "entries": entries} | changes
        return canonical.dump(raw)

    good = [("a.wav", b"1")]
    read_bundle(crafted(path, good, manifest=manifest({"a.wav": one})), kind="test").close()
    refused(crafted(path, good, manifest=manifest({})), "not those")
    refused(crafted(path, good, manifest=manifest({"a.wav": one, "b.wav": one})), "not those")
    refused(crafted(path, good, manifest=manifest({"a.wav": one | {"size": 2}})), "was changed")
    refused(crafted(path, good, manifest=manifest({"a.wav": one | {"sha256": "0" * 64}})), "was changed")
    refused(crafted(path, good, manifest=manifest({"a.wav": one | {"size": True}})), "nothing sensible")
    refused(crafted(path, good, manifest=manifest({"a.wav": one | {"size": -1}})), "nothing sensible")
    refused(crafted(path, good, manifest=manifest({"a.wav": one | {"more": 1}})), "nothing sensible")
    refused(crafted(path, good, manifest=manifest([])), "damaged")
    refused(crafted(path, good, manifest=manifest({"a.wav": one}, kind="other")), "holds 'other'")
    refused(crafted(path, good, manifest=manifest({"a.wav": one}, version=2)), "Update")
    refused(crafted(path, good, manifest=manifest({"a.wav": one}, format="zip")), "not a bundle")
    refused(crafted(path, good, manifest=b"[]"), "not a bundle")
    refused(crafted(path, good, manifest=b'{"a": 1}'), "cannot be read")
    with pytest.warns(UserWarning, match="Duplicate"):
        refused(crafted(path, [*good, ("a.wav", b"2")]), "same name")
    refused(crafted(path, [*good, ("A.wav", b"1")]), "same name")
    with pytest.warns(UserWarning, match="Duplicate"):
        refused(crafted(path, [*good, (MANIFEST, b"{}")]))


def test_ordinary_and_repacked_zips_are_refused_with_advice(tmp_path):
    path = tmp_path / "b.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.wav", b"1")
    refused(path, "original file")
    refused(crafted(path, [("a.wav", b"1")], seal=False), "on its way")
    path.write_bytes(b"")
    refused(path, "original file")
    with pytest.raises(StoreAccessError, match="is not there"):
        read_bundle(tmp_path / "none.zip", kind="test")


@settings(max_examples=150, deadline=None)
@given(data=st.binary(max_size=400), middle=st.binary(max_size=60))
def test_no_bytes_bring_it_down(tmp_path_factory, data, middle):
    """Behind a right hash and a right end record anything may stand; only BundleError comes out."""
    path = tmp_path_factory.mktemp("any") / "b.zip"
    end = struct.pack("<4sHHHHLLH", b"PK\x05\x06", 0, 0, 1, 1, len(middle), len(data), 71)
    path.write_bytes(sealed(data + middle + end + b"sha256:" + b"0" * 64))
    refused(path)


def test_a_file_that_changes_after_it_was_checked_is_noticed(tmp_path):
    path = tmp_path / "b.zip"
    write_bundle(path, {"a.wav": bytes(100_000)}, kind="test")
    with read_bundle(path, kind="test") as bundle:
        data = bytearray(path.read_bytes())
        data[60_000] ^= 1
        path.write_bytes(data)
        with pytest.raises(BundleError):
            bundle.read("a.wav")
        with pytest.raises(BundleError):
            bundle.extract("a.wav", tmp_path / "out.wav")
    assert not (tmp_path / "out.wav").exists()
