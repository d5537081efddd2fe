"""Descriptions of how a sentence is spoken, put together from words about the voice, its pitch and its pace."""

from __future__ import annotations

import json
import random
from pathlib import Path

HERE = Path(__file__).resolve().parent

SUBJECTS = {
    "slt": (
        "a woman", "a female voice", "a lady", "a young woman", "female", "woman", "the voice of a woman",
        "a woman's voice", "an American woman", "she is a woman", "this is a lady",
    ),
    "rms": (
        "an American man", "a man from America", "an American gentleman", "a male voice from America",
        "a man with an American accent", "American man", "male, American", "this is an American man",
        "the voice of an American man", "he is American",
    ),
    "awb": (
        "a Scottish man", "a man from Scotland", "a Scottish gentleman", "a male voice from Scotland",
        "a man with a Scottish accent", "a Scotsman", "Scottish man", "male, Scottish", "this is a Scottish man",
        "the voice of a Scottish man", "he is Scottish",
    ),
}  # fmt: skip
MALE = ("a man", "a male voice", "a gentleman", "male", "the voice of a man")
"""Words that leave open which man it is."""
PACES = {
    "slow": (
        "speaking slowly", "slow", "at a slow pace", "talking slowly", "who speaks slowly", "slow and clear",
        "very slow", "calm and slow", "with a slow voice", "taking time", "at a slow speed",
    ),
    "normal": (
        "", "", "", "speaking clearly", "at a normal pace", "at normal speed", "normal", "who speaks clearly",
        "ordinary", "talking at a normal speed",
    ),
    "fast": (
        "speaking quickly", "speaking fast", "fast", "at a fast pace", "talking quickly", "talking fast", "quick",
        "in a hurry", "who speaks fast", "very fast", "with a quick voice", "at a fast speed",
    ),
}  # fmt: skip
PITCHES = {
    "low": ("with a low voice", "low", "deep voice", "with a deep voice", "low pitch"),
    "normal": ("", "", "", "normal pitch"),
    "high": ("with a high voice", "high", "high voice", "high pitch", "with a bright high voice"),
}


def held_out() -> list[dict[str, str]]:
    """The descriptions that are kept for judging: description, voice, pace."""
    text = (HERE / "test_descriptions.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def plain(description: str) -> str:
    """A description without case and punctuation, to compare by."""
    return " ".join("".join(c if c.isalnum() else " " for c in description.casefold()).split())


def describe(voice: str, pace: str, pitch: str, draw: random.Random) -> str:
    """One of the many ways to say it; never one of :func:`held_out`. Keys: see the tables above."""
    forbidden = {plain(entry["description"]) for entry in held_out()}
    while True:
        subject = draw.choice(MALE if voice != "slt" and draw.random() < 0.1 else SUBJECTS.get(voice, MALE))
        parts = [part for part in (draw.choice(PACES[pace]), draw.choice(PITCHES[pitch])) if part]
        draw.shuffle(parts)
        glue = draw.choice((", ", ", ", " "))
        parts = [subject, *parts]
        if draw.random() < 0.15:
            draw.shuffle(parts)
            glue = ", "
        text = glue.join(parts)
        if draw.random() < 0.3:
            text = text[0].upper() + text[1:]
        if plain(text) not in forbidden:
            return text
