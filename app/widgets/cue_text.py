"""How a cue fits, in the language of the window."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.core.dubbing.cues import CueTake
from app.core.dubbing.overview import CueState


def time_text(milliseconds: int | None) -> str:
    """Write a time as h:mm:ss.mmm, without hours where there are none; "" for None."""
    if milliseconds is None:
        return ""
    seconds, rest = divmod(milliseconds, 1000)
    hours, minutes = seconds // 3600, seconds // 60 % 60
    head = f"{hours}:{minutes:02}" if hours else f"{minutes}"
    return f"{head}:{seconds % 60:02}.{rest:03}"


def read_time(text: str) -> int | None:
    """Read what ``time_text`` writes, and what people write instead; None for anything else."""
    parts = text.strip().replace(",", ".").split(":")
    try:
        seconds = float(parts[-1])
        whole = [int(part) for part in parts[:-1]]
    except ValueError:
        return None
    if len(parts) > 3 or not 0 <= seconds < 360_000 or any(part < 0 for part in whole):
        return None
    for place, part in enumerate(reversed(whole), 1):
        seconds += part * 60**place
    return round(seconds * 1000) if seconds < 360_000 else None


def short_state(state: CueState) -> str:
    """Say in a word or two how a cue stands."""
    flags = state.placed.flags
    if state.silent:
        return QCoreApplication.translate("Cues", "nothing to say")
    if "no_take" in flags:
        return QCoreApplication.translate("Cues", "no take")
    if "stale" in flags:
        return QCoreApplication.translate("Cues", "stale")
    if "too_long" in flags:
        return QCoreApplication.translate("Cues", "too long by {count}").format(count=state.placed.too_many)
    if "overlap" in flags:
        return QCoreApplication.translate("Cues", "overlaps")
    if "stretched" in flags:
        return QCoreApplication.translate("Cues", "{speed:.2f} ×").format(speed=state.placed.speed)
    if "moved" in flags:
        return QCoreApplication.translate("Cues", "moved")
    return QCoreApplication.translate("Cues", "fits")


def hints(state: CueState) -> list[str]:
    """Say what can be done about a cue, and what was done, a sentence each."""
    one, said = state.placed, list[str]()
    if state.silent:
        return [QCoreApplication.translate("Cues", "There is no letter or digit in it, so nothing is spoken.")]
    if "no_take" in one.flags:
        said.append(QCoreApplication.translate("Cues", "It has no take yet: press Make, or R for this cue alone."))
    if "stale" in one.flags:
        said.append(
            QCoreApplication.translate("Cues", "Its take says something else than the cue does now: make it again.")
        )
    if "too_long" in one.flags:
        said.append(
            QCoreApplication.translate(
                "Cues", "Too long by {count} characters, even at {speed:.2f} ×: shorten the text, or give it more time."
            ).format(count=one.too_many, speed=one.speed)
        )
    elif "stretched" in one.flags and one.speed > 1:
        said.append(
            QCoreApplication.translate(
                "Cues", "Made {speed:.2f} × as fast to fit; {count} characters less would fit as spoken."
            ).format(speed=one.speed, count=one.too_many)
        )
    elif "stretched" in one.flags:
        said.append(
            QCoreApplication.translate("Cues", "Made slower to fill its time: {speed:.2f} ×.").format(speed=one.speed)
        )
    if "uses_gap" in one.flags:
        said.append(QCoreApplication.translate("Cues", "It goes on into the gap before the next cue."))
    if "moved" in one.flags and state.cue.start is not None:
        later = (one.start - state.cue.start) / 1000
        said.append(QCoreApplication.translate("Cues", "Moved {seconds:.2f} s later.").format(seconds=later))
    if state.gap_ms is not None and state.gap_ms < 0:
        said.append(
            QCoreApplication.translate("Cues", "It overlaps the next cue by {seconds:.2f} s.").format(
                seconds=-state.gap_ms / 1000
            )
        )
    return said


def said_text(state: CueState) -> str:
    """Say what the dictionary changed; "" for nothing."""
    changes = dict.fromkeys(f"{change.written} → {change.said}" for change in state.changes)
    if not changes:
        return ""
    return QCoreApplication.translate("Cues", "Said as: {words}").format(words=", ".join(changes))


def take_text(state: CueState, number: int, take: CueTake) -> str:
    """Say which take this is, how long, and whether it fits."""
    parts = [
        QCoreApplication.translate("Cues", "Take {number}").format(number=number),
        QCoreApplication.translate("Cues", "{seconds:.1f} s").format(seconds=take.speech_ms / 1000),
    ]
    if not state.is_fresh(take):
        parts.append(QCoreApplication.translate("Cues", "stale"))
    elif state.room_ms is not None and take.speech_ms > state.room_ms:
        over = (take.speech_ms - state.room_ms) / 1000
        parts.append(QCoreApplication.translate("Cues", "{seconds:.1f} s too long").format(seconds=over))
    elif state.room_ms is not None:
        parts.append(QCoreApplication.translate("Cues", "fits"))
    return " · ".join(parts)
