"""What the doctor of recordings found, and what mends it, in the language of the window."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from app.core.doctor import Finding
from app.core.sound_edits import Edits

_CONTEXT = "Doctor"
_SENTENCES = {
    "empty": QT_TRANSLATE_NOOP("Doctor", "There is no sound in it. Record it again or choose another file."),
    "too_short": QT_TRANSLATE_NOOP(
        "Doctor", "{seconds:.2f} s is too short: at least {least:g} s are needed, 3 to 30 s work well."
    ),
    "too_broken": QT_TRANSLATE_NOOP(
        "Doctor", "The file is damaged: {percent:.0f} % of it is no sound. Export it again or record it anew."
    ),
    "silent": QT_TRANSLATE_NOOP("Doctor", "It is silent. Check the microphone, or choose a part with speech."),
    "broken": QT_TRANSLATE_NOOP("Doctor", "Broken samples, heard as clicks: {count:.0f}."),
    "offset": QT_TRANSLATE_NOOP("Doctor", "It is shifted by {percent:.0f} % of full scale (a constant offset)."),
    "too_loud": QT_TRANSLATE_NOOP("Doctor", "It is {peak:.1f} times louder than full scale."),
    "quiet": QT_TRANSLATE_NOOP("Doctor", "The voice is very quiet ({level:.0f} dB): noise comes along with it."),
    "clipped": QT_TRANSLATE_NOOP(
        "Doctor", "It is overdriven (clipped) and sounds harsh. Nothing mends that: record it again, less loud."
    ),
    "noisy": QT_TRANSLATE_NOOP(
        "Doctor",
        "There is noise only {distance:.0f} dB below the voice. Record where it is quieter; the studio takes no noise "
        "away.",
    ),
    "long": QT_TRANSLATE_NOOP("Doctor", "It is {seconds:.0f} s long; at most {most:.0f} s are used."),
    "short": QT_TRANSLATE_NOOP("Doctor", "Only {seconds:.1f} s of speech: {good:g} s or more carry a voice better."),
    "silence": QT_TRANSLATE_NOOP("Doctor", "Silence at the ends: {before:.1f} s before, {behind:.1f} s behind."),
    "cut_start": QT_TRANSLATE_NOOP("Doctor", "It begins in the middle of a sound."),
    "cut_end": QT_TRANSLATE_NOOP("Doctor", "The voice is cut off at the end: that tends to leak into what is made."),
    "sides_level": QT_TRANSLATE_NOOP("Doctor", "One channel is {difference:.0f} dB quieter than the other."),
    "sides_opposed": QT_TRANSLATE_NOOP("Doctor", "The two channels cancel each other out."),
    "sides_differ": QT_TRANSLATE_NOOP("Doctor", "The two channels hold different sound."),
}
_REPAIRS = {
    "broken": QT_TRANSLATE_NOOP("Doctor", "Bridge them"),
    "offset": QT_TRANSLATE_NOOP("Doctor", "Centre it"),
    "too_loud": QT_TRANSLATE_NOOP("Doctor", "Turn it down"),
    "quiet": QT_TRANSLATE_NOOP("Doctor", "Turn it up"),
    "long": QT_TRANSLATE_NOOP("Doctor", "Use the best part"),
    "silence": QT_TRANSLATE_NOOP("Doctor", "Trim the silence"),
    "cut_start": QT_TRANSLATE_NOOP("Doctor", "Begin cleanly"),
    "cut_end": QT_TRANSLATE_NOOP("Doctor", "End in silence"),
    "sides_level": QT_TRANSLATE_NOOP("Doctor", "Use the louder one"),
    "sides_opposed": QT_TRANSLATE_NOOP("Doctor", "Use the better one"),
    "sides_differ": QT_TRANSLATE_NOOP("Doctor", "Use the better one"),
    "too_short": QT_TRANSLATE_NOOP("Doctor", "Use the whole again"),
    "empty": QT_TRANSLATE_NOOP("Doctor", "Use the whole again"),
    "silent": QT_TRANSLATE_NOOP("Doctor", "Use the whole again"),
}


def finding_text(finding: Finding) -> str:
    """Say what was found and, where nothing here mends it, what to do."""
    sentence = str(_SENTENCES[finding.code])
    return QCoreApplication.translate(_CONTEXT, sentence).format(**finding.values)


def repair_text(finding: Finding) -> str:
    """Say in a few words what its button does; empty where there is none."""
    return "" if finding.mended is None else QCoreApplication.translate(_CONTEXT, str(_REPAIRS[finding.code]))


def changes_text(edits: Edits) -> str:
    """Say what is changed besides the cut; empty for nothing."""
    translate = QCoreApplication.translate
    said = []
    if edits.channel is not None:
        side = translate("Doctor", "right channel") if edits.channel else translate("Doctor", "left channel")
        said.append(side)
    if edits.mend:
        said.append(translate("Doctor", "clicks bridged"))
    if edits.offset:
        said.append(translate("Doctor", "centred"))
    if edits.gain_db:
        said.append(f"{edits.gain_db:+.1f} dB")
    if edits.ease_in:
        said.append(translate("Doctor", "faded in"))
    if edits.ease_out:
        said.append(translate("Doctor", "faded out into silence"))
    return " · ".join(said)
