"""An engine in a process of its own: ``python -m app.engine.child``, started by ``child_engine``.

It speaks over its standard input and output and ends at once when the other side has ended. Voices are asked for at
the door of the process that started it: no key and no data folder is opened here.
"""

from __future__ import annotations

import logging
import os
import traceback
from collections.abc import Callable, Collection, Mapping
from typing import Any, NoReturn

from app.core.consent.verify import Use
from app.core.door import Admitted
from app.core.engine_api import Engine, EngineCancelled, EngineError
from app.core.messages import Consent, Failure, Job, VoiceSpec
from app.core.sound_files import KeptSound
from app.engine.child_side import open_link
from app.engine.link import Handler, Link
from app.engine.voice_door import Decode, VoiceDoor

MARKS = ("embed", "score")
"""Asked for while other things run: a save does not wait until the last take is made."""
DECODE = "decode"

MakeEngine = Callable[[VoiceDoor], Engine]


class RemoteDoor:
    """The door of the other process."""

    def __init__(self) -> None:
        self.link: Link | None = None
        self._decode: Decode | None = None
        self._error: Exception | None = None

    def decode(self, number: int) -> Mapping[str, KeptSound]:
        """Answer the door that wants to hear what a job brings along; the library that decodes is in this process."""
        assert self._decode is not None
        try:
            return self._decode()
        except Exception as error:
            self._error = error  # raised here once more, as it is
            raise

    def admit_spec(self, spec: VoiceSpec, sounds: Decode, use: Use) -> Admitted:
        """Ask for what a job brings along."""
        self._decode, self._error = sounds, None
        try:
            admitted: Admitted = self._ask("admit_spec", spec, use)
        except Exception:
            if self._error is not None:
                raise self._error from None
            raise
        finally:
            self._decode = self._error = None
        return admitted

    def admit(self, voice_id: str, use: Use) -> Consent:
        """Ask for a saved voice."""
        consent: Consent = self._ask("admit", voice_id, use)
        return consent

    def admit_voice(self, voice_id: str, use: Use) -> Admitted:
        """Ask for a saved voice with its sounds."""
        admitted: Admitted = self._ask("admit_voice", voice_id, use)
        return admitted

    def admit_all(self, record_ids: Collection[str], use: Use) -> list[Consent]:
        """Ask for several records."""
        consents: list[Consent] = self._ask("admit_all", tuple(record_ids), use)
        return consents

    def note(self, event: str, facts: Mapping[str, object]) -> None:
        """Have something written into the audit log."""
        self._ask("note", event, dict(facts))

    def latents(self, voice_id: str, key: str) -> bytes | None:
        """Ask for kept latents."""
        data: bytes | None = self._ask("latents", voice_id, key)
        return data

    def keep_latents(self, voice_id: str, key: str, data: bytes) -> None:
        """Have latents kept."""
        self._ask("keep_latents", voice_id, key, data)

    def _ask(self, name: str, *arguments: Any) -> Any:
        assert self.link is not None
        return self.link.ask(name, *arguments)


class EngineServer:
    """Answers what the other process asks of ``engine``."""

    def __init__(self, engine: Engine, door: RemoteDoor) -> None:
        self._engine = engine
        self.link: Link | None = None
        self.handlers: dict[str, Callable[..., Any]] = {
            DECODE: door.decode,
            "load": self._load,
            "warm_up": self._warm_up,
            "use_lora": lambda number, path, strength: _told(engine.use_lora, path, strength),
            "plan": lambda number, job: _told(engine.plan, job),
            "stream": self._stream,
            "speak_lines": self._speak_lines,
            "embed": lambda number, samples, rate: engine.watermark().embed(samples, rate),
            "score": lambda number, samples, rate: engine.watermark().score(samples, rate),
        }

    def _load(self, number: int, folder: str, device: str, dtype: str) -> Any:
        stopped = self._stop_of(number)

        def progress(fraction: float) -> None:
            self._link.tell(number, fraction)

        return _told(self._engine.load, folder, device, dtype, progress, stopped)

    def _warm_up(self, number: int) -> None:
        _told(self._engine.warm_up, self._stop_of(number))

    def _stream(self, number: int, job: Job) -> None:
        def run() -> None:
            for chunk in self._engine.stream(job, self._stop_of(number)):
                self._link.tell(number, chunk)

        _told(run)

    def _speak_lines(self, number: int, lines: Any) -> Any:
        return _told(self._engine.speak_lines, lines, self._stop_of(number))

    def _stop_of(self, number: int) -> Callable[[], bool]:
        """What a long piece of work looks at between its steps."""

        def stopped() -> bool:
            self._link.serve_waiting()
            return self._link.is_cancelled(number)

        return stopped

    @property
    def _link(self) -> Link:
        assert self.link is not None
        return self.link


def _told(work: Callable[..., Any], *arguments: Any) -> Any:
    """Do it; what is unexpected is told with the place where it happened, which does not travel otherwise."""
    try:
        return work(*arguments)
    except (EngineError, EngineCancelled):
        raise
    except Exception as error:
        logging.getLogger(__name__).warning("Unexpected in the engine's process: %s", type(error).__name__)
        details = "".join(traceback.format_exception(error))
        failure = Failure(f"{type(error).__name__}: {error}", details=details, code="unexpected")
    raise EngineError(failure)


def serve(make: MakeEngine) -> NoReturn:
    """Run an engine until the other side ends; never returns."""
    handlers: dict[str, Handler] = {}
    link = open_link(handlers, (DECODE, *MARKS), nice=5)
    door = RemoteDoor()
    server = EngineServer(make(door), door)
    handlers |= server.handlers
    server.link = door.link = link
    link.serve()
    os._exit(0)


def _local(door: VoiceDoor) -> Engine:
    from app.engine.local import LocalEngine

    return LocalEngine(door)


if __name__ == "__main__":
    serve(_local)
