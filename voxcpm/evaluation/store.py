"""The folder of one evaluation, written so that a killed one goes on where it was.

Layout: ``run.json`` (which model, how sampled), ``takes.jsonl`` and ``takes/`` (one line and one recording per take),
``heard.jsonl`` (what the recogniser made of recordings), ``originals/`` (recordings of a synthesiser), and the result:
``sentences.jsonl``, ``report.json``, ``report.txt``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from voxcpm.errors import RequestError
from voxcpm.files import write_atomically

Record = dict[str, Any]


class EvaluationFolder:
    """Paths and files of one evaluation. One process writes at a time."""

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        self.takes = self.path / "takes"
        self.originals = self.path / "originals"

    def begin(self, identity: Mapping[str, Any]) -> None:
        """Open a new folder, or go on in one of the same ``identity`` (JSON values).

        Raises :class:`RequestError` saying what differs, or that the folder holds something else.
        """
        file = self.path / "run.json"
        if file.is_file():
            try:
                before = json.loads(file.read_text(encoding="utf-8"))
            except ValueError:
                before = None
            if not isinstance(before, dict):
                raise RequestError("out", f"{file} cannot be read; choose another folder")
            changed = sorted(k for k in {*before, *identity} if before.get(k) != identity.get(k))
            if changed:
                said = "; ".join(f"{k} was {before.get(k)!r} and is {identity.get(k)!r}" for k in changed)
                raise RequestError("out", f"{self.path} holds another evaluation ({said}); choose another folder")
        elif self.path.exists() and (not self.path.is_dir() or any(self.path.iterdir())):
            raise RequestError("out", f"{self.path} is there and holds no evaluation; choose another folder")
        try:
            for folder in (self.takes, self.originals):
                folder.mkdir(parents=True, exist_ok=True)
            write_atomically(file, (json.dumps(identity, indent=2, ensure_ascii=False) + "\n").encode())
        except OSError as error:
            raise RequestError("out", f"{self.path} cannot be written ({error.strerror or error})") from error

    def records(self, name: str) -> list[Record]:
        """The lines of ``takes`` or ``heard``; a last line that was cut off is dropped, from the file as well.

        Raises :class:`RequestError` for a damaged line elsewhere.
        """
        file = self.path / f"{name}.jsonl"
        if not file.is_file():
            return []
        content = file.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            with file.open("rb+") as stream:
                stream.truncate(whole)
        records = []
        for number, line in enumerate(content[:whole].splitlines(), 1):
            try:
                record = json.loads(line)
            except ValueError as error:
                raise RequestError("out", f"{file}, line {number} is damaged ({error}); take it out") from error
            records.append(record)
        return records

    def append(self, name: str, record: Record) -> None:
        """Add a line; it is on the disk when this returns. Raises ``OSError``."""
        with (self.path / f"{name}.jsonl").open("ab") as stream:
            stream.write((json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n").encode())
            stream.flush()
            os.fsync(stream.fileno())

    def write_result(self, report: Record, text: str, sentences: Iterable[Record]) -> None:
        """Write the result. Raises ``OSError``."""
        lines = "".join(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n" for record in sentences)
        write_atomically(self.path / "sentences.jsonl", lines.encode())
        write_atomically(self.path / "report.txt", text.encode())
        whole = json.dumps(report, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        write_atomically(self.path / "report.json", whole.encode())
