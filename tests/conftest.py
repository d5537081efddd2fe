"""What all tests share."""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The tiny models gain nothing from a second thread, and threads that wait for each other stall on a busy machine.
# Set before torch is imported; processes that tests start inherit it.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# No test writes into the keyring or the data folder of whoever runs it.
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
_DATA = tempfile.TemporaryDirectory(prefix="voxcpm-test-data-")
os.environ["VOXCPM_DATA"] = _DATA.name
os.environ["VOXCPM_PICKLE_LIST"] = str(Path(_DATA.name) / "known_pickles.json")

# How long an example takes says how busy the machine is, and nothing about the program.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")

_HERE = Path(__file__).resolve().parent
_SCRIPTS = _HERE.parent / "packaging" / "demo_voice"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch):
    """Imports a script of the demo voice by name; forgotten afterwards."""
    if not _SCRIPTS.is_dir():
        pytest.skip("not in an installed package")
    monkeypatch.syspath_prepend(str(_SCRIPTS))
    before = set(sys.modules)
    yield importlib.import_module
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", None) and _SCRIPTS in Path(sys.modules[name].__file__).parents:
            del sys.modules[name]


def parity_dir() -> Path:
    """The recorded parity data: the full set beside the checkout where there is one, else the copy in the fixtures."""
    shared = _HERE.parent.parent / "shared" / "parity"
    return shared if shared.is_dir() else _HERE / "fixtures" / "parity"
