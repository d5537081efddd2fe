"""The process that is killed while it makes takes: ``-m tests.app.dubbing.kill_child FOLDER POINT COUNT [demo]``.

``POINT`` and ``COUNT``: see ``tests.kill.points``; ``never 0`` lets it come to its end. ``demo``: the demo voice speaks
instead of tones. Says on stdout, a line each,
what it is about to make and what it was told is finished.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from app.core.dubbing.editing import TYPES, Dubbing
from app.core.dubbing.making import MakeOptions, Maker, Progress
from app.core.library import Library
from app.core.project import Project
from tests.app.dubbing.sounds import MODEL, ToneEngine
from tests.kill.points import die_at


class SayingEngine:
    """Says which lines it is asked for."""

    def __init__(self, engine):
        self.engine = engine

    def speak_lines(self, lines, is_cancelled):
        say("asked", [line.text for line in lines])
        return self.engine.speak_lines(lines, is_cancelled)


def demo():
    """The engine with the demo voice, and its model."""
    from app.core.resources import default_model_folder
    from app.engine.local import LocalEngine

    engine = LocalEngine()
    return engine, engine.load(str(default_model_folder()), "cpu", "float32", lambda done: None, lambda: False)


def say(what: str, texts: list[str]) -> None:
    os.write(1, json.dumps([what, texts]).encode() + b"\n")


def main(folder: Path, point: str, count: int, with_demo: bool = False) -> None:
    engine, model = demo() if with_demo else (ToneEngine(), MODEL)
    with (
        Library(folder / "data", passphrase="a passphrase for tests") as library,
        Project.open(folder / "p", types=TYPES) as project,
    ):
        dubbing = Dubbing(project)
        asked = MakeOptions(seed=11, together=2)
        maker = Maker(dubbing, SayingEngine(engine), model, library.store, library.takes, lambda role: None, asked)

        def tell(progress: Progress) -> None:
            say("done", [dubbing.dub.cue(cue_id).text for cue_id in progress.cues])

        library.takes.count()  # the store is open and up to date
        if point != "never":
            die_at(point, count)
        maker.run(lambda: False, tell)
        os._exit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4:] == ["demo"])
