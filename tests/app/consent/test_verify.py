"""One verdict for every kind of failure, and the plain form that the door takes."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from app.core.consent import making
from app.core.consent.problems import RuleError
from app.core.consent.record import key_id_of, sign_version
from app.core.consent.rules import add_months, compute_level
from app.core.consent.statement import new_statement
from app.core.consent.verify import ConsentRefused, Use, admit, check_scope, verify_consent, verify_stored
from tests.app.consent.makers import (
    ALL,
    DOCUMENT,
    KEY,
    KEY_ID,
    KEYS,
    NOW,
    OTHER_KEY,
    VOICE,
    add,
    designed,
    first,
    other,
    own,
    reference,
    spoken,
)


def verdict(versions, now=NOW, **options):
    return verify_consent(versions, now=now, public_keys=options.pop("public_keys", KEYS), **options)


def forged(record, previous=None, **changes):
    """A version signed with the right key by other means than ``append_version``: no rule was asked."""
    draft = replace(record, **changes)
    return sign_version(draft, previous, key=KEY, key_id=KEY_ID, level=changes.get("level", compute_level(draft)))


@pytest.mark.parametrize("kind", ALL)
def test_a_good_consent_of_every_kind_passes_and_opens_the_door(kind):
    versions = first(ALL[kind]())
    hashes = [item.sha256_pcm for item in versions[-1].references]
    found = verdict(versions, use=Use(), references=hashes, voice_id=VOICE, head=versions[-1].record_hash)
    assert found.ok and not found.reason() and not found.unchecked
    consent = admit(versions, found)
    assert consent.record_id == versions[-1].record_id and consent.name == "" and "generate" in consent.scope
    assert consent.subject_kind == kind and consent.expires_at == versions[-1].expires_at


def test_the_door_gets_what_the_person_allowed():
    small = first(other(scope=making.make_scope(["export"])))
    assert admit(small, verdict(small)).scope == {"export"}
    mine = first(own())
    assert admit(mine, verdict(mine)).scope == {"generate", "export", "train", "share"}
    with pytest.raises(ConsentRefused, match="does not allow to use it to generate") as caught:
        admit(small, verdict(small, use=Use()))
    assert caught.value.verdict.codes == {"out_of_scope"}
    with pytest.raises(ConsentRefused):
        admit(mine, verdict(small))  # another consent's verdict


def two():
    versions = first(other())
    return add(versions, making.with_evidence(versions[-1], [DOCUMENT], now=NOW + timedelta(1)))


def test_no_record_at_all():
    assert verdict(()).codes == {"missing"} and "no consent record" in verdict(()).reason()


def test_time():
    versions = first(other())
    end = versions[-1].expires_at
    assert verdict(versions, end - timedelta(seconds=1)).ok
    assert verdict(versions, end).codes == {"expired"} and "2027-03-31" in verdict(versions, end).reason()
    assert verdict(versions, NOW - timedelta(seconds=1)).codes == {"not_yet_valid"}
    with pytest.raises(ValueError, match="time zone"):
        verdict(versions, NOW.replace(tzinfo=None))


def test_withdrawn():
    versions = two()
    versions = add(versions, making.withdraw(versions[-1], channel="phone", at=NOW, now=NOW + timedelta(2)))
    found = verdict(versions, NOW + timedelta(3))
    assert found.codes == {"withdrawn"} and "2026-03-31" in found.reason()


@pytest.mark.parametrize(
    ("use", "what"),
    [
        (Use("train"), "train"),
        (Use("share"), "share"),
        (Use("export"), "export"),
        (Use(commercial=True), "commercial"),
        (Use(sensitive=True), "sensitive"),
        (Use(language="fr"), "language"),
        (Use(language="zh-CN"), "language"),
        (Use(territory="us"), "territory"),
    ],
)
def test_every_side_of_the_scope_is_enforced(use, what):
    small = making.make_scope(["generate"], languages=("en",), territory=("DE",))
    found = verdict(first(other(scope=small)), use=use)
    assert [p.values["what"] for p in found.problems] == [what] and found.codes == {"out_of_scope"}
    assert verdict(first(own()), use=use).ok


def test_what_the_scope_covers_passes():
    scope = making.make_scope(["generate"], languages=("en",), territory=("DE",))
    assert not check_scope(scope, Use(language="en_GB", territory="de"))
    assert len(check_scope(scope, Use("train", True, "fr", "US", True))) == 5
    with pytest.raises(ValueError, match="a purpose is one of"):
        check_scope(scope, Use("sing"))


def test_a_broken_chain():
    one, second = two()
    assert verdict((second,)).codes >= {"chain.broken"}
    assert "chain.broken" in verdict((one, one)).codes
    assert "chain.broken" in verdict((second, one)).codes
    stranger = forged(making.extend(other(), add_months(NOW, 13), NOW), replace(one, record_hash="0" * 64))
    assert "chain.broken" in verdict((one, stranger)).codes
    assert "chain.broken" in verdict((forged(other(), change="extended"),)).codes


def test_versions_that_were_cut_off_show_by_the_head():
    versions = two()
    withdrawn = add(versions, making.withdraw(versions[-1], channel="phone", now=NOW + timedelta(2)))
    assert verdict(versions, head=versions[-1].record_hash).ok
    assert verdict(versions, head=withdrawn[-1].record_hash).codes == {"chain.head"}


def test_a_changed_record():
    (record,) = first(other())
    assert verdict((replace(record, scope=making.make_scope(training=True)),)).codes >= {"chain.changed"}
    assert verdict((replace(record, level="L3"),)).codes == {"chain.changed", "level.mismatch"}


def test_signatures():
    (record,) = first(other())
    assert verdict((record,), public_keys={}).codes == {"signature.unknown_key"}
    assert verdict((record,), public_keys={KEY_ID: OTHER_KEY.public_key()}).codes == {"signature.bad"}
    named = replace(record, key_id=key_id_of(OTHER_KEY.public_key()))
    assert verdict((named,)).codes == {"signature.unknown_key"}
    assert "signature.bad" in verdict((replace(record, sig="0" * 128),)).codes


def test_a_level_without_its_evidence():
    claimed = forged(other(), level="L2")
    found = verdict((claimed,))
    assert found.codes == {"level.mismatch"} and found.level == "L0"
    assert "claims L2" in found.reason() and "supports L0" in found.reason()
    versions = first(other())
    full = making.with_evidence(versions[-1], spoken=spoken(versions[-1]), now=NOW)
    lacking = forged(full, versions[-1], statement_audio=None)
    assert "missing" in verdict((*versions, lacking)).codes
    lacking = forged(full, versions[-1], evidence=())
    assert "missing" in verdict((*versions, lacking)).codes
    eased = forged(
        full,
        versions[-1],
        speaker_match=replace(full.speaker_match, score=Decimal("0.1000"), threshold=Decimal("0.0500")),
    )
    assert verdict((*versions, eased)).level == "L2"


def test_what_was_heard_is_compared_again():
    versions = first(other())
    full = making.with_evidence(versions[-1], spoken=spoken(versions[-1], "something else"), now=NOW)
    better = forged(full, versions[-1], asr=replace(full.asr, cer=Decimal("0.0000"), words_heard=4))
    assert "statement.not_heard" in verdict((*versions, better)).codes
    closed = tuple(record.closed() for record in (*versions, better))
    assert verdict(closed).ok and verdict(closed).unchecked  # without the texts it rests on the signature


def test_a_statement_that_says_something_else():
    (record,) = first(other())
    harmless = new_statement("other", "en", operator="Somebody", scope=record.scope, now=NOW)
    assert "statement.mismatch" in verdict((forged(record, statement=harmless),)).codes
    assert "statement.words" in verdict((forged(record, statement=replace(record.statement, nonce=("a",))),)).codes


def test_other_recordings_and_voices():
    versions = first(other())
    assert verdict(versions, references=[reference(seed=8).sha256_pcm]).codes == {"references.mismatch"}
    mixed = [versions[-1].references[0].sha256_pcm, reference(seed=8).sha256_pcm]
    assert verdict(versions, references=mixed).codes == {"references.mismatch"}
    assert verdict(versions, voice_id=VOICE.replace("0", "1")).codes == {"voice.mismatch"}
    assert verdict(first(designed()), references=[reference().sha256_pcm]).codes == {"references.mismatch"}


def test_content_rules_hold_for_records_made_by_other_means():
    (record,) = first(other())
    assert "missing" in verdict((forged(record, expires_at=None),)).codes
    assert "validity.too_long" in verdict((forged(record, expires_at=add_months(NOW, 99)),)).codes
    assert "missing" in verdict((forged(record, speaker=replace(record.speaker, adult=False)),)).codes
    wider = forged(making.narrow(record, now=NOW), record, scope=making.make_scope(training=True))
    assert "change.wider" in verdict((record, wider), now=NOW).codes
    taken_back = forged(making.withdraw(record, channel="phone", now=NOW), record)
    again = forged(taken_back, taken_back, withdrawal=None, change="renewed")
    assert "change.after_withdrawal" in verdict((record, taken_back, again), now=NOW).codes


def test_every_failure_is_listed_at_once():
    versions = first(other())
    versions = add(versions, making.withdraw(versions[-1], channel="phone", now=NOW))
    bad = replace(versions[-1], sig="0" * 128)
    found = verdict((versions[0], bad), add_months(NOW, 12), use=Use("train"), references=["0" * 64])
    assert found.codes == {"withdrawn", "expired", "out_of_scope", "references.mismatch", "signature.bad"}
    assert all(problem.message.endswith(".") for problem in found.problems)
    assert len(found.problems) == len({p.message for p in found.problems})


def test_stored_bytes():
    versions = two()
    stored = [(record.to_json(), record.private()) for record in versions]
    assert verify_stored(stored, now=NOW, public_keys=KEYS, use=Use()).ok
    broken = [stored[0], (b"{}", None)]
    found = verify_stored(broken, now=NOW, public_keys=KEYS)
    assert found.codes == {"unreadable"} and "schema is missing" in found.reason()
    swapped = [(stored[0][0], stored[1][1]), stored[1]]
    assert verify_stored(swapped, now=NOW, public_keys=KEYS).ok  # the same texts and salts in both versions
    foreign = [(stored[0][0], first(other())[0].private())]
    assert verify_stored(foreign, now=NOW, public_keys=KEYS).codes == {"unreadable"}


class Life(RuleBasedStateMachine):
    """A consent through its changes, against a model of what must be allowed."""

    @initialize(months=st.integers(1, 36), training=st.booleans())
    def give(self, months, training):
        self.now = NOW
        self.training, self.withdrawn = training, False
        self.granted, self.end = NOW, add_months(NOW, months)
        self.versions = first(other(months=months, scope=making.make_scope(training=training)))

    def change(self, draft, allowed):
        """Try a change; the model says whether it must be taken. A refused one leaves everything as it was."""
        before = self.versions
        allowed = allowed and not self.withdrawn
        try:
            self.versions = add(before, draft)
        except RuleError as error:
            assert not allowed, error
        else:
            assert allowed and self.versions[:-1] == before
        return allowed

    @rule(days=st.integers(0, 200))
    def wait(self, days):
        self.now += timedelta(days)

    @rule(days=st.integers(-100, 500))
    def extend(self, days):
        end = self.end + timedelta(days)
        allowed = days >= 0 and end <= add_months(self.granted, 36)
        if self.change(making.extend(self.versions[-1], end, self.now), allowed):
            self.end = end

    @rule(training=st.booleans(), days=st.integers(-50, 50))
    def narrow(self, training, days):
        end = self.end + timedelta(days)
        allowed = days <= 0 and end > self.granted and (self.training or not training)
        if self.change(making.narrow(self.versions[-1], making.make_scope(training=training), end, self.now), allowed):
            self.training, self.end = training, end

    @rule(training=st.booleans(), months=st.integers(1, 40))
    def renew(self, training, months):
        scope = making.make_scope(training=training)
        words = new_statement("other", "en", operator="Studio North", scope=scope, now=self.now)
        draft = making.renew(self.versions[-1], words, scope=scope, months=months, now=self.now)
        if self.change(draft, months <= 36 and self.now >= self.granted):
            self.training, self.granted, self.end = training, self.now, add_months(self.now, months)

    @rule(text=st.sampled_from(["", None]))
    def speak(self, text):
        draft = making.with_evidence(self.versions[-1], spoken=spoken(self.versions[-1], text), now=self.now)
        if self.change(draft, True):
            assert self.versions[-1].level == ("L1" if text == "" else "L3")

    @rule()
    def withdraw(self):
        if self.change(making.withdraw(self.versions[-1], channel="phone", now=self.now), True):
            self.withdrawn = True

    @invariant()
    def the_verdict_is_what_the_model_expects(self):
        expected = {"withdrawn"} if self.withdrawn else set()
        expected |= {"expired"} if self.now >= self.end else set()
        expected |= set() if self.training else {"out_of_scope"}
        head = self.versions[-1].record_hash
        assert verdict(self.versions, self.now, use=Use("train"), head=head).codes == expected
        closed = tuple(record.closed() for record in self.versions)
        assert verdict(closed, self.now, use=Use("train")).codes == expected


Life.TestCase.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)
TestLife = Life.TestCase
