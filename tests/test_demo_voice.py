"""The scripts that make the demo voice's data: what is held out stays out, and what they write can be trained on."""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest


def test_forty_sentences_are_held_out_in_five_categories(script) -> None:
    sentences = script("make_texts").test_sentences()
    counts = Counter(category for category, _ in sentences)
    assert counts == {"plain": 8, "long": 8, "digits": 8, "names": 8, "fast": 8}
    assert all(6 <= len(sentence.split()) <= 14 for _, sentence in sentences)
    assert len({sentence.casefold() for _, sentence in sentences}) == 40


def test_runs_of_four_words_ignore_case_and_punctuation(script) -> None:
    texts = script("make_texts")
    assert texts.runs("The dog ran, across!") == {("the", "dog", "ran", "across")}
    assert texts.runs("the dog ran") == set()


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("he came , saw and `won'", "he came, saw and 'won"),
        ("too short", None),
        ("the U.S. senate met", None),
        ("in 1999 it rained", None),
        ("a b c of chemistry", None),
        ("is it  true?", "is it true?"),
        (" ".join(["word"] * 15), None),
    ],
)
def test_texts_are_cleaned_or_left_out(script, raw: str, cleaned: str | None) -> None:
    assert script("make_texts").clean(raw) == cleaned


def test_filled_texts_come_from_the_seed_and_fit_the_limits(script) -> None:
    texts = script("make_texts")
    first, second = (list(texts.filled(random.Random(1), ["books"])) for _ in range(2))
    assert first == second
    assert Counter(kind for kind, _ in first) == {"digits": texts.DIGIT_TEXTS, "names": texts.NAME_TEXTS}
    assert all(3 <= len(text.split()) <= 14 and "{" not in text for _, text in first)


def test_held_out_descriptions_are_never_made_and_made_ones_are_many(script) -> None:
    descriptions = script("descriptions")
    held_out = {descriptions.plain(entry["description"]) for entry in descriptions.held_out()}
    assert len(held_out) == 20
    draw = random.Random(0)
    made = {
        descriptions.plain(descriptions.describe(voice, pace, pitch, draw))
        for voice in descriptions.SUBJECTS
        for pace in descriptions.PACES
        for pitch in descriptions.PITCHES
        for _ in range(200)
    }
    assert not made & held_out
    assert len(made) > 2000


def test_no_text_is_spoken_twice_before_all_have_been_and_then_by_another_voice(script) -> None:
    speech = script("make_speech")
    texts = [{"text": f"text {n}", "kind": "definition" if n % 2 else "example"} for n in range(40)]
    items = list(speech.plan(texts, ["slt", "rms", "awb"], 80, 7))
    assert items == list(speech.plan(texts, ["slt", "rms", "awb"], 80, 7))
    assert sorted(item["text"] for item in items[:40]) == sorted(text["text"] for text in texts)
    voices = {item["text"]: item["voice"] for item in items[:40]}
    assert all(voices[item["text"]] != item["voice"] for item in items[40:])


def test_speech_is_trimmed_to_its_sound(script) -> None:
    sound = (3000 * np.sin(np.arange(8000) / 5)).astype(np.int16)
    wave, earlier = script("flite").trimmed(np.concatenate((np.zeros(5000, np.int16), sound, np.zeros(9000, np.int16))))
    assert abs(len(wave) - (8000 + 800 + 1600)) <= 320
    assert np.abs(wave).max() == pytest.approx(0.7, abs=0.01)
    assert earlier == pytest.approx(5000 / 16000 - 0.05, abs=0.011)


def test_the_model_to_start_from_is_whole_and_its_tokens_fold_case(script, tmp_path: Path) -> None:
    import torch

    from voxcpm.training.codec_net import export_codec, new_codec
    from voxcpm.training.codec_options import DEMO_CODEC
    from voxcpm.training.loading import load_trainable

    export_codec(new_codec(DEMO_CODEC, torch.Generator().manual_seed(0)), tmp_path / "codec")
    base = script("make_base")
    sys.argv, before = ["make_base.py", str(tmp_path / "codec"), str(tmp_path / "base")], sys.argv
    try:
        base.main()
    finally:
        sys.argv = before
    parts = load_trainable(tmp_path / "base", device=torch.device("cpu"))
    encode = parts.tokenizer.encode
    assert encode("A CAFÉ, it’s 9") == encode("a cafe, it's 9")
    assert len(encode("abc")) == 4  # a word mark and one for every letter
    assert max(encode("zZ9+/")) < 101  # below the ids that stand around audio
    assert parts.config.audio_vae_config == DEMO_CODEC


def test_stored_latents_become_sequences_with_descriptions_and_references(script, tmp_path: Path) -> None:
    from voxcpm.tokenizer import TextTokenizer
    from voxcpm.training.batch import collate
    from voxcpm.training.data import BatchStream

    base, latents = script("make_base"), script("latent_store")
    for name, content in base.tokenizer_files().items():
        (tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
    counts = np.array([3, 40, 5, 6] * 10)
    values = np.arange(counts.sum() * 4 * 2, dtype=np.float16).reshape(-1, 4, 2)
    values.tofile(tmp_path / "latents.f16")
    np.save(tmp_path / "index.npy", np.stack((counts.cumsum() - counts, counts), axis=1))
    (tmp_path / "latents.json").write_text(json.dumps({"patch_size": 4, "latent_dim": 2, "frame_seconds": 0.04}))
    fixed = {"text": "hello", "pitch": "low", "description": "a woman", "phones": "pau hh pau", "ends": [30, 110, 400]}
    lines = [{**fixed, "voice": ("rms", "slt")[n % 2]} for n in range(len(counts))]
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    store, tokenizer = latents.LatentStore(tmp_path), TextTokenizer.from_dir(tmp_path)
    items = list(latents.mixed_items(store, tokenizer, range(40), 1))
    assert items == list(latents.mixed_items(store, tokenizer, range(40), 1))
    described = [item for item in items if item.text_ids == tuple(tokenizer.encode("(a woman)hello"))]
    referenced = [item for item in items if item.reference is not None]
    assert 10 <= len(described) <= 30 and 4 <= len(referenced) <= 20
    unasked = [item for item in items if item.reference is None and item not in described]
    assert unasked and {store.items[item.number]["voice"] for item in unasked} == {latents.DEFAULT_VOICE}
    # places of 20 ms, told by what sounds in their middle: 10, 30, 50, 70, 90, 110 ms ...
    assert [store.phones[n] for n in store.places(0).flatten()[:6]] == ["pau", "hh", "hh", "hh", "hh", "pau"]
    assert store.places(1).shape == (40, 8) and store.phones[store.places(1)[-1, -1]] == "pau"
    assert not {item.number for item in described} & {item.number for item in referenced}
    for item in referenced:
        assert item.reference != item.number and (item.reference - item.number) % 2 == 0
        assert item.load().reference.shape[0] == item.reference_patches <= latents.REFERENCE_PATCHES
    assert all(item.load().length == item.length for item in items)
    _, batch = next(BatchStream(items, 4, 400, 0).start_at(0))
    assert collate([item.load() for item in batch]).loss_patches == sum(item.patches for item in batch)
