"""The settings: one field for each entry of the table, each with an effect, listed shortcuts, and a way back."""

import re

import pytest
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QDoubleSpinBox, QLineEdit, QSpinBox

from app.core.settings_table import sections
from app.style import DARK

CHINESE = re.compile(r"[\u4e00-\u9fff]")


@pytest.fixture
def dialog(studio):
    studio.window.menus.actions["settings"].trigger()
    return studio.window.dialogs.settings_dialog


def enter(dialog, key, value):
    """Change a field as a person does."""
    editor = dialog.fields[key].editor
    match editor:
        case QCheckBox():
            if editor.isChecked() != value:
                editor.click()
        case QComboBox():
            editor.setCurrentIndex(editor.findData(value))
            editor.activated.emit(editor.currentIndex())
        case QSpinBox() | QDoubleSpinBox():
            editor.setValue(value)
        case QLineEdit():
            editor.setText(value)
            editor.editingFinished.emit()


def job(studio):
    return studio.compose.job()


def scale_of_a_new_start(studio, monkeypatch):
    import os

    import app.__main__ as program

    studio.settings.save()
    monkeypatch.delenv("QT_SCALE_FACTOR", raising=False)
    monkeypatch.setattr(program, "default_settings_file", lambda: studio.settings._path)
    program._scale()
    return os.environ.pop("QT_SCALE_FACTOR", "1")


EFFECTS = {  # key: (value to choose, how the effect is seen, what it is then)
    "language": ("zh_CN", lambda s, d: s.compose.generate.text(), "生成"),
    "theme": ("dark", lambda s, d: s.window.palette().color(QPalette.ColorRole.Window).name(), DARK.window),
    "load_at_start": (False, lambda s, d: s.window.menus.actions["load_at_start"].isChecked(), False),
    "output_device": ("other device\nFake", lambda s, d: s.player.device_name, "other device"),
    "input_device": ("other microphone\nFake", lambda s, d: s.application.recorder.device_name, "other microphone"),
    "device": ("cuda", lambda s, d: s.fake.places[-1][0], "cuda"),
    "dtype": ("bfloat16", lambda s, d: s.fake.places[-1][1], "bfloat16"),
    "mirror": ("nowhere", lambda s, d: "no address" in fetch(s).message, True),
    "offline": (True, lambda s, d: fetch(s).code, "offline"),
    "takes": (3, lambda s, d: job(s).takes, 3),
    "audible_notice": ("start", lambda s, d: s.window._saver.tools.audible(), "start"),
    "retries": (2, lambda s, d: len(doubtful(s)), 3),
    "steps": (33, lambda s, d: job(s).steps, 33),
    "cfg": (3.5, lambda s, d: job(s).cfg, 3.5),
    "temperature": (0.5, lambda s, d: job(s).temperature, 0.5),
    "own_sampling": (False, lambda s, d: s.compose.advanced.own.isChecked(), False),
    "min_patches": (9, lambda s, d: job(s).min_patches, 9),
    "retry_ratio": (4.5, lambda s, d: job(s).retry_ratio, 4.5),
    "max_patches": (77, lambda s, d: job(s).max_patches, 77),
    "normalize": (True, lambda s, d: job(s).normalize, True),
    "play_while_made": (False, lambda s, d: (s.generate(), s.player.is_active)[1], False),
}
# Tested below, with folders, with the quality card, and with the engine.
FOLDERS = {"model_folder", "models_folder", "open_folder", "save_folder"}
SEEN_ELSEWHERE = {"scale", "engine", "quality_card", "recogniser_folder", *FOLDERS}


def fetch(studio):
    downloads = studio.window.dialogs.downloads
    downloads.start("VoxCPM2")
    studio.qtbot.waitUntil(lambda: downloads.of("VoxCPM2").failure is not None, timeout=30000)
    return downloads.of("VoxCPM2").failure


def doubtful(studio):
    """All takes that come of one press of Generate when every take is doubtful."""
    studio.fake.flags = ("doubtful: too long",)
    studio.compose.text.setPlainText("Good evening.")
    studio.compose.generate.click()
    wanted = 1 + studio.settings.get("retries")
    studio.qtbot.waitUntil(lambda: len(studio.store.takes) == wanted and studio.engine.job is None, timeout=10000)
    return studio.store.takes


@pytest.mark.parametrize("key", EFFECTS)
def test_every_setting_takes_effect_at_once(studio, dialog, tmp_path, key):
    studio.settings.set("models_folder", str(tmp_path / "models"))
    value, seen, wanted = EFFECTS[key]
    enter(dialog, key, value)
    assert studio.settings.get(key) == value
    studio.qtbot.waitUntil(lambda: not studio.engine.is_loading and studio.engine.model is not None)
    if key == "language":  # widgets are told by an event
        studio.qtbot.waitUntil(lambda: seen(studio, dialog) == wanted)
    assert seen(studio, dialog) == wanted


def test_folders_take_effect(studio, dialog, tmp_path, model_folder):
    folder = model_folder("mine")
    with studio.qtbot.waitSignal(studio.engine.model_loaded):
        enter(dialog, "model_folder", str(folder))
    assert studio.fake.loads[-1] == str(folder)
    with studio.qtbot.waitSignal(studio.engine.model_loaded):
        enter(dialog, "model_folder", "")
    assert studio.fake.loads[-1].endswith("demo-voice")
    enter(dialog, "models_folder", str(tmp_path / "big disk"))
    assert studio.window.dialogs.downloads.folder_of("VoxCPM2") == tmp_path / "big disk" / "VoxCPM2"
    enter(dialog, "open_folder", str(tmp_path / "sounds"))
    assert studio.compose.clone.drop.start_folder == str(tmp_path / "sounds")
    enter(dialog, "save_folder", str(tmp_path))
    studio.generate()
    studio.takes_panel.save_current()
    from PySide6.QtWidgets import QFileDialog

    (asked,) = studio.window.findChildren(QFileDialog)
    assert asked.directory().absolutePath() == str(tmp_path)
    asked.reject()


def test_the_size_of_everything_counts_at_the_next_start(studio, dialog, monkeypatch):
    assert scale_of_a_new_start(studio, monkeypatch) == "1"
    enter(dialog, "scale", 175)
    assert scale_of_a_new_start(studio, monkeypatch) == "1.75"
    assert "next start" in dialog._helps["scale"].text()


def test_no_setting_is_left_out(dialog):
    shown = {setting.key for entries in sections().values() for setting in entries}
    assert set(dialog.fields) == shown
    assert shown == set(EFFECTS) | SEEN_ELSEWHERE


def test_a_change_elsewhere_is_shown(studio, dialog):
    studio.compose.takes.setValue(2)
    assert dialog.fields["takes"].editor.value() == 2
    studio.window.menus.actions["theme_light"].trigger()
    assert dialog.fields["theme"].editor.currentData() == "light"


def test_everything_goes_back_to_what_it_was_at_first(studio, dialog):
    enter(dialog, "takes", 3)
    enter(dialog, "cfg", 5.0)
    studio.settings.set("recent_models", ["/somewhere"])
    dialog.reset_button.click()
    assert (studio.settings.get("takes"), studio.settings.get("cfg"), studio.compose.takes.value()) == (1, 2.0, 1)
    assert dialog.fields["cfg"].editor.value() == 2.0
    assert studio.settings.get("recent_models") == ["/somewhere"]  # what is not shown here stays


def test_every_shortcut_is_listed(studio, dialog):
    table = dialog.shortcuts
    listed = {table.item(row, 1).text() for row in range(table.rowCount())}
    for action in studio.window.menus.actions.values():
        for key in action.shortcuts():
            assert any(key.toString() in text.split(", ") for text in listed), action.text()
    assert "Esc" in listed and table.rowCount() >= 12


def test_what_a_variable_says_cannot_be_changed_here(make_studio, monkeypatch):
    monkeypatch.setenv("VOXCPM_OFFLINE", "1")
    studio = make_studio().show()
    studio.window.dialogs.show_settings()
    dialog = studio.window.dialogs.settings_dialog
    assert not dialog.fields["offline"].isEnabled() and "VOXCPM_OFFLINE" in dialog._helps["offline"].text()


def test_it_is_whole_in_chinese_and_nothing_is_modal(studio, dialog):
    enter(dialog, "language", "zh_CN")
    studio.qtbot.waitUntil(lambda: dialog.windowTitle() == "设置")
    for key, field in dialog.fields.items():
        assert CHINESE.search(dialog._labels[key].text()) and CHINESE.search(dialog._helps[key].text()), key
        if isinstance(field.editor, QComboBox) and key != "language":
            assert all(CHINESE.search(field.editor.itemText(row)) for row in range(len(field.setting.choices))), (
                key
            )  # devices have names of their own
    assert all(CHINESE.search(dialog.tabs.tabText(row)) for row in range(dialog.tabs.count()))
    assert QApplication.activeModalWidget() is None


def test_retries_stop_when_a_take_is_fine_and_can_be_stopped(studio):
    studio.settings.set("retries", 0)
    assert len(doubtful(studio)) == 1
    studio.settings.set("retries", 3)
    studio.fake.step_delay = 0.02
    studio.compose.generate.click()
    studio.qtbot.waitUntil(lambda: len(studio.store.takes) == 3)  # the first retry runs
    studio.fake.flags = ()
    studio.qtbot.waitUntil(lambda: studio.engine.job is None)
    assert len(studio.store.takes) == 3
    seeds = [take.seed for take in studio.store.takes]
    assert len(set(seeds)) == 3


def test_what_the_machine_has_can_be_chosen_and_what_is_gone_stays_chosen(make_studio):
    from app.core.memory_need import Device, Machine

    studio = make_studio()
    studio.settings.set("output_device", "headset\nUSB")
    studio.settings.set("device", "cuda:1")
    studio.show()
    assert studio.fake.places[-1][0] == "cuda:1"
    cards = tuple(Device(name, 1 << 34, 1 << 34) for name in ("cpu", "cuda:0", "cuda:1", "cuda:2"))
    studio.window.dialogs.facts.machine = Machine("cuda", True, cards)
    studio.window.dialogs.show_settings()
    fields = studio.window.dialogs.settings_dialog.fields
    sounds, places = fields["output_device"].editor, fields["device"].editor
    assert sounds.currentText() == "headset · USB"
    assert [sounds.itemText(row) for row in range(sounds.count())] == [
        "The system's choice", "fake device (Fake)", "other device (Fake)", "headset · USB",
    ]  # fmt: skip
    assert places.currentData() == "cuda:1" and places.currentText() == "NVIDIA graphics card 2"
    enter(studio.window.dialogs.settings_dialog, "device", "cuda:2")
    studio.qtbot.waitUntil(lambda: studio.fake.places[-1][0] == "cuda:2")
    assert not fields["device"].setting.accepts("cuda:x") and not fields["device"].setting.accepts("cuda:1; rm")
