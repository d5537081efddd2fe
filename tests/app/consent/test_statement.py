"""The statement: its words, its templates, and whether it was heard."""

import random
import re
import time
from decimal import Decimal

import jiwer
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.consent import making
from app.core.consent.record import WORDS
from app.core.consent.statement import (
    APP,
    LANGUAGES,
    MAX_CER,
    character_error_rate,
    check_statement,
    check_template,
    letters,
    new_statement,
    template_ids,
    word_list,
)
from tests.app.consent.makers import NOW

SCOPE = making.make_scope()
TEXT = st.text("abcde fé中文。", max_size=30)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_word_lists_are_fit_to_be_spoken_and_heard(lang):
    words = word_list(lang)
    assert len(words) == len(set(words)) == 512
    form = r"[a-z]{4,12}" if lang == "en" else r"[\u4e00-\u9fff]{2}"
    assert all(re.fullmatch(form, word) for word in words)
    assert not [(a, b) for a in words for b in words if a != b and a in b]


@pytest.mark.parametrize("template", template_ids())
def test_a_statement_names_who_with_what_for_what_and_the_words(template):
    kind, lang, _ = template.split(".")
    scope = making.make_scope(training=True)
    statement = new_statement(
        kind, lang, operator=" Studio {North} ", scope=scope, now=NOW, use="an audiobook", chooser=random.Random(3)
    )
    text = statement.text.text
    assert statement.template_id == template and len(statement.nonce) == WORDS
    for part in (
        "Studio {North}",
        APP,
        "an audiobook",
        *statement.nonce,
        {"en": "train a model", "zh": "训练模型"}[lang],
    ):
        assert part in text
    assert check_template(template, text, "Studio {North}", scope, statement.nonce)
    for other in (
        (text, "Studio South", scope, statement.nonce),
        (text, "Studio {North}", making.make_scope(commercial=True, training=True), statement.nonce),
        (text, "Studio {North}", SCOPE, statement.nonce),
        (text, "Studio {North}", scope, statement.nonce[::-1]),
        (text + " Or not.", "Studio {North}", scope, statement.nonce),
        ("", "Studio {North}", scope, statement.nonce),
    ):
        assert not check_template(template, *other)
    assert not check_template("self.en.99", text, "Studio {North}", scope, statement.nonce)


def test_the_words_are_drawn_anew_and_evenly():
    drawn = [new_statement("self", "en", operator="I", scope=SCOPE, now=NOW).nonce for _ in range(300)]
    assert len(set(drawn)) == 300 and all(len(set(words)) == WORDS for words in drawn)
    assert len({word for words in drawn for word in words}) > 400  # 1,200 draws of 512: 463 are expected
    seeded = [new_statement("self", "zh", operator="I", scope=SCOPE, now=NOW, chooser=random.Random(1)) for _ in "ab"]
    assert seeded[0].nonce == seeded[1].nonce


@pytest.mark.parametrize(
    ("kind", "lang", "operator"), [("friend", "en", "I"), ("self", "fr", "I"), ("self", "en", " ")]
)
def test_what_cannot_be_stated_is_refused(kind, lang, operator):
    with pytest.raises(ValueError, match=r"there is no statement|who uses"):
        new_statement(kind, lang, operator=operator, scope=SCOPE, now=NOW)


@given(TEXT, TEXT)
@settings(max_examples=200)
def test_the_error_rate_is_that_of_jiwer(wanted, heard):
    if not letters(wanted):
        with pytest.raises(ValueError, match="no text"):
            character_error_rate(wanted, heard)
        return
    heard = letters(heard)[: 3 * len(letters(wanted))]  # more is not looked at
    ours = character_error_rate(wanted, heard)
    assert ours == pytest.approx(jiwer.cer(letters(wanted), letters(heard)))
    assert (ours == 0) == (letters(wanted) == letters(heard))


def said(lang="en", seed=1):
    return new_statement("other", lang, operator="Studio North", scope=SCOPE, now=NOW, chooser=random.Random(seed))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_was_said_passes_however_it_is_written(lang):
    statement = said(lang)
    text, nonce = statement.text.text, statement.nonce
    for heard in (
        text,
        text.upper(),
        text.replace(",", "").replace("，", "").replace("。", ""),
        text.replace("VoxCPM", "Vox CPM"),
        text.replace("VoxCPM Studio", "box see pm studio"),
        text.replace(nonce[0], " ".join(nonce[0])),
        "".join(text.split()),
        text + {"en": " Thank you.", "zh": "谢谢观看。"}[lang],
        text[3:],
        "Ｉ ａｇｒｅｅ" + text[7:] if lang == "en" else text,
    ):
        assert check_statement(text, nonce, heard).passed, heard


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_was_not_said_does_not_pass(lang):
    statement = said(lang)
    text, nonce = statement.text.text, statement.nonce
    other = said(lang, seed=2).text.text
    for heard, missing in (
        ("", 4),
        (other, 4),
        (text.replace(nonce[3], ""), 1),
        (text.replace(nonce[1], said(lang, seed=5).nonce[0]), 1),
        (" ".join(nonce), 0),
        (text * 3, 0),
    ):
        check = check_statement(text, nonce, heard)
        assert not check.passed and len(check.missing) == missing, (heard, check)
        assert check.words_heard == 4 - missing
    swapped = text.replace(nonce[0], "\0").replace(nonce[1], nonce[0]).replace("\0", nonce[1])
    assert check_statement(text, nonce, swapped).missing  # the order counts


def test_a_word_that_sounds_alike_will_do_and_another_will_not():
    text = said(seed=7).text.text
    one, *others = said(seed=7).nonce
    text = text.replace(one, "collar")
    for heard, fine in (("color", True), ("collars", True), ("colour", True), ("cutter", False), ("mitten", False)):
        check = check_statement(text, ("collar", *others), text.replace("collar", heard))
        assert check.passed == fine and check.missing == (() if fine else ("collar",)), heard
    assert check_statement(text, ("nowhere", *others), text).missing == ("nowhere",)


@pytest.mark.parametrize(("lang", "most"), [("en", 0.06), ("zh", 0.03)])
def test_other_words_are_hardly_taken_for_the_words_asked_for(lang, most):
    """A recording of the same sentence with words drawn earlier: all four must pass, so ``most`` ** 4 of them do."""
    taken = total = 0
    for seed in range(150):
        statement = said(lang, seed)
        check = check_statement(statement.text.text, statement.nonce, said(lang, 1000 + seed).text.text)
        assert not check.passed
        taken, total = taken + check.words_heard, total + WORDS
    assert taken / total <= most


def test_the_threshold_is_where_it_is_stated():
    text, nonce = "abcdefghijklmnopqrst" * 5, ()
    assert check_statement(text, nonce, text[:75]).cer == MAX_CER == Decimal("0.25")
    assert check_statement(text, nonce, text[:75]).passed and not check_statement(text, nonce, text[:74]).passed
    assert check_statement("a", nonce, "b" * 100_000).cer <= 10  # a recogniser gone wild costs no time


@pytest.mark.parametrize("text", ["a" * 4000, "\ufdfa" * 4000, "好" * 801])
def test_a_statement_that_is_no_statement_is_not_aligned_at_all(text):
    begun = time.process_time()
    check = check_statement(text, ("collar", "anchor", "badge", "bread"), text)
    assert time.process_time() - begun < 1
    assert not check.passed and check.words_heard == 0 and check.cer == 1


def test_the_longest_statement_is_compared_with_a_hostile_transcript_in_time():
    begun = time.process_time()
    assert not check_statement("a" * 800, ("b", "c", "d", "e"), "\ufdfa" * 4000).passed
    assert time.process_time() - begun < 10


def test_the_longest_statements_of_this_studio_are_far_below_that():
    scope = making.make_scope(commercial=True, training=True, redistribution=True, sensitive_text=True)
    for kind in ("other", "guardian", "licensed"):
        for lang in ("en", "zh"):
            statement = new_statement(kind, lang, operator="N" * 200, scope=scope, now=NOW, use="u" * 100)
            assert len(letters(statement.text.text)) <= 800
