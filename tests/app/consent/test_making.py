"""The builders' rules: what each kind needs, how long it lasts, and what a change may change."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.consent import making
from app.core.consent.explain import HIDDEN, explain, explain_lines
from app.core.consent.problems import RecordError, RuleError
from app.core.consent.rules import add_months, is_narrower
from app.core.consent.statement import new_statement
from tests.app.consent.makers import (
    ALL,
    DOCUMENT,
    NOW,
    VOICE,
    add,
    designed,
    first,
    licensed,
    other,
    own,
    public_domain,
    reference,
    spoken,
)


def refused(draft, versions=()):
    with pytest.raises(RuleError) as caught:
        add(versions, draft)
    assert str(caught.value)
    return {problem.code for problem in caught.value.problems}, {
        problem.values.get("field", "") for problem in caught.value.problems
    }


def test_ones_own_voice_needs_nothing_but_the_recording():
    (record,) = first(making.for_self(VOICE, [reference()]))
    assert record.level == "L0" and record.expires_at is None and record.speaker.name is None
    assert record.scope.commercial and record.scope.training and record.scope.redistribution
    assert "the user of this studio" in record.statement.text.text
    assert record.retention.reference == "until_expiry" and record.retention.raw_audio == "30d"
    assert record.retention.delete_by == record.granted_at + timedelta(days=30)


def test_another_person_is_asked_for_little_and_for_a_year():
    (record,) = first(other())
    assert record.expires_at == add_months(NOW, 12) and record.scope.purposes == ("export", "generate")
    assert not (record.scope.commercial or record.scope.training or record.scope.redistribution)
    assert not record.scope.sensitive_text


@pytest.mark.parametrize(
    ("draft", "code", "field"),
    [
        (lambda: other(name=" "), "missing", "speaker.name"),
        (lambda: other(contact=""), "missing", "speaker.contact"),
        (lambda: other(adult=False), "missing", "representative"),
        (lambda: own(adult=False), "missing", "representative"),
        (lambda: other(basis="estate_or_guardian"), "missing", "representative"),
        (lambda: other(basis="self"), "rights.mismatch", ""),
        (lambda: other(months=37), "validity.too_long", ""),
        (lambda: replace(other(), expires_at=None), "missing", "expires_at"),
        (lambda: other(months=0), "validity.empty", ""),
        (lambda: own(references=[]), "missing", "references"),
        (lambda: own(references=[reference(1, seed=n) for n in range(4)]), "references.too_many", ""),
        (lambda: own(references=[reference(30.01)]), "references.too_long", ""),
        (lambda: own(references=[reference(), reference()]), "references.double", ""),
        (lambda: licensed(evidence=[DOCUMENT]), "missing", "expires_at"),
        (lambda: public_domain(name=""), "missing", "speaker.name"),
        (lambda: replace(designed(), design=None), "missing", "design"),
        (lambda: replace(designed(), speaker=other().speaker), "speaker.of_nobody", ""),
        (lambda: replace(own(), design=designed().design), "design.of_person", ""),
        (lambda: replace(own(), valid_from=NOW - timedelta(1)), "validity.backdated", ""),
        (lambda: replace(own(), recorded_at=NOW - timedelta(1)), "validity.future", ""),
        (lambda: replace(own(), statement=other().statement), "statement.mismatch", ""),
        (lambda: own(scope=replace(own().scope, purposes=("generate", "export"))), "scope.list", "purposes"),
        (lambda: own(scope=replace(own().scope, languages=("*", "en"))), "scope.list", "languages"),
        (lambda: own(scope=making.make_scope(())), "scope.list", "purposes"),
    ],
)
def test_what_a_kind_needs_is_demanded(draft, code, field):
    codes, fields = refused(draft())
    assert code in codes and field in fields


def test_what_is_on_the_edge_is_taken():
    first(own(references=[reference(30.0, seed=n) for n in range(3)]))
    (record,) = first(other(months=36))
    assert record.expires_at == datetime(2029, 3, 31, 9, 30, tzinfo=UTC)
    first(other(adult=False, basis="estate_or_guardian", representative=("Eve", "parent")))
    first(licensed(months=12, evidence=[DOCUMENT]))
    first(public_domain())
    first(designed(references=[reference(source="generated")]))


def test_a_bundled_voice_does_not_end_with_its_licence():
    (record,) = first(licensed())
    assert record.expires_at is None and record.level == "L1" and record.references[0].source == "shipped"


def test_all_broken_rules_are_told_at_once():
    codes, _ = refused(other(name="", contact="", months=40, references=[]))
    assert codes == {"missing", "validity.too_long"}


def test_an_unknown_word_is_refused_by_its_field():
    with pytest.raises(RecordError, match=r"representative\.authority"):
        first(other(representative=("Eve", "boss")))
    with pytest.raises(RecordError, match=r"scope\.territory"):
        first(own(scope=making.make_scope(territory=("Germany",))))


def test_a_claimed_level_is_not_trusted():
    (record,) = first(replace(own(), level="L3"))
    assert record.level == "L0"


def test_levels_rise_with_what_is_shown():
    versions = first(other())
    assert versions[-1].level == "L0"
    versions = add(versions, making.with_evidence(versions[-1], [DOCUMENT], now=NOW))
    assert versions[-1].level == "L1"
    base = versions[-1]
    for made, level in (
        (spoken(base), "L3"),
        (spoken(base, score=0.74), "L2"),
        (spoken(base, score=None), "L2"),
        (spoken(base, source="file"), "L2"),
        (spoken(base, after=timedelta(hours=25)), "L2"),
        (spoken(base, after=-timedelta(minutes=1)), "L2"),
        (spoken(base, "something else entirely"), "L1"),
        (spoken(base, base.statement.text.text.replace(base.statement.nonce[2], "something")), "L1"),
    ):
        assert add(versions, making.with_evidence(base, spoken=made, now=NOW))[-1].level == level, made


def test_withdrawing_is_the_last_word():
    versions = first(own())
    versions = add(versions, making.withdraw(versions[-1], channel="e_mail", action="delete", now=NOW + timedelta(1)))
    assert versions[-1].withdrawal.action == "delete" and versions[-1].version == 2
    for draft in (making.extend(versions[-1], NOW), making.narrow(versions[-1])):
        assert "change.after_withdrawal" in refused(draft, versions)[0]


def test_extending_ends_at_three_years_from_the_grant():
    versions = first(other())
    later = NOW + timedelta(200)
    longer = add(versions, making.extend(versions[-1], add_months(NOW, 36), later))
    assert longer[-1].expires_at == add_months(NOW, 36)
    assert "validity.too_long" in refused(making.extend(versions[-1], add_months(NOW, 37), later), versions)[0]
    assert "change.not_allowed" in refused(making.extend(longer[-1], add_months(NOW, 30), later), longer)[0]
    assert "change.not_allowed" in refused(making.extend(first(own())[0], later, NOW), first(own()))[0]


def test_narrowing_never_widens():
    versions = first(other(scope=making.make_scope(training=True, languages=("de", "en"))))
    narrower = making.make_scope(["generate"], languages=("en",))
    smaller = add(versions, making.narrow(versions[-1], narrower, NOW + timedelta(30), NOW + timedelta(1)))
    assert smaller[-1].scope == narrower
    for wide in (
        making.make_scope(["generate"], languages=("en",), commercial=True),
        making.make_scope(["generate"], languages=("en", "fr")),
        making.make_scope(["generate"]),
        making.make_scope(["export"], languages=("en",)),
    ):
        assert "change.wider" in refused(making.narrow(smaller[-1], wide, now=NOW + timedelta(2)), smaller)[0]
    assert "change.not_allowed" in refused(making.narrow(smaller[-1], until=NOW + timedelta(99)), smaller)[0]


def test_renewing_takes_a_new_statement_and_may_widen():
    versions = first(other())
    later, scope = NOW + timedelta(300), making.make_scope(commercial=True)
    words = new_statement("other", "en", operator="Studio North", scope=scope, now=later, chooser=random.Random(9))
    renewed = add(versions, making.renew(versions[-1], words, scope=scope, now=later))
    assert renewed[-1].scope.commercial and renewed[-1].expires_at == add_months(later, 12)
    assert renewed[-1].level == "L0"
    old = versions[-1].statement
    assert {"change.empty"} <= refused(making.renew(versions[-1], old, now=later), versions)[0]
    assert "statement.mismatch" in refused(making.renew(versions[-1], words, now=later), versions)[0]


def test_a_change_changes_nothing_else():
    versions = first(other())
    draft = making.extend(versions[-1], add_months(NOW, 20), NOW + timedelta(1))
    for sneaked in (
        {"scope": making.make_scope(training=True)},
        {"references": (reference(seed=5),)},
        {"operator": own().operator},
        {"record_id": VOICE},
        {"evidence": (DOCUMENT,)},
    ):
        codes, fields = refused(replace(draft, **sneaked), versions)
        assert "change.not_allowed" in codes and next(iter(sneaked)) in fields
    assert "change.time" in refused(replace(draft, recorded_at=NOW - timedelta(1)), versions)[0]
    assert "change.not_allowed" in refused(replace(draft, change="made"), versions)[0]
    took = add(versions, making.with_evidence(versions[-1], [DOCUMENT], now=NOW))
    less = replace(making.with_evidence(took[-1], now=NOW), evidence=())
    assert "change.not_allowed" in refused(less, took)[0]


def test_a_first_version_is_made():
    assert "chain.first" in refused(replace(own(), change="extended"))[0]


def test_other_recordings_lose_the_match_of_the_old():
    versions = first(other())
    versions = add(versions, making.with_evidence(versions[-1], spoken=spoken(versions[-1]), now=NOW))
    assert versions[-1].level == "L3"
    versions = add(versions, making.with_references(versions[-1], [reference(seed=4)], NOW))
    assert versions[-1].level == "L2" and versions[-1].speaker_match is None


@given(
    st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC)),
    st.integers(0, 60),
    st.integers(0, 60),
)
def test_months_are_calendar_months(moment, one, two):
    later = add_months(moment, one)
    assert (later.year * 12 + later.month) - (moment.year * 12 + moment.month) == one
    assert later.day == moment.day or (later.day < moment.day and (later + timedelta(1)).day == 1)
    assert (add_months(moment, one) <= add_months(moment, two)) == (one <= two)


SCOPES = st.builds(
    making.make_scope,
    st.sets(st.sampled_from(["generate", "export"]), min_size=1),
    commercial=st.booleans(),
    languages=st.sampled_from([("*",), ("en",), ("en", "de"), ("de",)]),
    territory=st.sampled_from([("*",), ("DE",), ("DE", "FR")]),
    redistribution=st.booleans(),
    training=st.booleans(),
    sensitive_text=st.booleans(),
)


@given(SCOPES, SCOPES, SCOPES)
def test_narrower_is_an_order(one, two, three):
    assert is_narrower(one, one)
    assert not (is_narrower(one, two) and is_narrower(two, one)) or one == two
    assert not (is_narrower(one, two) and is_narrower(two, three)) or is_narrower(one, three)


@pytest.mark.parametrize("kind", ALL)
def test_a_record_is_told_in_sentences(kind):
    (record,) = first(ALL[kind]())
    sentences = explain(record)
    assert len(sentences) > 8 and all(s.endswith((".", "”")) for s in sentences)
    assert any("does not prove who" in s for s in sentences)
    assert all(line.code.startswith("explain.") for line in explain_lines(record))
    if record.speaker and record.speaker.name:
        assert record.speaker.name.text in " ".join(sentences)
        assert HIDDEN in " ".join(explain(record.closed()))


def test_what_was_heard_and_withdrawn_is_told():
    versions = first(
        other(note="by phone", representative=("Eve", "agent"), scope=making.make_scope(languages=("en",)))
    )
    versions = add(versions, making.with_evidence(versions[-1], spoken=spoken(versions[-1]), now=NOW))
    versions = add(versions, making.withdraw(versions[-1], channel="phone", now=NOW))
    text = " ".join(explain(versions[-1]))
    for part in (
        "Eve (agent)",
        "4 of 4 words",
        "match by 0.90",
        "withdrawn on 2026-03-31",
        "Languages: en",
        "by phone",
        "L3",
    ):
        assert part in text
