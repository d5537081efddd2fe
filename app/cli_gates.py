"""The door before commands of the library: training and evaluation use people's voices too.

What the library's own commands take as a note (the ids of consent records in a manifest, who agreed) is looked up in
the library of the studio first, and refused with the reason where the record does not allow it.
"""

from __future__ import annotations

import argparse
import contextlib
import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from app.core.consent.verify import ConsentRefused, Use
from app.core.library import Library
from app.core.voice_uses import ADAPTER, CACHE
from voxcpm.errors import ConsentError, VoxCPMError

TRAIN = Use("train")
_MOST_NAMED = 5
_FOLDERS = uuid.UUID("5a2bb1d1-5f0c-4d8e-8d86-0b2a4d1f3c77")


def gate(argv: Sequence[str], library: Library) -> None:
    """Refuse a command of the library that would use a voice without a record that allows it.

    What is wrong with the command line itself is left to the command, which says it better.

    Raises:
        ConsentError: all reasons.
        StoreError: the records cannot be read.
    """
    command = argv[0] if argv else ""
    if command in ("train", "prepare"):
        _training(argv, library)
    elif command == "evaluate":
        _evaluating(argv[1:], library)


def _training(argv: Sequence[str], library: Library) -> None:
    from voxcpm.training.cli import build_parser

    options = build_parser().parse_args(list(argv))
    manifests = [options.manifest] if options.command == "prepare" else [options.data, options.validation]
    ids: set[str] = set()
    if options.command == "train" and options.resume is not None:
        before, names = _of_run(options.resume)
        ids |= before
        manifests += names
    for manifest in manifests:
        if manifest:
            ids |= _of_manifest(Path(manifest))
    _admit(sorted(ids), TRAIN, library)
    _note_training(options, ids, library)


def _note_training(options: argparse.Namespace, ids: Iterable[str], library: Library) -> None:
    """Remember where something is made of people's voices now, so that it can be found when one must go."""
    from voxcpm.training.latents import FOLDER

    manifest = options.manifest if options.command == "prepare" else options.data
    places = {CACHE: str(options.cache or (Path(manifest).parent / FOLDER if manifest else ""))}
    if options.command == "train":
        places[ADAPTER] = str(options.resume or options.out or "")
    for voice in {library.voices.voice_of_record(record_id) for record_id in ids} - {None}:
        for kind, place in places.items():
            if place:
                library.use_noted(str(voice), kind, _id_of(Path(place)), Path(place))


def _id_of(folder: Path) -> str:
    """The same id for the same folder; unlike the path itself it betrays nothing to those who do not know that."""
    return str(uuid.uuid5(_FOLDERS, str(folder.absolute())))


def _of_run(folder: Path) -> tuple[set[str], list[str]]:
    """The records and manifests that a run was begun with."""
    from voxcpm.training.runs import RunFolder

    try:
        choices: dict[str, Any] = RunFolder(folder).read_choices()
    except VoxCPMError:
        return set(), []  # the command says what is wrong with the folder
    chosen = choices.get("options")
    named = chosen if isinstance(chosen, dict) else {}
    ids = choices.get("consent_record_ids")
    return {str(each) for each in ids or ()}, [str(named.get(key) or "") for key in ("data", "validation")]


def _of_manifest(path: Path) -> set[str]:
    """The consent records of a manifest. Raises ConsentError for recordings of which nobody says why they may be used.

    The library checks everything else of a manifest; lines that it will refuse are passed over.
    """
    import json

    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError):
        return set()
    ids, bare = set(), []
    for number, line in enumerate(lines, 1):
        entry: Any = None
        with contextlib.suppress(ValueError):
            entry = json.loads(line)
        if not isinstance(entry, dict):
            continue
        record = str(entry.get("consent_record_id") or "").strip()
        if record:
            ids.add(record)
        elif not str(entry.get("licence") or entry.get("license") or "").strip():
            bare.append(number)
    if bare:
        named = ", ".join(str(number) for number in bare[:_MOST_NAMED]) + (" ..." if len(bare) > _MOST_NAMED else "")
        raise ConsentError(
            f"{path.name}: {len(bare)} recordings (lines {named}) have neither a consent_record_id nor a licence. "
            "Record the person's consent (voxcpm voices add) and name it, or say under which licence the recording is."
        )
    return ids


def _evaluating(argv: Sequence[str], library: Library) -> None:
    from voxcpm.evaluation.cli import build_parser

    options: argparse.Namespace = build_parser().parse_args(list(argv))
    if options.references is None:
        return
    ids = [part.strip() for part in options.consent.split(",") if part.strip()]
    if not ids:
        raise ConsentError(
            "Reference voices are used only with a consent record: save them (voxcpm voices add) and give the ids of "
            "their records: --consent ID,ID."
        )
    _admit(ids, Use("generate"), library)


def _admit(record_ids: Iterable[str], use: Use, library: Library) -> None:
    """Ask for all of them, so that one sees every reason at once."""
    reasons = []
    for record_id in record_ids:
        try:
            library.door.admit_record(record_id, use)
        except ConsentRefused as error:
            reasons.append(f"Record {record_id}: {error}")
    if reasons:
        raise ConsentError(" ".join(reasons))
