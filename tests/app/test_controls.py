"""Every control reaches the engine: each changes the job, and only in its own place."""

from dataclasses import replace

import pytest

from app.engine.fake import FakeModel


def _next_job(studio, text="Good evening."):
    studio.generate(text)
    return studio.fake.jobs[-1]


def _same_but(job, other, **changes):
    changes = {"job_id": job.job_id, **changes}
    assert replace(other, **changes) == job


@pytest.fixture
def locked(studio):
    studio.compose.seed.set_seed(5)
    return studio


CONTROLS = {
    "description": (lambda c: c.design.edit.setText("a child"), {"description": "a child"}),
    "takes": (lambda c: c.takes.setValue(2), {"takes": 2}),
    "seed": (lambda c: c.seed.set_seed(4294967295), {"seed": 4294967295}),
    "steps": (lambda c: c.advanced.steps.setValue(25), {"steps": 25}),
    "guidance": (lambda c: c.advanced.cfg.setValue(3.5), {"cfg": 3.5}),
    "temperature": (lambda c: c.advanced.temperature.setValue(0.5), {"temperature": 0.5}),
    "longest": (lambda c: c.advanced.max_patches.setValue(7), {"max_patches": 7}),
    "shortest": (lambda c: c.advanced.min_patches.setValue(5), {"min_patches": 5}),
    "doubtful": (lambda c: c.advanced.retry_ratio.setValue(8.0), {"retry_ratio": 8.0}),
    "normalise": (lambda c: c.advanced.normalize.setChecked(True), {"normalize": True}),
}


@pytest.mark.parametrize("name", CONTROLS)
def test_a_control_changes_the_job(locked, name):
    act, changes = CONTROLS[name]
    before = _next_job(locked)
    act(locked.compose)
    _same_but(_next_job(locked), before, **changes)


def test_the_text_changes_the_job(locked):
    before = _next_job(locked, "One.")
    _same_but(_next_job(locked, "Two,\nthree."), before, text="Two,\nthree.")


def test_defaults_go_back(locked):
    before = _next_job(locked)
    for name in ("steps", "guidance", "temperature", "longest", "shortest", "doubtful", "normalise"):
        CONTROLS[name][0](locked.compose)
    locked.compose.advanced.reset_button.click()
    _same_but(_next_job(locked), before)


def test_the_model_brings_its_guidance_and_temperature_until_others_are_chosen(make_studio, fake_engine, model_folder):
    fake_engine.models["other"] = FakeModel(cfg=3.0, temperature=0.5)
    studio = make_studio().show()
    advanced = studio.compose.advanced
    assert advanced.own.isChecked() and (_next_job(studio).cfg, _next_job(studio).temperature) == (2.0, 1.0)
    studio.open_model(model_folder("other"))
    assert advanced.own.isChecked() and (_next_job(studio).cfg, _next_job(studio).temperature) == (3.0, 0.5)
    advanced.cfg.setValue(1.5)
    assert not advanced.own.isChecked() and (_next_job(studio).cfg, _next_job(studio).temperature) == (1.5, 0.5)
    advanced.reset_button.click()
    assert advanced.own.isChecked() and (_next_job(studio).cfg, _next_job(studio).temperature) == (3.0, 0.5)
    advanced.temperature.setValue(0.9)
    advanced.own.click()
    assert (_next_job(studio).cfg, _next_job(studio).temperature) == (3.0, 0.5)


def test_an_unlocked_seed_changes_with_each_press_and_a_locked_one_stays(studio):
    seeds = [_next_job(studio).seed for _ in range(3)]
    assert len(set(seeds)) == 3
    studio.compose.seed.lock.setChecked(True)
    seeds = [_next_job(studio).seed for _ in range(3)]
    assert len(set(seeds)) == 1


def test_the_seed_shown_is_the_seed_used(studio):
    shown = int(studio.compose.seed.edit.text())
    assert _next_job(studio).seed == shown


def test_a_typed_seed_locks_itself_and_nonsense_is_not_taken(studio):
    seed = studio.compose.seed
    seed.edit.clear()
    studio.qtbot.keyClicks(seed.edit, "12x-3")
    assert seed.seed == 123
    assert seed.is_locked
    studio.qtbot.keyClicks(seed.edit, "99999999")  # would pass 2**32 - 1
    assert seed.seed <= 2**32 - 1
    assert str(seed.seed) == seed.edit.text()


def test_dice_draws_another_seed(studio):
    before = studio.compose.seed.seed
    studio.compose.seed.dice.click()
    assert studio.compose.seed.seed != before


def test_the_seed_of_a_take_can_be_used_again(studio):
    (take,) = studio.generate()
    studio.takes_panel.seed_button.click()
    assert studio.compose.seed.seed == take.seed
    assert _next_job(studio).seed == take.seed


def test_a_doubtful_take_offers_another_seed(studio):
    studio.settings.set("retries", 0)
    (fine,) = studio.generate()
    assert not studio.takes_panel.retry_button.isVisible()
    studio.fake.flags = ("doubtful: too long",)
    (doubtful,) = studio.generate()
    studio.takes_panel.select(doubtful)
    assert studio.takes_panel.retry_button.isVisible()
    job = studio.fake.jobs[-1]
    with studio.qtbot.waitSignal(studio.engine.job_ended):
        studio.takes_panel.retry_button.click()
    assert doubtful.result.next_seed is not None
    _same_but(studio.fake.jobs[-1], job, seed=doubtful.result.next_seed, job_id=studio.fake.jobs[-1].job_id)
    assert doubtful in studio.store.takes and fine in studio.store.takes


def test_play_while_made_starts_the_sound_or_not(studio):
    studio.window.player_panel.while_made.setChecked(False)
    studio.generate()
    assert not studio.player.is_active
    studio.window.player_panel.while_made.setChecked(True)
    with studio.qtbot.waitSignal(studio.player.state_changed):
        studio.generate()


def test_every_control_has_a_name_and_a_tooltip(studio):
    from PySide6.QtWidgets import QAbstractButton, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit, QTabBar

    composed = (QAbstractSpinBox, QComboBox, QLineEdit, QTabBar)

    unnamed = []
    for kind in (QAbstractButton, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit):
        for widget in studio.window.findChildren(kind):
            inside = widget.parentWidget()
            if isinstance(inside, composed) or widget.objectName().startswith("qt_"):
                continue  # part of a control that has a name itself
            if not widget.accessibleName() or (not widget.toolTip() and not isinstance(widget, QPlainTextEdit)):
                unnamed.append(f"{type(widget).__name__} {widget.objectName()} in {type(inside).__name__}")
    assert unnamed == []


def test_settings_are_remembered(make_studio):
    studio = make_studio().show()
    CONTROLS["steps"][0](studio.compose)
    CONTROLS["takes"][0](studio.compose)
    studio.window.rail_button("continue").click()
    studio.window.close()
    again = make_studio()
    assert again.compose.advanced.values().steps == 25
    assert again.compose.takes.value() == 2
    assert again.compose.panel is again.compose.continue_
