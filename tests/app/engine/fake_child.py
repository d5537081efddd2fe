"""A child with the fake engine: ``python -m tests.app.engine.fake_child '{"step_delay": 0.01}'``.

Beside the fields of ``FakeEngine``: ``endless`` makes a model that never stops, ``misbehave`` is done at the third
patch: "print" writes to standard output, "segfault" dies, "spin" computes for ever.
"""

import ctypes
import json
import sys

from app.engine.child import serve
from app.engine.fake import FakeEngine, FakeModel


class Wild(FakeEngine):
    misbehave = ""

    def stream(self, job, is_cancelled):
        for chunk in super().stream(job, is_cancelled):
            if chunk.patch == 2:
                self._do()
            yield chunk

    def _do(self):
        if self.misbehave == "print":
            sys.stdout.write("a library says something\n")
            sys.stdout.flush()
        elif self.misbehave == "segfault":
            ctypes.string_at(0)
        while self.misbehave == "spin":
            pass


def make(door):
    options = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
    misbehave = options.pop("misbehave", "")
    patches = None if options.pop("endless", False) else 12
    engine = Wild(models={"model": FakeModel(patches=patches)}, **options)
    engine.misbehave = misbehave
    return engine


if __name__ == "__main__":
    serve(make)
