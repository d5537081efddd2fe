"""Which SHA-256 a weight file must have, as far as anything beside it says so; pickled weights are compared with it.

A hash is known from ``models.lock.json`` (this program's downloads), from what Hugging Face's own tools keep of theirs,
or from ``"sha256": {"audiovae.pth": "..."}`` in the folder's ``model_card.json``. It proves that the file is the one
that was fetched or described, and not that whoever published it is to be trusted: what is in it is read by torch's
restricted loader in any case.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
from functools import lru_cache
from pathlib import Path

from voxcpm.errors import CheckpointError, DownloadError
from voxcpm.hub_lock import LOCK_NAME, read_pins

logger = logging.getLogger(__name__)

CARD_NAME = "model_card.json"
ONLY_KNOWN = "VOXCPM_ONLY_KNOWN_PICKLES"
"""With this in the environment as ``1``, pickled weights whose hash is not known are refused."""
_SHA256 = re.compile(r"[0-9a-f]{64}")


def known_hashes(file: Path) -> dict[str, str]:
    """SHA-256 (hexadecimal) of ``file`` by who says so; empty when nobody does.

    Raises:
        CheckpointError: there is a lock file or a card that cannot be read.
    """
    said = {
        LOCK_NAME: _in_lock(file),
        "the download": _in_download(file),
        "the hub's cache": _in_cache(file),
        CARD_NAME: _in_card(file),
    }
    return {source: value for source, value in said.items() if value}


def check_pickle(file: Path) -> None:
    """Raise :class:`CheckpointError` when a pickled file is not the one that is known, or need be known and is not."""
    known = known_hashes(file)
    if not known:
        if os.environ.get(ONLY_KNOWN) == "1":
            raise CheckpointError(
                f"{file.name} is pickled, and nothing says which SHA-256 it must have. Fetch the model with "
                f"'voxcpm download', or let {ONLY_KNOWN} out of the environment"
            )
        logger.info("Pickled weights are read whose SHA-256 is not known")
        return
    found = sha256_of(file)
    for source, wanted in known.items():
        if found != wanted:
            raise CheckpointError(
                f"{file.name} is not the file that {source} names: its SHA-256 is {found} and not {wanted}. "
                "Do not use it; fetch the model again"
            )


def sha256_of(file: Path) -> str:
    """SHA-256 of a file's content, hexadecimal; computed once while the file stays as it is."""
    facts = file.stat()
    return _sha256(file.resolve(), facts.st_ino, facts.st_size, facts.st_mtime_ns)


@lru_cache(maxsize=16)
def _sha256(file: Path, *_: int) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


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
