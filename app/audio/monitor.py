"""Lets a person hear the microphone while it is open, as soon as the devices can."""

from __future__ import annotations

import logging

import numpy as np

from app.audio.backend import AudioBackend, OutputStream
from app.audio.portaudio import NoSound
from app.audio.ring_buffer import RingBuffer

log = logging.getLogger(__name__)

_LATENCY = 0.03  # seconds; one's own voice any later makes speaking hard
_MOST_SECONDS = 0.1  # what has piled up behind a device that runs slower than the microphone is dropped


class Monitor:
    """Plays what ``take`` is given. ``problem`` is why it cannot: library, device, failed, or rate."""

    def __init__(self, backend: AudioBackend) -> None:
        self._backend = backend
        self._stream: OutputStream | None = None
        self._ring: RingBuffer | None = None
        self.problem = ""

    @property
    def is_open(self) -> bool:
        """Whether it sounds."""
        return self._stream is not None

    def open(self, rate: int, key: str) -> bool:
        """Play sound of ``rate`` Hz through the device of ``key`` (empty: the system's choice); False with a problem.

        A device that takes another rate only is not used: converting would add the delay that speaking suffers from.
        """
        self.close()
        ring = RingBuffer(rate)
        most = round(_MOST_SECONDS * rate)

        def fill(out: np.ndarray) -> None:
            ring.skip(max(0, ring.filled - most - len(out)))
            first = np.zeros(len(out), np.float32)  # the rest stays silent where the microphone is late
            ring.read_into(first)
            out[:] = first[:, None]

        try:
            stream = self._backend.open(rate, fill, key, latency=_LATENCY)
        except NoSound as error:
            log.info("The microphone cannot be heard along: %s", error.code)
            self.problem = error.code
            return False
        if stream.rate != rate:
            stream.close()
            self.problem = "rate"
            return False
        self._stream, self._ring, self.problem = stream, ring, ""
        return True

    def take(self, samples: np.ndarray) -> None:
        """Hand over float32 [n]; on the microphone's thread."""
        ring = self._ring
        if ring is not None:
            ring.write(samples)

    def close(self) -> None:
        """Be silent and let go of the device. Harmless when repeated."""
        self._ring = None
        if self._stream is not None:
            self._stream.close()
            self._stream = None
