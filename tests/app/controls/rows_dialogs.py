"""The windows of the models and of the settings."""

from __future__ import annotations

import os

import pytest
from PySide6.QtWidgets import QLineEdit

import app.__main__ as program
from app.application import make_engine
from app.core.models import default_model_dir
from app.core.settings import Settings
from app.core.settings_table import Kind, by_key, sections
from app.downloads import DownloadState
from tests.app.controls.stage import LONG, unfolds
from tests.app.test_settings_dialog import EFFECTS, enter
from tests.voxcpm.hub_server import HubServer

FOLDERS = ("model_folder", "models_folder", "recogniser_folder", "open_folder", "save_folder")


def settings(stage):
    stage.window.dialogs.show_settings()
    return stage.window.dialogs.settings_dialog


def setting(key, value, seen, wanted):
    """The field changes the setting, and the setting has its effect."""

    def row(stage):
        stage.settings.set("models_folder", str(stage.tmp / "models"))
        dialog = settings(stage)
        enter(dialog, key, value)
        assert stage.settings.get(key) == value
        stage.wait(lambda: not stage.engine.is_loading and stage.engine.model is not None)
        if key in ("language", "offline"):  # widgets are told by an event; an earlier download may have failed too
            stage.wait(lambda: seen(stage, dialog) == wanted)
        assert seen(stage, dialog) == wanted
        dialog.reset_button.click()
        stage.wait(lambda: not stage.engine.is_loading and stage.engine.model is not None)
        stage.settings.set("language", "en")
        stage.fake.flags = ()

    return row


def at_the_next_start(stage):
    """The size of everything is for the next program, whose start looks into the settings."""
    enter(settings(stage), "scale", 150)
    stage.settings.save()
    assert Settings(stage.settings._path).get("scale") == 150
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("QT_SCALE_FACTOR", raising=False)
        patch.setattr(program, "default_settings_file", lambda: stage.settings._path)
        patch.setattr(program.os, "environ", dict(os.environ))
        program._scale()
        assert program.os.environ["QT_SCALE_FACTOR"] == "1.5"
    enter(settings(stage), "scale", 100)


def engine(stage):
    """The next start makes the engine that was chosen."""
    made = {}
    for value in ("thread", "process"):
        enter(settings(stage), "engine", value)
        one = make_engine(stage.application.library, stage.settings.get("engine"))
        made[value] = type(one).__name__
        one.close()
    assert made == {"thread": "LocalEngine", "process": "ChildEngine"}


def judged(stage):
    """Takes are measured while it is on."""
    enter(settings(stage), "quality_card", False)
    take = stage.take()
    assert stage.window.quality._board.card(take) is None
    enter(settings(stage), "quality_card", True)
    take = stage.take()
    stage.wait(lambda: stage.window.quality._board.card(take) is not None)
    enter(settings(stage), "quality_card", False)


def folder(key):
    def row(stage):
        path = stage.model_folder(f"folder{len(stage.fake.loads)}") if key == "model_folder" else stage.tmp
        dialog = settings(stage)
        dialog.fields[key].browse.click()
        stage.answer_file(path)
        assert stage.settings.get(key) == str(path) and isinstance(dialog.fields[key].editor, QLineEdit)
        enter(dialog, key, "")
        assert stage.settings.get(key) == ""
        stage.wait(lambda: not stage.engine.is_loading)

    return row


def resets(stage):
    dialog = settings(stage)
    enter(dialog, "steps", 44)
    dialog.reset_button.click()
    assert stage.settings.get("steps") == 10 and stage.compose.advanced.steps.value() == 10


def closes(stage):
    dialog = settings(stage)
    dialog.close_button.click()
    assert not dialog.isVisible()


def turns(stage):
    dialog = settings(stage)
    for index in range(dialog.tabs.count()):
        dialog.tabs.tabBar().setCurrentIndex(index)
        assert dialog.tabs.currentWidget().isVisible()


def lists(stage):
    dialog = settings(stage)
    dialog.tabs.setCurrentWidget(dialog.shortcuts)
    assert dialog.shortcuts.isVisible() and dialog.shortcuts.rowCount() >= 12


SETTINGS = {
    **{f"SettingsDialog.fields[{key}].editor": setting(key, *effect) for key, effect in EFFECTS.items()},
    **{f"SettingsDialog.fields[{key}].editor": folder(key) for key in FOLDERS},
    **{f"SettingsDialog.fields[{key}].browse": folder(key) for key in FOLDERS},
    "SettingsDialog.fields[scale].editor": at_the_next_start,
    "SettingsDialog.fields[engine].editor": engine,
    "SettingsDialog.fields[quality_card].editor": judged,
    "SettingsDialog.tabs.bar": turns,
    "SettingsDialog.shortcuts": lists,
    "SettingsDialog.reset_button": resets,
    "SettingsDialog.close_button": closes,
}
assert set(FOLDERS) == {one.key for many in sections().values() for one in many if one.kind is Kind.FOLDER}
assert by_key()


def models(stage):
    stage.settings.set("models_folder", str(stage.tmp / f"downloaded{len(list(stage.tmp.iterdir()))}"))
    stage.window.dialogs.show_models()
    manager = stage.window.dialogs.manager
    manager.list.setCurrentRow(0)
    return manager


def placed(key, value):
    def row(stage):
        manager = models(stage)
        box = getattr(manager, key)
        with stage.qtbot.waitSignal(stage.engine.model_loaded, timeout=LONG):
            box.setCurrentIndex(box.findData(value))
            box.activated.emit(box.currentIndex())
        assert value in stage.fake.places[-1]

    return row


def unloads(stage):
    manager = models(stage)
    with stage.qtbot.waitSignal(stage.engine.unloaded, timeout=LONG):
        manager.unload.click()
    with stage.qtbot.waitSignal(stage.engine.model_loaded, timeout=LONG):
        manager.load.click()
    assert stage.fake.loads[-1] == str(default_model_dir())


def fetches(stage):
    manager = models(stage)
    with HubServer("openbmb/VoxCPM2", default_model_dir()) as server:
        stage.settings.set("mirror", server.endpoint)
        manager.list.setCurrentRow(1)
        assert "VoxCPM2" in manager.list.item(1).text() and manager.fetch.isVisible()
        with stage.qtbot.waitSignal(stage.window.dialogs.downloads.arrived, timeout=120_000):
            manager.fetch.click()
    manager.check.click()
    downloads = stage.window.dialogs.downloads
    stage.wait(lambda: downloads.of("VoxCPM2").checked and downloads.of("VoxCPM2").state is DownloadState.HERE)
    stage.settings.set("mirror", "")


def offline(stage):
    manager = models(stage)
    before = stage.settings.get("offline")
    manager.offline.click()
    assert stage.settings.get("offline") is not before
    manager.offline.click()


def browses(stage):
    manager = models(stage)
    manager.browse.click()
    path = stage.model_folder(f"browsed{len(stage.fake.loads)}")
    with stage.qtbot.waitSignal(stage.engine.model_loaded, timeout=LONG):
        stage.answer_file(path)
    assert stage.fake.loads[-1] == str(path)


def more(stage):
    models(stage).more.click()
    assert stage.window.dialogs.settings_dialog.isVisible()
    stage.window.dialogs.settings_dialog.close()


def manager_closes(stage):
    manager = models(stage)
    manager.close_button.click()
    assert not manager.isVisible()


def lora(stage):
    manager = models(stage)
    manager.lora.choose.click()
    with stage.qtbot.waitSignal(stage.engine.lora_changed, timeout=LONG):
        stage.answer_file(stage.tmp / "warm")
    with stage.qtbot.waitSignal(stage.engine.lora_changed, timeout=LONG):
        manager.lora.strength.setValue(0.5)
    assert stage.fake.loras[-1] == (str(stage.tmp / "warm"), 0.5)
    with stage.qtbot.waitSignal(stage.engine.lora_changed, timeout=LONG):
        manager.lora.off.click()
    assert stage.fake.loras[-1][0] == ""


MODELS = {
    "ModelManager.list": fetches,
    "ModelManager.load": unloads,
    "ModelManager.unload": unloads,
    "ModelManager.fetch": fetches,
    "ModelManager.check": fetches,
    "ModelManager.device": placed("device", "cuda"),
    "ModelManager.dtype": placed("dtype", "bfloat16"),
    "ModelManager.offline": offline,
    "ModelManager.lora.choose": lora,
    "ModelManager.lora.strength": lora,
    "ModelManager.lora.off": lora,
    "ModelManager.browse": browses,
    "ModelManager.more": more,
    "ModelManager.close_button": manager_closes,
    "ModelManager.problem.details_button": unfolds(lambda s: models(s).problem),
    "ModelManager.lora.problem.details_button": unfolds(lambda s: models(s).lora.problem),
}
AREAS = {"settings": SETTINGS, "models": MODELS}
DIALOGS = {"SettingsDialog": settings, "ModelManager": models}
