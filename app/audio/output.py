"""The device that sounds: which one it is, whether there is any, and the open stream with its mixer."""

from __future__ import annotations

import contextlib
import logging
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from app.audio.backend import LATENCY, AudioBackend, NoSound, OutputStream
from app.audio.mixer import Mixer
from app.audio.portaudio import AudioDevice

log = logging.getLogger(__name__)

# Seconds from the callback to the device: how long Stop is still heard, so as little as this machine can do. The
# callback is Python and waits for its turn; when the device ran dry it gets more for the rest of the session.
LATENCIES = (0.06, 0.12, LATENCY)


@dataclass(frozen=True)
class _Opening:
    rate: int  # that was asked for
    mixer: Mixer
    stream: Future[OutputStream]


class Output:
    """A sound server may take its time to open or close a stream: a thread of its own does both.

    ``unavailable`` is the code of the reason why nothing can be played (library, device, failed), or empty.

    ``details`` is its technical part; ``device_name`` is that of the device while there is one.
    """

    def __init__(self, backend: AudioBackend) -> None:
        self._backend = backend
        self._worker = ThreadPoolExecutor(1, "sound device")
        self._opening: _Opening | None = None
        self._wanted_rate = 0
        self._underflows = 0
        self._latency = 0  # which of LATENCIES
        self.stream: OutputStream | None = None
        self.mixer = Mixer()
        self.key = ""
        self.unavailable = ""
        self.details = ""
        self.device_name = ""

    def devices(self) -> list[AudioDevice]:
        """Every device that can play; none when there is no sound at all."""
        try:
            return self._backend.devices()
        except NoSound:
            return []

    def probe(self) -> None:
        """Look for the device."""
        try:
            self.device_name = self._backend.probe(self.key)
        except NoSound as error:
            self._miss(error)
        else:
            self.unavailable = self.details = ""

    def look_again(self) -> None:
        """Look for devices that have come or gone since; closes the stream."""
        self.close()
        try:
            self._worker.submit(self._backend.look_again).result()
        except NoSound as error:
            self._miss(error)
        else:
            self.probe()

    def prepare(self, rate: int) -> None:
        """Begin to open a stream for sound of ``rate`` Hz where there is none: ``open`` then need not wait for it."""
        if self._opening is not None and self._opening.rate == rate:
            return
        if self.stream is not None and self.stream.active and self._wanted_rate == rate:
            return
        self.close()
        mixer = Mixer()

        def fill(out: np.ndarray) -> None:
            mixer.read_into(out[:, 0])
            out[:, 1:] = out[:, :1]

        latency = LATENCIES[self._latency]
        self._opening = _Opening(rate, mixer, self._worker.submit(self._backend.open, rate, fill, self.key, latency))

    def open(self, rate: int, volume: float) -> bool:
        """Have a stream for sound of ``rate`` Hz, a new one only where needed; False when there is none."""
        self.prepare(rate)
        opening, self._opening = self._opening, None
        if opening is None:
            return True
        try:
            self.stream = opening.stream.result()
        except NoSound as error:
            self._miss(error)
            return False
        self._wanted_rate = rate
        self._underflows = self.stream.underflows
        self.mixer = opening.mixer
        self.mixer.volume = volume
        return True

    def close(self) -> None:
        """Let go of the device, as soon as it can be. Harmless when repeated."""
        opening, self._opening = self._opening, None
        if opening is not None:
            self._worker.submit(_close_opened, opening.stream)
        if self.stream is not None:
            self._worker.submit(self.stream.close)
            self.stream = None

    def close_down(self) -> None:
        """Let go of the device, and wait until it is free."""
        self.close()
        self._worker.submit(lambda: None).result()

    def lose(self) -> None:
        """The device has gone while it played."""
        self.close()
        self._miss(NoSound("device", "the device stopped"))

    def allow_more_latency(self) -> bool:
        """Use a longer buffer from the next ``open`` on; False when it is the longest already."""
        if self._latency + 1 == len(LATENCIES):
            return False
        self._latency += 1
        log.info("The sound device gets %.0f ms", 1000 * LATENCIES[self._latency])
        return True

    def new_underflows(self) -> int:
        """How often the device ran dry since the last question."""
        if self.stream is None:
            return 0
        fresh, self._underflows = self.stream.underflows - self._underflows, self.stream.underflows
        if fresh:
            log.info("The sound device ran dry %d times", fresh)
        return fresh

    def _miss(self, error: NoSound) -> None:
        log.info("No sound: %s (%s)", error.code, error.details)
        self.unavailable = error.code
        self.details = error.details
        self.device_name = ""


def _close_opened(opened: Future[OutputStream]) -> None:
    with contextlib.suppress(NoSound):
        opened.result().close()
