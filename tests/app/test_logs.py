"""The log holds ids, lengths and kinds of errors: whatever people write or name never gets into it."""

import logging
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import app.__main__ as program
from app.logs import LOG_NAME, PrivateFormatter, start_logging

CANARIES = {
    "text": "zebracanary speaks softly",
    "description": "ocelotcanary voice",
    "transcript": "lynxcanary said this",
    "name": "Wolfcanary Person",
    "folder": "heroncanary",
    "error": "badgercanary broke",
}


@pytest.fixture
def logged(tmp_path):
    """The log of this test, as text."""
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    file = start_logging(tmp_path / "log")
    yield lambda: (tmp_path / "log" / LOG_NAME).read_text(encoding="utf-8")
    for handler in root.handlers:
        handler.close()
    root.handlers[:], root.level = before, level
    import faulthandler

    faulthandler.disable()
    file.close()


def test_canaries_of_a_whole_session_are_not_in_the_log(logged, make_studio, tmp_path, fake_engine, monkeypatch):
    home = tmp_path / CANARIES["folder"]
    (home / "model").mkdir(parents=True)
    (home / "model" / "config.json").write_text("{}")
    (home / "model" / "model_card.json").write_text("damaged")
    studio = make_studio(data_folder=home / "library", settings_file=home / "settings.json").show()
    studio.open_model(home / "model")
    studio.compose.design.edit.setText(CANARIES["description"])
    (take,) = studio.generate(CANARIES["text"])
    with studio.qtbot.waitSignal(studio.window._saver.saved):
        studio.window.save_take(take, str(home / "take.wav"))
    fake_engine.fail_at_patch = 1

    def broken(job):
        raise RuntimeError(f"{CANARIES['error']} in {home} with {job.text} by {CANARIES['name']}")

    monkeypatch.setattr(fake_engine, "plan", broken)
    studio.generate(CANARIES["text"] + " again")
    with studio.qtbot.waitSignal(studio.window._saver.failed):
        studio.window.save_take(take, str(home / "no" / "such" / "take.wav"))
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    program._report_unexpected_errors(studio.application)
    try:
        try:
            raise ValueError(CANARIES["error"])
        except ValueError as error:
            raise RuntimeError(CANARIES["name"]) from error
    except RuntimeError as error:
        sys.excepthook(type(error), error, error.__traceback__)
    assert CANARIES["name"] in studio.window.notice.message  # people are told, on the screen
    logging.getLogger("someoneelse").warning("about %s", CANARIES["transcript"])
    logging.getLogger("someoneelse").warning("plainly lynxcanary")
    text = logged()
    for word in ("canary", str(tmp_path)):
        assert word not in text.lower(), text
    assert "RuntimeError\n" in text and "ValueError\n" in text and "test_logs.py" in text
    assert "someoneelse" in text and "characters" in text


def test_ids_numbers_and_kinds_stay():
    def line(message, *args):
        return PrivateFormatter().format(logging.LogRecord("app.x", logging.INFO, "", 1, message, args, None))

    voice = "6f1c2b1e-0f3a-4a59-9d5e-0123456789ab"
    shown = line("voice %s, %d times, %s, %.1f s, %s", voice, 3, "ConsentError", 2.5, OSError("/home/me/secret"))
    assert shown.endswith(f"voice {voice}, 3 times, ConsentError, 2.5 s, OSError")
    assert line("%s and %s", "Ada", ["a", "b"]).endswith("<str of 3> and <list of 2>")
    assert line("%(who)s", {"who": "Ada"}).endswith("<str of 3>")


@given(st.text(min_size=1), st.text(min_size=1))
def test_no_text_survives(text, other):
    record = logging.LogRecord("app.x", logging.INFO, "", 1, "%s|%s", (f"«{text}»", (other,)), None)
    shown = PrivateFormatter().format(record).split(": ", 1)[1]
    assert shown == f"<str of {len(text) + 2}>|<tuple of 1>"


def test_the_log_is_rotated_and_a_folder_that_cannot_be_written_to_is_no_crash(logged, tmp_path):
    log = logging.getLogger("app.rotation")
    for number in range(40_000):
        log.info("line %d of many, so that the file has to be changed for another one some time", number)
    names = sorted(path.name for path in (tmp_path / "log").iterdir())
    assert {"studio.log", "studio.log.1", "studio.log.2"} <= set(names) and "studio.log.3" not in names
    assert all(path.stat().st_size <= 1_000_000 for path in (tmp_path / "log").iterdir())


def test_logging_goes_on_without_a_folder(tmp_path, monkeypatch):
    import faulthandler

    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    monkeypatch.setattr(faulthandler, "enable", lambda *args: None)
    (tmp_path / "file").write_text("in the way")
    try:
        assert start_logging(tmp_path / "file" / "log") is None
        assert len(root.handlers) == 1
    finally:
        root.handlers[:], root.level = before, level


def test_the_notice_can_be_copied_with_its_details(studio):
    from PySide6.QtGui import QGuiApplication

    notice = studio.window.notice
    notice.show_notice("It did not work.", "Traceback: line 1")
    notice.copy_button.click()
    copied = QGuiApplication.clipboard().text()
    assert "It did not work." in copied and "Traceback: line 1" in copied
    notice.show_notice("Only this.")
    assert not notice.copy_button.isVisible()


def test_the_size_of_everything_is_set_before_there_is_a_window(tmp_path, monkeypatch):
    from app.core.settings import Settings

    path = tmp_path / "settings.json"
    settings = Settings(path, {})
    settings.set("scale", 150)
    settings.save()
    monkeypatch.setattr(program, "default_settings_file", lambda: path)
    monkeypatch.setenv("QT_SCALE_FACTOR", "")
    monkeypatch.delenv("QT_SCALE_FACTOR")
    program._scale()
    import os

    assert os.environ["QT_SCALE_FACTOR"] == "1.5"
