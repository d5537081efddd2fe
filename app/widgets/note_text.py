"""What was noticed about audio or a plan, in the language of the window."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from app.core.messages import Note

_CONTEXT = "Notes"
_SENTENCES = {
    "unknown": QT_TRANSLATE_NOOP("Notes", "the model does not know these characters and leaves them out: {characters}"),
    "context_room": QT_TRANSLATE_NOOP("Notes", "the context has room for {seconds:.1f} s of sound"),
    "damaged": QT_TRANSLATE_NOOP("Notes", "the file is damaged; only the first {seconds:.1f} s can be read"),
    "out_of_phase": QT_TRANSLATE_NOOP("Notes", "the channels cancel each other out; the first one alone is used"),
    "cut": QT_TRANSLATE_NOOP(
        "Notes",
        "the audio is {seconds:.1f} s long; {start:.2f} to {end:.2f} s of it is used, and a transcript must cover "
        "that part and no more",
    ),
    "short": QT_TRANSLATE_NOOP("Notes", "{seconds:.1f} s is short; {good:g} s or more carry a voice better"),
    "trimmed": QT_TRANSLATE_NOOP("Notes", "silence at the ends is left out"),
    "not_finite": QT_TRANSLATE_NOOP(
        "Notes", "{count:.0f} broken samples (no number, or a lone spike) are bridged over"
    ),
    "offset": QT_TRANSLATE_NOOP("Notes", "a constant offset of {offset:.2f} of full scale is removed"),
    "too_loud": QT_TRANSLATE_NOOP("Notes", "the peak is {peak:.2f} times full scale; the level is lowered"),
    "clipped": QT_TRANSLATE_NOOP(
        "Notes", "the recording is overdriven (clipped); the voice will sound better from a clean one"
    ),
    "quiet": QT_TRANSLATE_NOOP("Notes", "the recording is very quiet; noise will be heard along with the voice"),
}
_PARTS = {
    "reference": QT_TRANSLATE_NOOP("Notes", "Reference"),
    "prompt": QT_TRANSLATE_NOOP("Notes", "Prompt"),
}


def note_text(note: Note) -> str:
    """Say ``note``; one that is not known here, or lacks its numbers, is shown in the library's own words."""
    sentence = str(_SENTENCES.get(note.code, ""))
    try:
        text = QCoreApplication.translate(_CONTEXT, sentence).format(**note.values) if sentence else note.message
    except (KeyError, ValueError):
        text = note.message
    part = str(_PARTS.get(note.part, ""))
    if not part:
        return text[:1].upper() + text[1:]
    return QCoreApplication.translate("Notes", "{part}: {note}").format(
        part=QCoreApplication.translate(_CONTEXT, part), note=text
    )
