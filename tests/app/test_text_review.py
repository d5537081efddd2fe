"""Sensitive text in the window: asked about once, with a reason, and never where the record forbids it."""

import pytest

from app.core import sensitive_lists
from app.core.messages import SAVED, SUBJECT_OTHER, Consent, Job, VoiceSpec
from app.core.sensitive import CATEGORIES
from app.core.take_codec import read_facts, write_facts
from app.core.voice_card import VoiceCard
from app.core.voice_making import Word, save_files
from app.widgets.sensitive_wording import category_text

SECRET = "Your verification code is 4711."
REASON = "A scene of a film about fraud"
PASSPHRASE = "a few words for the test"


@pytest.fixture(autouse=True)
def own_settings(tmp_path, monkeypatch):
    monkeypatch.setattr(sensitive_lists, "default_settings_file", lambda: tmp_path / "config" / "settings.json")


@pytest.fixture
def there(studio):
    return studio


def ask(there, text=SECRET):
    """Press Generate with a text that is asked about; returns the dialog."""
    there.compose.text.setPlainText(text)
    there.compose.generate.click()
    review = there.window.review
    there.qtbot.waitUntil(lambda: review.dialog is not None, timeout=20_000)
    return review.dialog


def allow(there, dialog, reason=REASON):
    dialog.reason.setEditText(reason)
    with there.qtbot.waitSignal(there.engine.job_ended, timeout=20_000):
        dialog.allow.click()


def decisions(there):
    audit = there.application.library.audit
    return [(entry.facts, audit.reason(entry)) for entry in audit.entries() if entry.event == "sensitive_text"]


def save_voice(there, speech, **word):
    library = there.application.library
    if not library.store.keys.lasting:
        library.store.keys.set_passphrase(PASSPHRASE)
    return save_files(
        library.voices, VoiceCard("Ada"), Word(SUBJECT_OTHER, "Ada", "ada@x.org", **word), {"reference": speech}
    )


def test_nothing_is_made_until_a_reason_is_given(there):
    dialog = ask(there)
    assert category_text("code") in dialog.found.text() and "verification code" in dialog.found.text()
    assert not dialog.allow.isEnabled() and there.fake.jobs == []
    seed = there.compose.seed.seed
    allow(there, dialog)
    assert [job.decided for job in there.fake.jobs] == [frozenset({"code"})]
    assert there.fake.jobs[0].seed == seed
    ((facts, reason),) = decisions(there)
    assert (facts["category"], facts["decision"], facts["text_length"]) == ("code", "allowed", len(SECRET))
    assert reason == REASON
    assert there.window.review.dialog is None


def test_one_text_is_asked_about_once(there):
    allow(there, ask(there))
    there.generate(SECRET)
    assert len(there.fake.jobs) == 2 and len(decisions(there)) == 1
    ask(there, SECRET + " Breaking news.")  # another text
    assert len(there.fake.jobs) == 2


def test_going_back_makes_nothing_and_leaves_the_text(there):
    dialog = ask(there)
    seed = there.compose.seed.seed
    dialog.back.click()
    assert there.window.review.dialog is None
    assert there.compose.text.toPlainText() == SECRET and there.compose.seed.seed == seed
    assert decisions(there) == [] and there.fake.jobs == []
    there.generate("Good evening.")
    assert len(there.fake.jobs) == 1 and there.fake.jobs[0].decided == frozenset()


def test_a_newer_question_takes_the_place_of_the_older(there):
    first = ask(there)
    there.compose.text.setPlainText("Breaking news: the moon is gone.")
    there.compose.generate.click()
    there.qtbot.waitUntil(lambda: there.window.review.dialog not in (None, first))
    allow(there, there.window.review.dialog)
    assert [job.text for job in there.fake.jobs] == ["Breaking news: the moon is gone."]
    assert [facts["category"] for facts, _ in decisions(there)] == ["news"]


def test_all_three_takes_and_another_try_are_covered(there):
    there.compose.takes.setValue(3)
    allow(there, ask(there))
    takes = there.store.of_job(there.fake.jobs[-1].job_id)
    assert len(takes) == 3
    with there.qtbot.waitSignal(there.engine.job_ended, timeout=20_000):
        there.window.jobs.reproduce(takes[0])
    assert there.fake.jobs[-1].decided == {"code"} and len(decisions(there)) == 1


@pytest.mark.parametrize("saved", [True, False])
def test_a_record_that_forbids_it_is_refused_without_a_question(there, speech, saved):
    if saved:
        spec = VoiceSpec(SAVED, voice_id=save_voice(there, speech).voice_id)
    else:
        spec = VoiceSpec(str(speech), consent=Consent.attest(SUBJECT_OTHER, "Cai", contact="cai@x.org"))
    made = []
    with there.qtbot.waitSignal(there.window.review.refused, timeout=20_000) as caught:
        there.window.review.ask([Job(1, SECRET, voice=spec)], made.extend)
    assert caught.args[0].code == "consent.out_of_scope"
    assert there.window.review.dialog is None and made == [] and decisions(there) == []
    refused = [e.facts for e in there.application.library.audit.entries() if e.event == "use_refused"]
    assert [facts["cause"] for facts in refused] == ["out_of_scope"]


def test_a_record_that_allows_it_is_named_in_the_log(there, speech):
    from app.core.consent.making import make_scope

    voice = save_voice(there, speech, scope=make_scope(sensitive_text=True))
    made = []
    review = there.window.review
    review.ask([Job(1, SECRET, voice=VoiceSpec(SAVED, voice_id=voice.voice_id))], made.extend)
    there.qtbot.waitUntil(lambda: review.dialog is not None, timeout=20_000)
    review.dialog.reason.setCurrentIndex(0)
    review.dialog.allow.click()
    there.qtbot.waitUntil(lambda: bool(made), timeout=20_000)
    ((facts, reason),) = decisions(there)
    assert facts["voice"] == voice.voice_id and reason


def test_with_locked_keys_the_passphrase_is_asked_for_first(make_studio, speech):
    first = make_studio().show()
    save_voice(first, speech)
    first.application.close()
    again = make_studio().show()
    dialog = ask(again)
    dialog.reason.setEditText(REASON)
    dialog.allow.click()
    voices = again.window.voices
    again.qtbot.waitUntil(lambda: voices.passphrase is not None, timeout=20_000)
    voices.passphrase.reject()
    again.qtbot.waitUntil(dialog.allow.isEnabled, timeout=20_000)
    assert dialog.problem.text() and again.fake.jobs == []
    dialog.allow.click()
    again.qtbot.waitUntil(lambda: voices.passphrase is not None, timeout=20_000)
    voices.passphrase.first.setText(PASSPHRASE)
    with again.qtbot.waitSignal(again.engine.job_ended, timeout=30_000):
        voices.passphrase.ok.click()
    assert [reason for _, reason in decisions(again)] == [REASON]


def test_the_decision_is_kept_with_the_take(there):
    allow(there, ask(there))
    (take,) = there.store.of_job(there.fake.jobs[-1].job_id)
    assert read_facts(write_facts(take)).job.decided == {"code"}


def test_every_category_has_a_name(qapp):
    assert all(category_text(category) for category in CATEGORIES)
