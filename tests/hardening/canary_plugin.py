"""A plugin of pytest: whatever the tests have people write is looked for in all that the program logs meanwhile.

``python -m tests.hardening.canaries --suite`` runs the whole suite with it. Texts, descriptions, transcripts, names and
contacts are taken from the objects that carry them through the program, as the tests make them; the folder that all
files of the tests lie in stands for paths. Every logger of the program is at DEBUG, and each record is written as the
log file of the studio has it.
"""

from __future__ import annotations

import functools
import json
import logging
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from app.logs import PrivateFormatter

RESULTS = "VOXCPM_CANARIES"
"""Names the folder that each process of pytest writes what it found into."""
_OWN = ("app", "voxcpm")
_TEXT_LEAST, _NAME_LEAST = 6, 3
_ON_PURPOSE = "test_a_line_that_says_too_much_is_noticed"  # tries out that a name in the log is found


class Canaries(logging.Handler):
    """Hears the program and knows what people wrote. ``place`` is the folder of all files of the tests."""

    def __init__(self, place: str) -> None:
        super().__init__(logging.DEBUG)
        self.setFormatter(PrivateFormatter())
        self.place = place
        self.test = ""
        self.texts: set[str] = set()
        self.names: set[str] = set()
        self.lines: list[tuple[str, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        if not self.test.endswith(_ON_PURPOSE):
            self.lines.append((self.test, self.format(record)))

    def wrote(self, text: object) -> None:
        """A person wrote this: a canary wherever it stands, once it is long enough to be told from other words."""
        if isinstance(text, str) and len(text.strip()) >= _TEXT_LEAST and not text.strip().isdigit():
            self.texts.add(text.strip())

    def called(self, name: object) -> None:
        """This is somebody's name: a canary as words of their own."""
        if isinstance(name, str) and len(name.strip()) >= _NAME_LEAST:
            self.names.add(name.strip())

    def hits(self) -> Iterator[str]:
        """Each line of the log with something that should not be there."""
        said = "\n".join(line for _, line in self.lines)
        found = [text for text in (*self.texts, self.place) if text in said]
        words = [name for name in self.names if name in said]
        patterns = [re.compile(re.escape(text)) for text in found]
        patterns += [re.compile(rf"(?<!\w){re.escape(name)}(?!\w)") for name in words]
        for test, line in self.lines:
            for pattern in patterns:
                if pattern.search(line):
                    yield f"{test}: {pattern.pattern!r} in {line!r}"


def watched(canaries: Canaries) -> None:
    """Let every text be noted that comes into being in what carries it."""
    from app.core.consent.record import Speaker
    from app.core.dubbing.cues import Cue
    from app.core.messages import Job, VoiceSpec
    from app.core.voice_card import VoiceCard
    from voxcpm.request import Request

    def card(made: Any) -> None:
        canaries.called(made.name)
        canaries.wrote(made.transcript)
        canaries.wrote(made.style)

    def cue(made: Any) -> None:
        canaries.wrote(made.text)
        canaries.called(made.character)

    def speaker(made: Any) -> None:
        for sealed in (made.name, made.contact):
            canaries.called(getattr(sealed, "text", None))

    def job(made: Any) -> None:
        canaries.wrote(made.text)
        canaries.wrote(made.description)

    noted: dict[type, Callable[[Any], None]] = {
        VoiceCard: card, Cue: cue, Speaker: speaker, Job: job, Request: job,
        VoiceSpec: lambda made: canaries.wrote(made.transcript),
    }  # fmt: skip
    for kind, note in noted.items():
        kind.__init__ = _noting(kind.__init__, note)  # type: ignore[misc]


def _noting(original: Callable[..., None], note: Callable[[Any], None]) -> Callable[..., None]:
    @functools.wraps(original)
    def made(self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        note(self)

    return made


_canaries: Canaries | None = None


def pytest_sessionstart(session: Any) -> None:
    """Begin to listen."""
    global _canaries
    _canaries = Canaries(str(session.config._tmp_path_factory.getbasetemp()))
    watched(_canaries)
    for name in _OWN:
        logging.getLogger(name).setLevel(logging.DEBUG)
        logging.getLogger(name).addHandler(_canaries)


def pytest_runtest_logstart(nodeid: str, location: Any) -> None:
    """Remember which test it is."""
    if _canaries is not None:
        _canaries.test = nodeid


def pytest_sessionfinish(session: Any, exitstatus: int) -> None:
    """Write what was found."""
    if _canaries is None:
        return
    told = {
        "lines": len(_canaries.lines),
        "canaries": len(_canaries.texts) + len(_canaries.names) + 1,
        "hits": sorted(set(_canaries.hits())),
    }
    folder = os.environ.get(RESULTS)
    if folder:
        Path(folder, f"{os.getpid()}.json").write_text(json.dumps(told), encoding="utf-8")
    else:
        sys.stderr.write(json.dumps(told, indent=1) + "\n")
