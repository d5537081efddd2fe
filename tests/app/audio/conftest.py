"""A PulseAudio server of our own, with a sink that goes nowhere and a monitor that can be recorded."""

import contextlib
import os
import shutil
import subprocess
import time

import numpy as np
import pytest

_SINK = "module-null-sink sink_name=studio_out rate=48000 channels=2 format=s16le"
_MICROPHONE = (
    "module-null-sink sink_name=studio_mic_in rate=48000 channels=1 format=s16le",
    "module-remap-source master=studio_mic_in.monitor source_name=studio_mic",
)


@pytest.fixture(scope="session")
def null_sink(tmp_path_factory):
    """Start a PulseAudio server of our own whose sink goes nowhere but to its monitor.

    Silence is played to it all the time. A null sink that nobody plays to has rendered up to 2 s ahead; when a stream
    begins it takes that back, and its monitor drops what it held back itself: a recorder then misses the first 150 ms
    or more of the stream, though the sink does not.
    """
    with _pulse(tmp_path_factory.mktemp("pulse"), _SINK) as (environment, _):
        subprocess.run(["pactl", "set-default-sink", "studio_out"], env=environment, check=True)
        silence = subprocess.Popen(
            ["pacat", "-d", "studio_out", "--rate=48000", "--channels=2", "--format=s16le", "--raw",
             "--latency-msec=20", "/dev/zero"], env=environment,
        )  # fmt: skip
        try:
            yield environment
        finally:
            silence.terminate()
            silence.wait(10)


@pytest.fixture(scope="session")
def microphone(tmp_path_factory):
    """Start a server whose microphone hears what is played to ``studio_mic_in``; returns its environment."""
    with _pulse(tmp_path_factory.mktemp("microphone"), _SINK, *_MICROPHONE) as (environment, _):
        _listen_to_the_microphone(environment)
        yield environment


@pytest.fixture
def own_microphone(tmp_path):
    """Make a microphone on a server that a test may end: environment, process."""
    folder = tmp_path / "pulse"
    folder.mkdir()
    with _pulse(folder, _SINK, *_MICROPHONE) as started:
        _listen_to_the_microphone(started[0])
        yield started


def _listen_to_the_microphone(environment):
    subprocess.run(["pactl", "set-default-source", "studio_mic"], env=environment, check=True)
    subprocess.run(["pactl", "set-default-sink", "studio_out"], env=environment, check=True)


@contextlib.contextmanager
def _pulse(folder, *modules):
    """Run a PulseAudio server in ``folder``: environment, process."""
    for program in ("pulseaudio", "pactl", "pacat", "parec"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    folder.chmod(0o700)
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(folder), "HOME": str(folder), "LC_ALL": "C.UTF-8"}
    environment.pop("PULSE_SERVER", None)
    loaded = [part for module in ("module-native-protocol-unix", *modules) for part in ("-L", module)]
    server = subprocess.Popen(
        ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--disallow-exit", *loaded],
        env=environment, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        for _ in range(100):
            if subprocess.run(["pactl", "info"], env=environment, capture_output=True, check=False).returncode == 0:
                break
            time.sleep(0.1)
        else:
            pytest.skip("pulseaudio did not start")
        yield environment, server
    finally:
        server.terminate()
        server.wait(10)


@contextlib.contextmanager
def recorded(environment, path):
    """Record the monitor into ``path`` while the block runs; ``monitor_samples`` reads it."""
    with path.open("wb") as file:
        recorder = subprocess.Popen(
            ["parec", "-d", "studio_out.monitor", "--rate=48000", "--channels=1", "--format=s16le", "--raw",
             "--latency-msec=20"], env=environment, stdout=file,
        )  # fmt: skip
        try:
            deadline = time.monotonic() + 30
            while path.stat().st_size < 4800:  # until the recorder records nothing may play
                assert time.monotonic() < deadline, "parec does not record"
                time.sleep(0.02)
            yield
        finally:
            recorder.terminate()
            recorder.wait(10)


def monitor_samples(path):
    """What was recorded, float32 [n] at 48 kHz."""
    return np.frombuffer(path.read_bytes(), np.int16).astype(np.float32) / 32768
