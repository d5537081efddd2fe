"""What is asked of the model: the fields of the three panels, the text, the settings, Generate and Stop."""

from __future__ import annotations

from dataclasses import replace

from app.core.messages import SUBJECT_OTHER, SUBJECT_SELF
from tests.app.controls.stage import LONG, asks, type_into, unfolds


def advanced(stage):
    return stage.compose.advanced


def check(box, on):
    if box.isChecked() != on:
        box.click()


def generate(stage):
    stage.go("design")
    stage.compose.text.setPlainText("Pressed.")
    with stage.qtbot.waitSignal(stage.engine.job_ended, timeout=LONG):
        stage.compose.generate.click()
    assert stage.fake.jobs[-1].text == "Pressed."


def stop(stage):
    stage.fake._model.patches, stage.fake.step_delay = None, 0.005
    stage.generate("Never ending.", wait=False)
    stage.wait(lambda: stage.store.takes[-1].seconds > 0)
    with stage.qtbot.waitSignal(stage.engine.job_ended, timeout=LONG):
        stage.compose.stop.click()
    assert stage.store.takes[-1].end == "cancelled"
    stage.fake._model.patches, stage.fake.step_delay = 12, 0.0


def text(stage):
    stage.compose.seed.set_seed(5)
    before = stage.job("One.")
    type_into(stage.compose.text, "Two.")
    with stage.qtbot.waitSignal(stage.engine.job_ended, timeout=LONG):
        stage.compose.generate.click()
    after = stage.fake.jobs[-1]
    assert after == replace(before, job_id=after.job_id, text="Two.")


def dice(stage):
    stage.compose.seed.set_seed(5)
    stage.compose.seed.dice.click()
    assert stage.compose.seed.seed != 5
    shown = stage.compose.seed.seed
    assert stage.job().seed == shown


def lock(stage):
    stage.compose.seed.set_seed(5, locked=False)
    stage.job()
    assert stage.compose.seed.seed != 5
    stage.compose.seed.lock.click()
    kept = stage.compose.seed.seed
    assert [stage.job().seed, stage.job().seed] == [kept, kept]


def fold(stage):
    assert not advanced(stage).isVisible()
    stage.compose.advanced_fold.button.click()
    assert advanced(stage).isVisible()


def reset(stage):
    advanced(stage).steps.setValue(3)
    advanced(stage).draft.setChecked(True)
    advanced(stage).reset_button.click()
    assert stage.job().steps == 10


def recent(stage):
    advanced(stage).steps.setValue(17)
    stage.job()
    advanced(stage).reset_button.click()
    advanced(stage)._recent.aboutToShow.emit()
    advanced(stage)._recent.actions()[0].trigger()
    assert stage.job().steps == 17
    advanced(stage).reset_button.click()


def nothing_recent(stage):
    stage.settings.set("recent_settings", [])
    advanced(stage)._recent.aboutToShow.emit()
    assert not advanced(stage)._recent.actions()[0].isEnabled()


def paths(stage):
    stage.recording("clone")
    stage.go("design")
    stage.compose.design.edit.setText("a child")
    stage.compose.text.setPlainText("All ways.")
    before = len(stage.fake.jobs)
    advanced(stage).paths_button.click()
    stage.wait(lambda: len(stage.fake.jobs) == before + 3 and stage.engine.job is None)
    assert [job.mode for job in stage.fake.jobs[before:]] == ["design", "design", "reference"]
    assert len({job.seed for job in stage.fake.jobs[before:]}) == 1
    stage.compose.design.edit.clear()
    stage.compose.clone.drop.clear()


def preset(text):
    def row(stage):
        stage.compose.design.edit.clear()
        entry(stage, text).trigger()
        assert stage.job().description == text
        stage.compose.design.edit.clear()

    return row


def entry(stage, text):
    menu = stage.compose.design.presets.choices
    menu.aboutToShow.emit()
    return next(action for action in menu.actions() if action.text() == text)


def presets(stage):
    stage.settings.set("presets", [])
    type_into(stage.compose.design.edit, "a robot, tired")
    entry(stage, "Keep this description").trigger()
    stage.compose.design.edit.clear()
    entry(stage, "a robot, tired").trigger()
    assert stage.job().description == "a robot, tired" and stage.settings.get("presets") == ["a robot, tired"]
    entry(stage, "Forget this description").trigger()
    assert stage.settings.get("presets") == []
    stage.compose.design.edit.clear()


def precision(stage):
    """Another precision loads the model again; the settings show the same."""
    for value in ("bfloat16", "auto"):
        editor = advanced(stage).precision.editor
        with stage.qtbot.waitSignal(stage.engine.model_loaded, timeout=LONG):
            editor.setCurrentIndex(editor.findData(value))
            editor.activated.emit(editor.currentIndex())
        assert stage.fake.places[-1][1] == value == stage.settings.get("dtype")


def retries(stage):
    stage.fake.flags = ("doubtful: too long",)
    advanced(stage).retries.setValue(2)
    stage.compose.takes.setValue(1)
    before = len(stage.fake.jobs)
    stage.job()
    stage.wait(lambda: len(stage.fake.jobs) == before + 3 and stage.engine.job is None)
    stage.fake.flags = ()
    advanced(stage).retries.setValue(1)
    assert stage.settings.get("retries") == 1


PRESETS = (
    "a woman in her forties, warm, slow",
    "a young man, lively, fast",
    "an old man, deep, calm",
    "a girl, bright, curious",
    "a news reader, clear, neutral",
    "a storyteller, soft, close to the microphone",
)
DESIGN = {
    "compose.design.presets": presets,
    **{f"compose.design.presets: {text}": preset(text) for text in PRESETS},
    "compose.design.presets: Keep this description": presets,
    "compose.design.presets: Forget this description": presets,
    "compose.advanced_fold.content.retries": retries,
    "compose.text": text,
    "compose.design.edit": asks(lambda s: type_into(s.compose.design.edit, "a child"), description="a child"),
    "compose.takes": asks(lambda s: s.compose.takes.setValue(2), takes=2),
    "compose.seed.edit": asks(lambda s: type_into(s.compose.seed.edit, "4294967295"), seed=4294967295),
    "compose.seed.dice": dice,
    "compose.seed.lock": lock,
    "compose.generate": generate,
    "compose.stop": stop,
    "compose.advanced_fold.button": fold,
    "compose.advanced_fold.content.steps": asks(lambda s: advanced(s).steps.setValue(25), steps=25),
    "compose.advanced_fold.content.cfg": asks(lambda s: advanced(s).cfg.setValue(3.5), cfg=3.5),
    "compose.advanced_fold.content.temperature": asks(lambda s: advanced(s).temperature.setValue(0.5), temperature=0.5),
    "compose.advanced_fold.content.own": asks(lambda s: check(advanced(s).own, True), cfg=2.0, temperature=1.0),
    "compose.advanced_fold.content.max_patches": asks(lambda s: advanced(s).max_patches.setValue(7), max_patches=7),
    "compose.advanced_fold.content.min_patches": asks(lambda s: advanced(s).min_patches.setValue(5), min_patches=5),
    "compose.advanced_fold.content.retry_ratio": asks(lambda s: advanced(s).retry_ratio.setValue(4.0), retry_ratio=4.0),
    "compose.advanced_fold.content.precision.editor": precision,
    "compose.advanced_fold.content.normalize": asks(lambda s: check(advanced(s).normalize, True), normalize=True),
    "compose.advanced_fold.content.draft": asks(lambda s: check(advanced(s).draft, True), steps=4),
    "compose.advanced_fold.content.reset_button": reset,
    "compose.advanced_fold.content.recent_button": recent,
    "compose.advanced_fold.content.recent_button: Nothing was made yet": nothing_recent,
    "compose.advanced_fold.content.paths_button": paths,
    "compose.design.problem.details_button": unfolds(lambda s: s.compose.design.problem),
    "compose.text_problem.details_button": unfolds(lambda s: s.compose.text_problem),
}


def panel(key):
    """The rows that Clone and Continue have in common; ``key`` is the attribute of the panel."""
    button = key.rstrip("_")

    def mode(stage):
        return getattr(stage.compose, key)

    def opens(stage):
        stage.go(button)
        mode(stage).drop.clear()
        mode(stage).drop.open_button.click()
        stage.answer_file(stage.speech)
        stage.wait(lambda: mode(stage).drop.path == str(stage.speech))

    def falls(stage):
        stage.recording(button)
        voice = stage.job().voice
        assert str(stage.speech) in (voice.reference, voice.prompt)

    def removes(stage):
        stage.recording(button)
        mode(stage).drop.clear_button.click()
        assert mode(stage).voice() is None and not stage.compose.generate.isEnabled()

    def own(stage):
        stage.recording(button)
        assert stage.job().voice.consent.subject_kind == SUBJECT_SELF

    def other(stage):
        stage.recording(button)
        consent = mode(stage).consent
        consent.other.click()
        type_into(consent.name, "Ada")
        type_into(consent.contact, "ada@example.org")
        consent.tick.click()
        told = stage.job().voice.consent
        assert (told.subject_kind, told.name, told.contact) == (SUBJECT_OTHER, "Ada", "ada@example.org")

    def tick(stage):
        stage.recording(button)
        mode(stage).consent.tick.click()
        assert not stage.compose.generate.isEnabled() and mode(stage).voice().consent is None

    def chooses(stage):
        stage.go(button)
        mode(stage).pick.choose_button.click()
        stage.wait(stage.window.voices_panel.isVisible)

    def saves(stage):
        stage.recording(button)
        mode(stage).pick.save_button.click()
        assert stage.window.voices.save_dialog.isVisible()
        stage.window.voices.save_dialog.reject()

    def clears(stage):
        stage.go("voices")
        voices = stage.window.voices_panel
        stage.wait(lambda: voices.model.rowCount() == 3)
        mode(stage).pick.set_voice(voices.model.voice_at(voices.model.index(0)))
        stage.go(button)
        assert mode(stage).pick.voice is not None
        mode(stage).pick.clear_button.click()
        assert mode(stage).pick.voice is None and mode(stage).drop.isVisible()

    rows = {
        "sound.drop": falls,
        "sound.drop.open_button": opens,
        "sound.drop.clear_button": removes,
        "consent.own": own,
        "consent.other": other,
        "consent.name": other,
        "consent.contact": other,
        "consent.tick": tick,
        "pick.choose_button": chooses,
        "pick.save_button": saves,
        "pick.clear_button": clears,
        "sound.drop.problem.details_button": unfolds(lambda s: mode(s).drop.problem),
        "pick.reasons.details_button": unfolds(lambda s: mode(s).pick.reasons),
        "problem.details_button": unfolds(lambda s: mode(s).problem),
    }
    return {f"compose.{key}.{name}": row for name, row in rows.items()}


def as_reference(stage):
    stage.recording("continue")
    check(stage.compose.continue_.as_reference, True)
    assert stage.job("And on.").voice.reference == str(stage.speech)
    check(stage.compose.continue_.as_reference, False)


def style_note(stage):
    stage.recording("clone")
    type_into(stage.compose.clone.style_note, "softly")
    assert stage.job().description == "softly"


CLONE = {
    **panel("clone"),
    "compose.clone.style_note": style_note,
    "compose.clone.style_problem.details_button": unfolds(lambda s: s.compose.clone.style_problem),
}
CONTINUE = {
    **panel("continue_"),
    "compose.continue_.as_reference": as_reference,
}
AREAS = {"design": DESIGN, "clone": CLONE, "continue": CONTINUE}
