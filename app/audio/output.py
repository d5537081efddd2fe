"""The device that sounds: which one it is, whether there is any, and the open stream with its mixer."""

from __future__ import annotations

import logging

import numpy as np

from app.audio.backend import LATENCY, AudioBackend, NoSound, OutputStream
from app.audio.mixer import Mixer
from app.audio.portaudio import AudioDevice

log = logging.getLogger(__name__)

# Seconds from the callback to the device: how long Stop is still heard, so as little as this machine can do. The
# callback is Python and waits for its turn; when the device ran dry it gets more for the rest of the session.
LATENCIES = (0.06, 0.12, LATENCY)


class Output:
    """``unavailable`` is the code of the reason why nothing can be played (library, device, failed), or empty.

    ``details`` is its technical part; ``device_name`` is that of the device while there is one.
    """

    def __init__(self, backend: AudioBackend) -> None:
        self._backend = backend
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
            self._backend.look_again()
        except NoSound as error:
            self._miss(error)
        else:
            self.probe()

    def open(self, rate: int, volume: float) -> bool:
        """Have a stream for sound of ``rate`` Hz, a new one only where needed; False when there is none."""
        if self.stream is not None and self.stream.active and self._wanted_rate == rate:
            return True
        self.close()
        mixer = Mixer()
        mixer.volume = volume

        def fill(out: np.ndarray) -> None:
            mixer.read_into(out[:, 0])
            out[:, 1:] = out[:, :1]

        try:
            self.stream = self._backend.open(rate, fill, self.key, LATENCIES[self._latency])
        except NoSound as error:
            self._miss(error)
            return False
        self._wanted_rate = rate
        self._underflows = self.stream.underflows
        self.mixer = mixer
        return True

    def close(self) -> None:
        """Let go of the device. Harmless when repeated."""
        if self.stream is not None:
            self.stream.close()
            self.stream = None

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
