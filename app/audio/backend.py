"""Sound devices behind a small interface, so that tests can bring their own and a machine without any still works."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from app.audio.inputs import SoundDeviceInputs
from app.audio.portaudio import AudioDevice, NoSound, in_turn, named
from app.audio.portaudio import library as _library

__all__ = ["AudioBackend", "Callback", "NoSound", "OutputStream", "SoundDeviceBackend"]

log = logging.getLogger(__name__)

# Seconds. The callback is Python and waits for its turn behind the window: with the model in the same process what
# PortAudio calls high latency (35 ms) was seen to run dry dozens of times in ten seconds on two busy cores, and 80 ms
# eight times in 100 s.
LATENCY = 0.2

# Fills [frames, channels] float32, on the audio thread.
Callback = Callable[[np.ndarray], None]


class OutputStream(Protocol):
    """An open, running output. ``rate`` is the device's in Hz and need not be the one asked for."""

    @property
    def rate(self) -> int:
        """Frames per second."""
        ...

    @property
    def latency(self) -> float:
        """Seconds from the callback to the ear."""
        ...

    @property
    def underflows(self) -> int:
        """How often the device has had nothing to play because the callback came too late."""
        ...

    @property
    def active(self) -> bool:
        """False once the device has gone or failed."""
        ...

    def close(self) -> None:
        """Stop at once and let go of the device. Harmless when repeated."""
        ...


class AudioBackend(Protocol):
    """A way to sound devices. All methods raise NoSound with the reason."""

    def probe(self, key: str = "") -> str:
        """Return the name of the device that would play: the one of ``key``, else the system's choice."""
        ...

    def devices(self) -> list[AudioDevice]:
        """Return every device that can play."""
        ...

    def look_again(self) -> None:
        """Forget what is known of the devices, so that ``probe`` sees new ones."""
        ...

    def open(self, rate: int, callback: Callback, key: str = "", latency: float = LATENCY) -> OutputStream:
        """Open the device of ``key`` (else the system's choice) and start it.

        At ``rate`` Hz if it offers that, and else at its own rate. ``latency`` is the wish in seconds.
        """
        ...


class SoundDeviceBackend(SoundDeviceInputs):
    """PortAudio through sounddevice, which is imported at the first question and not before."""

    @in_turn
    def probe(self, key: str = "") -> str:
        """Return the output device's name."""
        return str(self._device(_library(), key)["name"])

    @in_turn
    def devices(self) -> list[AudioDevice]:
        """Return every device with an output, each once."""
        library = _library()
        try:
            found = [named(library, device) for device in library.query_devices() if _plays(device)]
        except (library.PortAudioError, ValueError, OSError) as error:
            raise NoSound("device", str(error)) from error
        return list(dict.fromkeys(found))

    @in_turn
    def look_again(self) -> None:
        """Make PortAudio list the devices anew; every stream has to be closed by then."""
        library = _library()
        library._terminate()
        library._initialize()

    @in_turn
    def open(self, rate: int, callback: Callback, key: str = "", latency: float = LATENCY) -> OutputStream:
        """Open and start the output device."""
        library = _library()
        device = self._device(library, key)
        index = int(device["index"])
        channels = max(1, min(2, int(device["max_output_channels"])))
        try:
            library.check_output_settings(device=index, channels=channels, samplerate=rate, dtype="float32")
        except (library.PortAudioError, ValueError):
            rate = int(device["default_samplerate"])
        try:
            return _PortAudioStream(library, index, rate, channels, callback, latency)
        except (library.PortAudioError, ValueError, OSError) as error:
            raise NoSound("failed", str(error)) from error

    def _device(self, library: Any, key: str) -> dict[str, Any]:
        try:
            if key:
                for device in library.query_devices():
                    if _plays(device) and named(library, device).key == key:
                        return dict(device)
                log.info("The chosen sound device is not there; the system's is used")
            return dict(library.query_devices(kind="output"))
        except (library.PortAudioError, ValueError, OSError) as error:
            raise NoSound("device", str(error)) from error


class _PortAudioStream:
    """A running PortAudio output."""

    def __init__(self, library: Any, device: int, rate: int, channels: int, callback: Callback, latency: float) -> None:
        def fill(out: np.ndarray, frames: int, time: object, status: Any) -> None:
            if status.output_underflow:
                self.underflows += 1
            callback(out)

        self.underflows = 0
        self._stream = library.OutputStream(
            device=device, samplerate=rate, channels=channels, dtype="float32", latency=latency, callback=fill
        )
        self.rate = rate
        self.latency = float(self._stream.latency)
        self._closed = False
        try:
            self._stream.start()
        except Exception:
            self.close()  # a device that is held and does not play would be lost to all others
            raise

    @property
    def active(self) -> bool:
        return not self._closed and bool(self._stream.active)

    @in_turn
    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._stream.abort(ignore_errors=True)
            self._stream.close(ignore_errors=True)


def _plays(device: dict[str, Any]) -> bool:
    return int(device["max_output_channels"]) > 0
