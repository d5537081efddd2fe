"""Done when 2: every control of the live window reaches the model call, the file or what is seen.

The controls are enumerated from the live widget tree. Each has a row in one of ``tests/app/controls/rows_*.py`` that
works it and looks at what comes of it: the request that the engine got, the bytes that were written, the effect.
"""

import importlib
import pkgutil
import traceback

import pytest

from app.core import sensitive_lists
from tests.app import controls
from tests.app.controls.enumerate import controls as controls_of
from tests.app.controls.enumerate import dialog_classes
from tests.app.controls.stage import Stage

MODULES = [
    importlib.import_module(f"{controls.__name__}.{module.name}")
    for module in pkgutil.iter_modules(controls.__path__)
    if module.name.startswith("rows_")
]
AREAS = {area: rows for module in MODULES for area, rows in module.AREAS.items()}
DIALOGS = {name: opener for module in MODULES for name, opener in getattr(module, "DIALOGS", {}).items()}
ROWS = {name: row for rows in AREAS.values() for name, row in rows.items()}
HOW = """
Every control needs a row that shows what it reaches. Add a line to an AREAS table in tests/app/controls/rows_*.py
(a new rows_<area>.py is found by itself; a new dialog needs a line in DIALOGS as well), for example
  "compose.takes": asks(lambda s: s.compose.takes.setValue(2), takes=2),  # so the next request differs, in nothing else
  "panel.mute": shows(lambda s: s.window.panel.mute.click(), lambda s: s.player.volume, 0.0),  # what is seen then
  "panel.export": writes(lambda s: s.window.panel.export.click(), "a.wav", is_marked),  # the bytes that are written
"""


@pytest.fixture
def stage(make_studio, tmp_path, speech, model_folder, monkeypatch):
    """The studio on a stage, with settings of its own."""
    monkeypatch.setattr(sensitive_lists, "default_settings_file", lambda: tmp_path / "config" / "settings.json")
    made = Stage(make_studio().show(), tmp_path, speech, model_folder)
    made.window.resize(1400, 900)
    return made


ABSTRACT = {"GrowingDialog"}


def test_every_control_has_a_row_and_every_row_a_control(stage):
    names = list(controls_of(stage.window))
    assert {kind.__name__ for kind in dialog_classes()} - ABSTRACT == set(DIALOGS), HOW
    for opener in DIALOGS.values():
        dialog = opener(stage)
        names += controls_of(dialog)
        dialog.close()
    nameless = [name for name in names if "?" in name]
    assert not nameless, f"no attribute holds these: {nameless}"
    missing, gone = sorted(set(names) - set(ROWS)), sorted(set(ROWS) - set(names))
    assert not missing and not gone, f"controls without a row: {missing}\nrows without a control: {gone}{HOW}"


@pytest.mark.parametrize("area", AREAS)
def test_what_every_control_reaches(stage, area):
    failed = []
    for name, row in AREAS[area].items():
        try:
            row(stage)
        except Exception:
            failed.append(f"{name}\n{traceback.format_exc(limit=-4)}")
    assert not failed, "\n\n".join(failed)


def test_a_new_control_without_a_row_is_found(stage):
    from PySide6.QtWidgets import QPushButton

    stage.window.rail.surprise = QPushButton(stage.window.rail)
    assert "rail.surprise" in set(controls_of(stage.window)) - set(ROWS)
