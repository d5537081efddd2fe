"""Normalising: what it writes out, what it leaves alone, and that it never loses a word (OPEN-04)."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voxcpm.errors import RequestError
from voxcpm.normalize import Normalizer
from voxcpm.normalize_rules import UNITS

normalize = Normalizer()

SPOKEN = {
    "In the 1990s we called 555-1234.": "In the nineteen nineties we called five five five, one two three four.",
    "价格是￥99.9元。": "价格是九十九点九元。",
    "2024年5月1日，气温25℃": "二零二四年五月一日，气温二十五摄氏度",
    "气温-5℃": "气温负五摄氏度",
    "一共3个，2个人，第2个，2号": "一共三个，两个人，第二个，二号",
    "上午9:30开会": "上午九点三十分开会",
    "跑了100m，3-5天": "跑了一百米，三到五天",
    "增长50%，打13800138000": "增长百分之五十，打幺三八零零幺三八零零零",
    "1.5万人花了$5万": "一点五万人花了五万美元",
    "I ran 5km in 25 min.": "I ran five kilometers in twenty five minutes.",
    "It is 1 km, not 1,000 m.": "It is one kilometer, not one thousand meters.",
    "Pay $5.50 or $3 million, €0.99.": "Pay five dollars and fifty cents or three million dollars, ninety nine cents.",
    "On May 1, 2024 at 12:30 p.m. we met": "On May first, twenty twenty four at twelve thirty PM we met",
    "on 2024-05-01 we": "on May first, twenty twenty four we",
    "the 5th May": "the fifth of May",
    "the 2nd of 1/2": "the second of one half",
    "5% of 0.05": "five percent of zero point zero five",
    "pages 10-15": "pages ten to fifteen",
    "#1 hit": "number one hit",
    "-5 degrees": "minus five degrees",
    "- 5 degrees": "- five degrees",
    "Is 3 < 5 and 7 > 2?": "Is three < five and seven > two?",
    "我2024年买了iPhone 15": "我二零二四年买了iPhone fifteen",
    "iPhone 15发布了": "iPhone 十五发布了",
}

KEPT = [
    "", " ", "hello", "你好 ", " 你好", "你 好", "`word`", "a `word 5` b", "<", "a < b", "{ni3}{hao3}",
    "COVID-19, H2O, B2B, mp3",
    "v1.2.3 at 192.168.0.1", "Mr. 5's 6'2\"", "x = 5+3", "1,2,3 go", "24/7", "123", "5", "今日は5月1日です",
    "5년 동안", "в 5 часов",
    "see https://a.b/5 or me5@x.com", "3x 5th2 2th", "don't, can't", "Dr. Smith", "￥", "13:75 on 2024-13-45",
    "555-12 ok",
]  # fmt: skip


@pytest.mark.parametrize(("text", "words"), SPOKEN.items(), ids=SPOKEN)
def test_numbers_dates_money_and_units_are_written_out(text, words):
    assert normalize(text) == words


@pytest.mark.parametrize("text", KEPT)
def test_what_is_not_understood_stays_as_it_is(text):
    assert normalize(text) == text


def test_phoneme_marks_and_a_description_in_front_are_not_touched():
    assert normalize("(a 5 year old)I am 5 {ni3} {HH AH0}") == "(a 5 year old)I am five {ni3} {HH AH0}"
    assert normalize("（5岁）你好5") == "（5岁）你好五"


def test_language_can_be_set():
    assert Normalizer("en")("5") == "five"
    assert Normalizer("zh")("5") == "五"
    with pytest.raises(RequestError) as caught:
        Normalizer("fr")  # type: ignore[arg-type]
    assert caught.value.field == "normalize"


def test_rewrites_show_what_changes():
    found = normalize.rewrites("On 2024-05-01 it was 5% and v1.2")
    assert [(rewrite.before, rewrite.after) for rewrite in found] == [
        ("2024-05-01", "May first, twenty twenty four"),
        ("5%", "five percent"),
    ]
    assert normalize.rewrites("nothing here") == ()


UNIT_SPELLING = {unit: names for unit, names in UNITS.items() if unit.isascii() and unit.isalpha()}


def lost_letters(text: str, result: str) -> list[str]:
    """Letter-runs of ``text`` that are in ``result`` neither as they are nor, as a unit after a number, in words."""
    lost = []
    for match in re.finditer(r"[^\W\d_]+", text):
        run = match[0]
        if run in result:
            continue
        latin = re.match(r"[A-Za-z]*", run)[0]
        spoken = UNIT_SPELLING.get(latin, ())
        after_number = re.search(r"\d ?$", text[: match.start()])
        if latin.lower() in ("am", "pm", "a", "p", "m") and after_number:
            continue
        if after_number and any(name in result for name in spoken) and run[len(latin) :] in result:
            continue
        if latin in ("st", "nd", "rd", "th", "s") and after_number:
            continue
        lost.append(run)
    return lost


def test_the_checker_sees_a_lost_word():
    assert lost_letters("5 km of road", "five kilometers of") == ["road"]
    assert lost_letters("5 km of road", "five kilometers of road") == []


@pytest.mark.parametrize(
    "text",
    [
        "你好 ", " 你好", "你好   世界", "Is 3 < 5 and 7 > 2?", "say `five 5` now", "#1 hit", "- 5 degrees",
        "a < b", "<",
        "no full stop " * 770, "数字5个" * 2500, "word 12,345.67 km and " * 450, "1234567890" * 1000,
        " ".join(map(str, range(1, 2200))) + " apples", "5 " * 5000, "{1" * 5000, "1-2-3 " * 1600, "x@" * 5000,
        "May " * 2500,
    ],
    ids=lambda text: text[:12],
)  # fmt: skip
def test_awkward_texts_keep_their_words_in_bounded_time(text):
    started = time.perf_counter()
    result = normalize(text)
    assert time.perf_counter() - started < 30
    assert normalize(result) == result
    assert lost_letters(text, result) == []


ALPHABET = (
    "abcxyzABkmghLVWpst0123456789   你好世界第年月日个元点()（）[]{}<>#*_\"'“”‘’`-+.,:/%$￥°😀🎉，。！？;=&~|\\@\n"
)


def test_two_thousand_random_texts_lose_nothing():
    draw = random.Random(20)
    changed = 0
    for _ in range(2000):
        text = "".join(draw.choice(ALPHABET) for _ in range(draw.randint(1, 60)))
        result = normalize(text)
        assert normalize(result) == result, text
        assert lost_letters(text, result) == [], text
        changed += result != text
    assert changed > 500  # or this would only prove that nothing is done


@settings(deadline=None, max_examples=300)
@given(st.text(max_size=80) | st.text(alphabet="0123456789年月日:-/.,%$ kmst第个", max_size=40))
def test_any_text_at_all(text):
    result = normalize(text)
    assert normalize(result) == result
    assert lost_letters(text, result) == []


def test_threads_share_one_normalizer():
    results: list[str] = []

    def work() -> None:
        results.extend("".join(f"{text}>{normalize(text)}" for text in SPOKEN) for _ in range(5))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 20
    assert len(set(results)) == 1


def test_it_writes_nothing_and_needs_neither_home_nor_network(tmp_path):
    code = (
        "import socket\n"
        "def refuse(*args, **kwargs): raise AssertionError('network')\n"
        "socket.socket.connect = refuse; socket.getaddrinfo = refuse\n"
        "from voxcpm.normalize import Normalizer\n"
        "n = Normalizer()\n"
        "assert n('5km away') == 'five kilometers away' and n('共3个') == '共三个'\n"
    )
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120, env=environment
    )
    assert done.stdout == ""
    assert done.stderr == ""
    assert list(tmp_path.iterdir()) == []


def test_a_missing_library_is_explained(tmp_path):
    code = (
        "import sys\n"
        "sys.modules['wetext'] = None\n"
        "from voxcpm.normalize import Normalizer\n"
        "from voxcpm.errors import RequestError\n"
        "try:\n"
        "    Normalizer()('5km away')\n"
        "except RequestError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.startswith("normalize: ")
    assert "wetext" in done.stdout
