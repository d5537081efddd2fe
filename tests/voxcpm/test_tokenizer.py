"""Token ids: exactly those recorded, for this tokenizer and for others of its family."""

from __future__ import annotations

import json
import shutil
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import parity_dir
from voxcpm.errors import CheckpointError, RequestError
from voxcpm.tokenizer import TextTokenizer

CASES = json.loads((parity_dir() / "tokenization.json").read_text(encoding="utf-8"))["cases"]
CHECKPOINT = parity_dir() / "checkpoints" / "tiny-v2"


@pytest.fixture(scope="module")
def tokenizer() -> TextTokenizer:
    return TextTokenizer.from_dir(CHECKPOINT)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"):
        shutil.copyfile(CHECKPOINT / name, tmp_path / name)
    return tmp_path


def edit(path: Path, change) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content), encoding="utf-8")


@pytest.mark.parametrize("case", CASES, ids=[repr(case["text"]) for case in CASES])
def test_ids_are_those_recorded(tokenizer, case):
    assert tokenizer.encode(case["text"]) == case["ids"]


def test_every_checkpoint_has_a_case_with_split_words(tokenizer):
    split = [case for case in CASES if case["tokens"] != case["base_tokens"]]
    assert len(split) >= 10


@given(st.text())
def test_any_text_gives_ids_of_the_vocabulary(text):
    tokenizer = TextTokenizer.from_dir(CHECKPOINT)
    try:
        ids = tokenizer.encode(text)
    except RequestError:
        assert any(0xD800 <= ord(char) <= 0xDFFF for char in text)
        return
    assert all(0 <= token_id < tokenizer.vocab_size for token_id in ids)
    assert bool(ids) == bool(text)


def test_lone_surrogate_is_refused_by_name(tokenizer):
    with pytest.raises(RequestError) as caught:
        tokenizer.encode("a\ud800b")
    assert caught.value.field == "text"


# Expected ids below were recorded with transformers 5.24.0 on the same edited files.
VARIANTS = {
    "mark before the first part only, the default without the key": (
        lambda config: config.pop("legacy"),
        {"Hello<|audio_start|>world": [474, 464, 438, 101, 90, 441, 528], "a<s>b": [411, 1, 69], " 你好": [361, 362]},
    ),
    "no mark": (
        lambda config: config.update(add_prefix_space=False),
        {"Hello<|audio_start|>world": [43, 464, 438, 101, 90, 441, 528], "a<s>b": [68, 1, 69], " 你好": [361, 362]},
    ),
    "a special token less": (
        lambda config: (config["added_tokens_decoder"].pop("101"), config.pop("additional_special_tokens")),
        {
            "Hello<|audio_start|>world": [
                474, 464, 438, 31, 95, 68, 552, 66, 472, 427, 87, 95, 33, 90, 441, 528,
            ],
            "a<s>b": [411, 1, 477],
        },
    ),
    "two special tokens more, one of them Han without its characters": (
        lambda config: config["additional_special_tokens"].extend(["<new>", "测试"]),
        {"麒麟 <new>测试": [3, 338, 291, 251, 338, 291, 264, 3, 640, 0, 0], "a<s>b": [411, 1, 477]},
    ),
    "special strings read as text": (
        lambda config: config.update(split_special_tokens=True),
        {"a<s>b": [411, 31, 86, 33, 69], "你好世界": [361, 362, 363, 364]},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("change", "expected"), VARIANTS.values(), ids=VARIANTS)
def test_settings_of_the_family_are_followed(copy, change, expected):
    edit(copy / "tokenizer_config.json", change)
    tokenizer = TextTokenizer.from_dir(copy)
    assert {text: tokenizer.encode(text) for text in expected} == expected


def test_works_without_tokenizer_config(copy):
    (copy / "tokenizer_config.json").unlink()
    (copy / "special_tokens_map.json").unlink()
    tokenizer = TextTokenizer.from_dir(copy)
    assert tokenizer.encode("Hello<|audio_start|>world") == [474, 464, 438, 101, 90, 441, 528]


def test_merges_may_be_strings(copy, tokenizer):
    edit(copy / "tokenizer.json", lambda c: c["model"].update(merges=[" ".join(m) for m in c["model"]["merges"]]))
    other = TextTokenizer.from_dir(copy)
    assert all(other.encode(case["text"]) == case["ids"] for case in CASES)


def test_special_tokens_are_known(tokenizer):
    assert {"<s>", "</s>", "<|audio_start|>", "<|ref_audio_end|>"} <= tokenizer.special_tokens


def test_missing_file_is_named(tmp_path):
    with pytest.raises(CheckpointError, match=r"tokenizer\.json is missing"):
        TextTokenizer.from_dir(tmp_path)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[1, 2]",
        "{}",
        '{"model": null}',
        '{"model": {"type": "Unigram", "vocab": [["a", 1]]}}',
        '{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a b"]}}',
        '{"model": {"type": "BPE", "vocab": {"a": "x"}, "merges": []}}',
        '{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [3]}}',
        "\x00\x01",
        "[" * 100_000,
    ],
)
def test_broken_file_is_a_checkpoint_error(copy, content):
    (copy / "tokenizer.json").write_text(content, encoding="utf-8")
    with pytest.raises(CheckpointError):
        TextTokenizer.from_dir(copy)


@pytest.mark.parametrize("content", ["{", '{"added_tokens_decoder": 5}', '{"added_tokens_decoder": {"x": {}}}'])
def test_broken_settings_are_a_checkpoint_error(copy, content):
    (copy / "tokenizer_config.json").write_text(content, encoding="utf-8")
    with pytest.raises(CheckpointError):
        TextTokenizer.from_dir(copy)


def test_not_utf8_is_a_checkpoint_error(copy):
    (copy / "tokenizer.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(CheckpointError):
        TextTokenizer.from_dir(copy)


def test_threads_share_one_tokenizer(tokenizer):
    wrong: list[str] = []

    def work() -> None:
        for _ in range(20):
            wrong.extend(case["text"] for case in CASES if tokenizer.encode(case["text"]) != case["ids"])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_vocabulary_of_full_size_splits_and_stays_fast(copy):
    first = 0x4E00
    characters = [chr(first + index) for index in range(6000)]

    def grow(content) -> None:
        vocabulary, merges = content["model"]["vocab"], content["model"]["merges"]
        for char in characters:
            vocabulary.setdefault(char, len(vocabulary))
        for index in range(66_000):
            pair = (characters[index % 6000], characters[(index * 7 + index // 6000 + 1) % 6000])
            if "".join(pair) not in vocabulary:
                vocabulary["".join(pair)] = len(vocabulary)
                merges.append(list(pair))

    edit(copy / "tokenizer.json", grow)
    started = time.perf_counter()
    tokenizer = TextTokenizer.from_dir(copy)
    ids = tokenizer.encode("".join(characters))
    seconds = time.perf_counter() - started
    vocabulary = json.loads((copy / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    assert ids[1:] == [vocabulary[char] for char in characters]
    assert seconds < 20  # about 0.3 s; a rule applied token by token to the whole vocabulary would take minutes


def test_characters_without_a_token_are_told(tokenizer):
    from app.core.models import default_model_dir

    demo = TextTokenizer.from_dir(default_model_dir())
    assert demo.unknown("Good 晚上 evening, 晚! €\u2581\n") == "晚上€"
    assert demo.unknown("Plain English: 12 words.") == ""
    assert tokenizer.unknown("晚上 любой ☃ text") == ""  # it has a token for every byte
