"""Words that several parts of the window use, in the language of the window."""

from __future__ import annotations

import math

from PySide6.QtCore import QCoreApplication

FLOOR_DB = -60.0  # below it is silence to the eye


def mode_name(mode: str) -> str:
    """Name a mode for people."""
    return {
        "design": QCoreApplication.translate("Wording", "Design"),
        "reference": QCoreApplication.translate("Wording", "Clone"),
        "continuation": QCoreApplication.translate("Wording", "Continue"),
        "combined": QCoreApplication.translate("Wording", "Continue + reference"),
    }.get(mode, mode)


def model_text(text: str) -> str:
    """Say the name or a sentence of a model's card, where it is one of those that are known here."""
    return QCoreApplication.translate("Models", text) if text else ""


def end_text(end: str) -> str:
    """Say why a take ended."""
    return {
        "stopped": QCoreApplication.translate("Wording", "ended by itself"),
        "length_cap": QCoreApplication.translate("Wording", "cut: much longer than its text"),
        "max_patches": QCoreApplication.translate("Wording", "cut at the longest length allowed"),
        "context_full": QCoreApplication.translate("Wording", "cut: the model's context is full"),
        "cancelled": QCoreApplication.translate("Wording", "stopped by you"),
        "failed": QCoreApplication.translate("Wording", "broke off"),
        "joined": QCoreApplication.translate("Wording", "joined of several takes"),
    }.get(end, end)


def flag_text(flag: str) -> str:
    """Say what a take is suspected of; a flag that is not known here is shown as it is."""
    return {
        "doubtful: too long": QCoreApplication.translate("Wording", "doubtful: far too long for its text"),
        "cut: context full": QCoreApplication.translate("Wording", "cut: the model's context is full"),
        "cut: cancelled": QCoreApplication.translate("Wording", "stopped by you"),
    }.get(flag, flag)


def no_sound_reason(code: str) -> str:
    """Say why nothing can be played, and what to do."""
    return {
        "library": QCoreApplication.translate(
            "Wording", "No playback: the PortAudio library is not installed. All else works."
        ),
        "device": QCoreApplication.translate("Wording", "No playback: no sound device was found. All else works."),
        "failed": QCoreApplication.translate(
            "Wording", "No playback: the sound device could not be opened. All else works."
        ),
    }.get(code, code)


def length_text(seconds: float) -> str:
    """Write a length, e.g. 7.2 s or 2:05.4."""
    if seconds < 60:
        return QCoreApplication.translate("Wording", "{seconds:.1f} s").format(seconds=seconds)
    return clock_text(seconds)


def wait_text(seconds: float) -> str:
    """Write a wait, short ones in milliseconds."""
    if seconds < 1:
        return QCoreApplication.translate("Wording", "{count} ms").format(count=round(seconds * 1000))
    return length_text(seconds)


def clock_text(seconds: float) -> str:
    """Write a place in time as mm:ss.t."""
    tenths = round(seconds * 10)
    return f"{tenths // 600:02d}:{tenths // 10 % 60:02d}.{tenths % 10}"


def precise_clock_text(seconds: float) -> str:
    """Write a place in time as m:ss.mmm."""
    thousandths = round(seconds * 1000)
    return f"{thousandths // 60000}:{thousandths // 1000 % 60:02d}.{thousandths % 1000:03d}"


def decibels(level: float) -> float:
    """Return a linear level as decibels below full scale, at least -60."""
    return max(FLOOR_DB, 20 * math.log10(level)) if level > 0 else FLOOR_DB


def level_text(level: float) -> str:
    """Write a linear level in decibels below full scale."""
    value = decibels(level)
    return QCoreApplication.translate("Wording", "silent") if value <= FLOOR_DB else f"{value:.0f} dB"


def memory_text(count: int) -> str:
    """Write a number of bytes in MB or GB."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"


def no_input_reason(code: str) -> str:
    """Say why nothing can be recorded, and what to do."""
    return {
        "library": QCoreApplication.translate(
            "Wording", "No recording: the PortAudio library is not installed. Open a file instead."
        ),
        "device": QCoreApplication.translate("Wording", "No recording: no microphone was found. Open a file instead."),
        "failed": QCoreApplication.translate(
            "Wording", "No recording: the microphone could not be opened. Open a file instead."
        ),
    }.get(code, code)
