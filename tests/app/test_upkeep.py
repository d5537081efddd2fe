"""What happens while the window stands there: recordings go on time, deadlines are told, damaged data can be mended."""

import os
import re
from datetime import date, timedelta

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtWidgets import QMessageBox

from app import upkeep
from app.core.audit import AuditLog
from app.core.outgoing_files import FOLDER
from app.core.store import Store
from app.core.store.backups import list_backups
from app.core.store.restoring import wished
from app.core.take_store import TakeLibrary
from app.dialogs.help_dialog import TOPICS, help_file
from tests.app.takes.makers import made
from tests.app.voices.makers import NOW, Clock, new_voice, opened, place
from tests.app.voices.test_retention import kept_for, left

LONG = 60_000


@pytest.fixture
def clock():
    return Clock(NOW)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "data" / "library"


@pytest.fixture
def kept(make_studio, folder, clock):
    """Make a studio on data that opens quickly, with the clock of the test; not shown yet."""

    def make():
        studio = make_studio(data_folder=folder, now=clock)
        studio.application.library.__dict__["store"] = opened(folder)
        return studio

    return make


def wait(studio, true):
    studio.qtbot.waitUntil(lambda: bool(true()), timeout=LONG)


def test_a_recording_goes_while_the_window_is_open_and_the_list_says_so(kept, folder, clock, monkeypatch):
    with place(folder, clock) as here:
        voice = here.voices.add(kept_for("24h", "7d")).voice_id
    monkeypatch.setattr(upkeep, "LONGEST_WAIT_MS", 100)
    studio = kept().show()
    application = studio.application
    with studio.qtbot.waitSignal(application.upkeep.tended, timeout=LONG) as told:
        pass
    assert told.args[0].purged == 0 and told.args[0].next_due == NOW + timedelta(hours=24)
    studio.window.rail_button("voices").click()
    panel = studio.window.voices_panel
    wait(studio, lambda: panel.model.index_of(voice).isValid())
    panel.select(voice)
    wait(studio, lambda: panel.buttons["play"].isEnabled())
    clock.now += timedelta(hours=24)
    wait(studio, lambda: not panel.buttons["play"].isEnabled())
    assert left(application.library.voices, voice) == {"statement", "evidence"}
    clock.now += timedelta(days=6)
    wait(studio, lambda: left(application.library.voices, voice) == {"evidence"})


def test_the_next_round_is_when_the_next_recording_has_to_go(kept, folder, clock):
    with place(folder, clock) as here:
        here.voices.add(kept_for("24h", "7d"))
    studio = kept()
    with studio.qtbot.waitSignal(studio.application.upkeep.tended, timeout=LONG):
        studio.show()
    timer = studio.application.upkeep.timer
    assert timer.isActive() and timer.interval() == upkeep.LONGEST_WAIT_MS  # a day away: the clock may be set meanwhile
    clock.now += timedelta(hours=24) - timedelta(seconds=30)
    with studio.qtbot.waitSignal(studio.application.upkeep.tended, timeout=LONG):
        studio.application.upkeep.tend()
    assert 30_000 <= timer.interval() <= 32_000


def test_files_given_to_other_programs_go_after_a_week_of_this_clock(kept, folder, clock):
    studio = kept().show()
    with studio.qtbot.waitSignal(studio.application.upkeep.tended, timeout=LONG):
        studio.application.upkeep.tend()
    given = folder / FOLDER / ("a" * 32)
    given.mkdir(parents=True)
    os.utime(given, (clock.now.timestamp(),) * 2)
    for days, there in ((6, True), (2, False)):
        clock.now += timedelta(days=days)
        with studio.qtbot.waitSignal(studio.application.upkeep.tended, timeout=LONG):
            studio.application.upkeep.tend()
        wait(studio, lambda there=there: given.exists() is there)


def test_a_window_that_stays_open_makes_the_backup_of_each_day(kept, folder):
    studio = kept().show()
    backups = studio.application.library.store.backups
    for day in (1, 2):
        backups._today = lambda day=day: date(2031, 5, day)
        with studio.qtbot.waitSignal(
            studio.application.upkeep.tended, timeout=LONG, check_params_cb=lambda told: told.backed_up
        ):
            studio.application.upkeep.tend()
    assert [each.made_on for each in list_backups(folder / "backups")][:2] == [date(2031, 5, 2), date(2031, 5, 1)]


def test_a_complaint_that_waits_is_told_at_the_start_and_once_more_when_it_is_late(kept, folder, clock):
    with place(folder, clock) as here:
        here.voices.freeze(here.voices.add(new_voice(now=NOW)).voice_id, "They object.")
    studio = kept().show()
    notice = studio.window.notice
    wait(studio, lambda: "within 48 h" in notice._message.text())
    notice.close_button.click()
    for hours, said in ((1, False), (48, True), (1, False)):
        clock.now += timedelta(hours=hours)
        with studio.qtbot.waitSignal(studio.application.upkeep.tended, timeout=LONG):
            studio.application.upkeep.tend()
        assert notice.isVisible() is said
        if said:
            assert "should be decided by now: 1." in notice._message.text()
            notice.close_button.click()


def damaged(folder):
    """Data with a backup of one take, a second take after it, and then a broken file."""
    with opened(folder) as store:
        store.wait_for_maintenance()

        takes = TakeLibrary(store, AuditLog(store.database, store.keys))
        takes.add(made("The first.", seed=1)[0])
        store.backups.run()
        takes.add(made("The second.", seed=2)[0])
    data = bytearray((folder / "library.db").read_bytes())
    for start in range(4096, len(data) - 4096, 8192):
        data[start : start + 4096] = os.urandom(4096)
    (folder / "library.db").write_bytes(data)


def test_damaged_data_offers_its_backups_and_is_mended_without_a_restart(make_studio, folder):
    damaged(folder)
    studio = make_studio(data_folder=folder).show()
    control = studio.application.data
    wait(studio, lambda: control.dialog is not None and control.dialog._state.damage)
    dialog = control.dialog
    assert dialog.isVisible() and "damaged" in dialog.status.text() and not dialog.backup.isEnabled()
    dialog.select(0)
    dialog.restore.click()
    wait(studio, lambda: dialog.findChildren(QMessageBox))
    next(button for button in dialog.findChildren(QMessageBox)[0].buttons() if button.text() == "Go back").click()
    wait(studio, lambda: [take.job.text for take in studio.store.takes] == ["The first."])
    wait(studio, lambda: "was put in place" in dialog.status.text())
    assert studio.application.library.restored == 2 and not studio.application.wants_restart


def test_data_that_is_whole_goes_back_at_the_next_start(make_studio, folder):
    with opened(folder) as store:
        store.wait_for_maintenance()
    studio = make_studio(data_folder=folder).show()
    with studio.qtbot.waitSignal(studio.application.upkeep.tended, timeout=LONG):
        studio.application.upkeep.tend()
    (take,) = studio.generate("After the backup.")
    wait(studio, lambda: take.kept)
    control = studio.application.data
    control.show()
    wait(studio, lambda: control.dialog._state.backups)
    control.dialog.select(0)
    number = control.dialog._state.backups[0].backup.number
    control.dialog.restore.click()
    wait(studio, lambda: control.dialog.findChildren(QMessageBox))
    with studio.qtbot.waitSignal(studio.window.closed, timeout=LONG):
        next(b for b in control.dialog.findChildren(QMessageBox)[0].buttons() if b.text() == "Go back").click()
    assert studio.application.wants_restart and wished(folder) == number
    again = make_studio(data_folder=folder).show()
    with again.qtbot.waitSignal(again.application.upkeep.tended, timeout=LONG):
        again.application.upkeep.tend()
    wait(again, lambda: f"Backup {number} was put in place." in again.window.notice._message.text())
    assert again.application.library.restored == number and again.application.library.takes.count() == 0
    assert wished(folder) is None
    events = [entry.event for entry in again.application.library.audit.entries()]
    assert "data_restored" in events


def test_stored_files_that_are_missing_are_told_at_the_start(make_studio, folder):
    with opened(folder) as store:
        TakeLibrary(store, AuditLog(store.database, store.keys)).add(made("Gone.", seed=1)[0])
        next(store.blobs._files()).unlink()
    studio = make_studio(data_folder=folder).show()
    wait(studio, lambda: "missing: 1." in studio.window.notice._message.text())
    control = studio.application.data
    control.show()
    control.dialog.check.click()
    wait(studio, lambda: "1 stored files are missing" in control.dialog.status.text())


def test_a_failed_restore_is_said_where_it_was_asked_for(make_studio, folder):
    damaged(folder)
    studio = make_studio(data_folder=folder).show()
    control = studio.application.data
    wait(studio, lambda: control.dialog is not None and control.dialog._state.backups)
    for backup in list_backups(folder / "backups"):
        backup.path.write_bytes(b"nothing")
    control._restore(control.dialog._state.backups[0].backup)
    wait(studio, lambda: "no intact backup" in control.dialog.problem.text())
    with pytest.raises(Exception, match="damaged"):
        Store.open(folder)


@pytest.mark.parametrize("topic", TOPICS)
def test_help_is_there_in_both_languages_with_its_pictures(studio, topic):
    application = studio.application
    for language in ("en", "zh_CN"):
        application.settings.set("language", language)
        application.show_help(topic)
        text = help_file(topic, language).read_text(encoding="utf-8")
        assert application.help.windowTitle() == text.splitlines()[0][2:]
        assert help_file(topic, language).name.split(".")[1] == language[:2]
        view, folder = application.help.view, help_file(topic, language).parent

        for picture in re.findall(r"!\[[^]]*\]\(([^)]+)\)", text):
            assert (folder / picture).is_file()
        for link in re.findall(r"[^!]\[[^]]*\]\(([^)]+)\)", text):
            application.help._follow(QUrl(link))
            assert application.help.topic == link.partition(".")[0] and (folder / link).is_file()
        assert len(view.toPlainText()) > 500
