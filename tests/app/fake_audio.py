"""FAKEAUDIO: a sound device of plain objects that can be pulled, can vanish and can fail."""

import threading

import numpy as np

from app.audio.portaudio import AudioDevice, NoSound


class FakeStream:
    """Pulls blocks from the player on a thread of its own, ten times as fast as a device, and keeps what it got."""

    def __init__(self, rate, callback, block=512, speed=10.0, latency=0.05):
        self.rate = rate
        self.latency = latency
        self.vanished = False
        self.underflows = 0
        self._callback = callback
        self._block = block
        self._wait = block / rate / speed
        self._stop = threading.Event()
        self._heard = []
        self._thread = threading.Thread(target=self._pull, daemon=True)
        self._thread.start()

    @property
    def active(self):
        return not self._stop.is_set() and not self.vanished

    def close(self):
        self._stop.set()
        if self._thread is not threading.current_thread():
            self._thread.join(5)

    @property
    def heard(self):
        """Everything that came out so far, float32 [n], both channels checked to be equal."""
        blocks = list(self._heard)
        return np.concatenate(blocks) if blocks else np.zeros(0, np.float32)

    def _pull(self):
        while not self._stop.wait(self._wait):
            out = np.full((self._block, 2), np.nan, np.float32)
            self._callback(out)
            assert np.array_equal(out[:, 0], out[:, 1])
            self._heard.append(out[:, 0].copy())


class FakeInput:
    """A microphone that hears what ``speak`` is given, at once, on the thread that speaks."""

    latency = 0.0

    def __init__(self, rate, callback):
        self.rate = rate
        self.vanished = False
        self.closed = False
        self._callback = callback

    @property
    def active(self):
        return not self.closed and not self.vanished

    def speak(self, samples, block=480, overflow=False):
        samples = np.asarray(samples, np.float32)
        for start in range(0, len(samples), block):
            if self.active:
                buffer = samples[start : start + block].copy()
                self._callback(buffer, overflow)
                buffer[:] = np.nan  # a device uses its buffer again
            overflow = False

    def close(self):
        self.closed = True


class FakeAudio:
    """``names`` are those of the devices.

    ``rates`` None = the device takes any; else only those. ``missing`` is the code of NoSound to raise.
    """

    def __init__(self, rates=None, missing=""):
        self.rates = rates
        self.missing = missing
        self.streams = []
        self.opened = []
        self.names = ["fake device", "other device"]
        self.microphones = ["fake microphone", "other microphone"]
        self.input_rate = 48000
        self.input_missing = missing
        self.heard = []
        self.probes = 0

    def probe(self, key=""):
        self.probes += 1
        return self._name(key)

    def devices(self):
        self._check()
        return [AudioDevice(name, "Fake") for name in self.names]

    def look_again(self):
        pass

    def open(self, rate, callback, key="", latency=0.2):
        self.opened.append(self._name(key))
        stream = FakeStream(rate if self.rates is None or rate in self.rates else self.rates[0], callback)
        self.streams.append(stream)
        return stream

    def inputs(self):
        self._check_input()
        return [AudioDevice(name, "Fake") for name in self.microphones]

    def probe_input(self, key=""):
        return next((device.name for device in self.inputs() if device.key == key), self.microphones[0])

    def open_input(self, callback, key=""):
        self._check_input()
        self.opened.append(self.probe_input(key))
        stream = FakeInput(self.input_rate, callback)
        self.heard.append(stream)
        return stream

    @property
    def microphone(self):
        """The one that was opened last."""
        return self.heard[-1]

    def unplug_microphone(self):
        self.input_missing = "device"
        for stream in self.heard:
            stream.vanished = True

    def vanish(self):
        self.missing = "device"
        for stream in self.streams:
            stream.vanished = True

    def _name(self, key):
        return next((device.name for device in self.devices() if device.key == key), self.names[0])

    def _check_input(self):
        if self.input_missing:
            raise NoSound(self.input_missing, "pretended")

    def _check(self):
        if self.missing:
            raise NoSound(self.missing, "pretended")


def trimmed(samples, threshold=1e-4):
    """Return the part of ``samples`` between the first and the last value above the threshold."""
    loud = np.flatnonzero(np.abs(samples) > threshold)
    return samples[loud[0] : loud[-1] + 1] if loud.size else samples[:0]
