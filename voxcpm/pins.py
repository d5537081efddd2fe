"""Which SHA-256 a pickled weight file must have; one whose hash is not known is not read.

A pickle can hold a program, so trust in it must come from somewhere else than itself. A hash is known from this
program's own table, from ``models.lock.json`` (this program's downloads), from what Hugging Face's own tools keep of
theirs, or from this user's list (``voxcpm pin``). ``"sha256": {"audiovae.pth": "..."}`` in the folder's
``model_card.json`` must fit too, but makes nothing known: whoever wrote the file wrote the card as well. A known hash
proves that the file is the one that was meant, and not that whoever published it is to be trusted: what is in it is
read by torch's restricted loader in any case.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from functools import lru_cache
from pathlib import Path

from voxcpm.errors import CheckpointError, DownloadError, UnknownPickleError
from voxcpm.files import write_atomically
from voxcpm.hub_lock import LOCK_NAME, read_pins

CARD_NAME = "model_card.json"
ALLOW_UNKNOWN = "VOXCPM_UNKNOWN_PICKLES"
"""With this in the environment as ``1``, pickled weights whose hash is not known are read."""
LIST_PLACE = "VOXCPM_PICKLE_LIST"
"""In the environment: another place for this user's list."""
OWN_TABLE, OWN_LIST = "this program", "your list"
SUFFIXES = (".pth", ".pt", ".bin", ".ckpt")
KNOWN = {
    "94b5d51e107e0507d4acc976cfdadb64edd6fd06d1f751dadbf2fd1594274bf1": "audiovae.pth of openbmb/VoxCPM2",
    "39373b86598fa3da9fcddee6142382efe09777e8d37dc9c0561f41f0070f134e": "pretrained.pt of Resemblyzer 0.1.4",
    # The checkpoints of the recorded parity data: random numbers.
    "bad76af502b61a3d130bb31b00a115b92f92e24681788644abcf718b24398485": "audiovae.pth of tiny-v1",
    "9cb3c5997a38b9f842f59180c0535eb6265582ee574a651099affe6e2340b119": "audiovae.pth of tiny-v2",
}
"""SHA-256 of published files."""
_SHA256 = re.compile(r"[0-9a-f]{64}")


def vouchers(file: Path) -> list[str]:
    """Who knows this very file; nobody, so that it is not read, where the list is empty.

    Raises:
        CheckpointError: it is not the one that somebody knows, or what should say so cannot be read.
    """
    said = {
        LOCK_NAME: _in_lock(file),
        "the download": _in_download(file),
        "the hub's cache": _in_cache(file),
        CARD_NAME: _in_card(file),
    }
    found = sha256_of(file)
    for source, wanted in said.items():
        if wanted and found != wanted:
            raise CheckpointError(
                f"{file.name} is not the file that {source} names: its SHA-256 is {found} and not {wanted}. "
                "Do not use it; fetch the model again"
            )
    known = [source for source, wanted in said.items() if wanted and source != CARD_NAME]
    if found in KNOWN:
        known.append(OWN_TABLE)
    if found in _read_list():
        known.append(OWN_LIST)
    return sorted(known)


def may_be_read(file: Path) -> bool:
    """Whether a pickled file is known, or everything may be read. Raises as :func:`vouchers`."""
    return bool(vouchers(file)) or os.environ.get(ALLOW_UNKNOWN) == "1"


def check_pickle(file: Path) -> None:
    """Raise :class:`UnknownPickleError` for a pickled file that may not be read, others as :func:`vouchers`."""
    if not may_be_read(file):
        raise UnknownPickleError(
            f"{file.name} was not read: it is pickled, which can hide a program, and nothing on this machine knows its "
            "SHA-256. Fetch the model with 'voxcpm download', take one whose weights are .safetensors, or, if you "
            f'know where this one comes from, allow it with: voxcpm pin "{file.parent}"',
            file,
        )


def pin(path: Path) -> dict[str, str]:
    """Put the pickled weights of a folder, or one file, into this user's list; returns SHA-256 by name.

    Raises:
        CheckpointError: there are none, one is not the file that it should be, or the list cannot be written.
    """
    files = [path] if path.is_file() else sorted(each for each in path.glob("*") if each.suffix in SUFFIXES)
    if not files:
        raise CheckpointError(f"There are no pickled weights ({', '.join(SUFFIXES)}) in {path}; nothing was allowed")
    for file in files:
        vouchers(file)
    found = {file.name: sha256_of(file) for file in files}
    place = _list_place()
    everything = _read_list() | {value: f"{name} of {files[0].absolute().parent.name}" for name, value in found.items()}
    text = json.dumps({"version": 1, "sha256": everything}, indent=2, ensure_ascii=False) + "\n"
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(place, text.encode())
    except OSError as error:
        raise CheckpointError(
            f"{place} cannot be written ({error}), so nothing was allowed; make room or check its folder's permissions"
        ) from error
    return found


def sha256_of(file: Path) -> str:
    """SHA-256 of a file's content, hexadecimal; computed once while the file stays as it is."""
    try:
        facts = file.stat()
        return _sha256(file.resolve(), facts.st_ino, facts.st_size, facts.st_mtime_ns)
    except OSError as error:
        raise CheckpointError(f"{file.name} cannot be read ({error}); fetch it again") from error


@lru_cache(maxsize=16)
def _sha256(file: Path, *_: int) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _list_place() -> Path:
    from platformdirs import user_config_path

    given = os.environ.get(LIST_PLACE)
    return Path(given) if given else user_config_path("voxcpm-studio", appauthor=False) / "known_pickles.json"


def _read_list() -> dict[str, str]:
    place = _list_place()
    try:
        return {str(value): str(name) for value, name in json.loads(place.read_text("utf-8"))["sha256"].items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise CheckpointError(f"{place} cannot be read ({error}). Move it away to allow files anew") from error


def _in_lock(file: Path) -> str:
    try:
        pin = read_pins(file.parent.parent).get(file.parent.name)
    except DownloadError as error:
        raise CheckpointError(str(error)) from error
    return str(pin.files.get(file.name, {}).get("sha256", "")) if pin else ""


def _in_download(file: Path) -> str:
    """What ``hf download --local-dir`` keeps: a commit, the tag of the hub, a time. Large files have a hash."""
    try:
        text = (file.parent / ".cache" / "huggingface" / "download" / f"{file.name}.metadata").read_text("utf-8")
    except (OSError, ValueError):
        return ""
    lines = text.split()
    return lines[1] if len(lines) > 1 and _SHA256.fullmatch(lines[1]) else ""


def _in_cache(file: Path) -> str:
    """Files of the hub's cache are links to ``blobs/SHA-256``."""
    if not file.is_symlink():
        return ""
    target = file.resolve()
    return target.name if target.parent.name == "blobs" and _SHA256.fullmatch(target.name) else ""


def _in_card(file: Path) -> str:
    try:
        said = json.loads((file.parent / CARD_NAME).read_text("utf-8"))["sha256"][file.name]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ""
    if not isinstance(said, str) or not _SHA256.fullmatch(said.lower()):
        raise CheckpointError(f"{CARD_NAME} has no SHA-256 where it names {file.name}; fetch the model again")
    return said.lower()
