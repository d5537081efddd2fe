"""What went wrong, in the language of the window.

The library says what happened in English and in detail. Where the window speaks another language and the kind of
failure is known by its code, a sentence of the window's own comes first and the library's words go to the details.
"""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from app.core.messages import Failure

_CONTEXT = "Failures"
_SENTENCES = {
    "text": QT_TRANSLATE_NOOP(
        "Failures", "This text cannot be spoken as it is: it has no words, odd characters in it, or is too long."
    ),
    "description": QT_TRANSLATE_NOOP(
        "Failures", "This description cannot be used. Write plain words without brackets."
    ),
    "transcript": QT_TRANSLATE_NOOP(
        "Failures", "The transcript cannot be used: write down what is said in the prompt."
    ),
    "reference": QT_TRANSLATE_NOOP("Failures", "This reference cannot be used with this model and this text."),
    "prompt": QT_TRANSLATE_NOOP("Failures", "This prompt cannot be used with this model and this text."),
    "voice": QT_TRANSLATE_NOOP("Failures", "This voice cannot be used with this model. Open its audio again."),
    "normalize": QT_TRANSLATE_NOOP("Failures", "Numbers and signs in this text cannot be written out. Turn that off."),
    "consent": QT_TRANSLATE_NOOP(
        "Failures", "This voice may not be used: the consent is missing, has expired or does not cover this."
    ),
    "consent.missing": QT_TRANSLATE_NOOP(
        "Failures", "This voice may not be used: nobody has agreed. Answer the consent question, or save the voice."
    ),
    "consent.expired": QT_TRANSLATE_NOOP(
        "Failures", "This voice may not be used: the consent has expired. Ask the person for a new one."
    ),
    "consent.withdrawn": QT_TRANSLATE_NOOP("Failures", "This voice may not be used: the consent was withdrawn."),
    "consent.out_of_scope": QT_TRANSLATE_NOOP(
        "Failures", "This voice may not be used for this: the consent does not cover it. Ask the person to extend it."
    ),
    "consent.frozen": QT_TRANSLATE_NOOP("Failures", "This voice may not be used: there is a complaint about it."),
    "consent.quarantined": QT_TRANSLATE_NOOP(
        "Failures", "This voice may not be used: it was imported without a valid consent record."
    ),
    "sensitive": QT_TRANSLATE_NOOP(
        "Failures", "This text is about sensitive matters. Press Generate again and say why it may be spoken."
    ),
    "model": QT_TRANSLATE_NOOP("Failures", "No model is loaded. Choose a model folder first."),
    "checkpoint": QT_TRANSLATE_NOOP("Failures", "The model folder is incomplete, damaged or of an unknown kind."),
    "checkpoint.pickle": QT_TRANSLATE_NOOP(
        "Failures",
        "These weights are pickled, which can hide a program, and nothing here knows them. Allow them only if you know "
        "where they come from.",
    ),
    "offline": QT_TRANSLATE_NOOP(
        "Failures",
        "The studio is offline, so nothing is downloaded. Switch Offline off in the settings, or choose a folder.",
    ),
    "disk": QT_TRANSLATE_NOOP(
        "Failures",
        "There is too little room on the disk. Make room, or choose another folder for downloads in the settings.",
    ),
    "download": QT_TRANSLATE_NOOP("Failures", "The download failed. What was fetched is kept; the details say why."),
    "device": QT_TRANSLATE_NOOP(
        "Failures", "The device or the precision cannot be used here. Choose another one under Models."
    ),
    "dtype": QT_TRANSLATE_NOOP(
        "Failures", "The device or the precision cannot be used here. Choose another one under Models."
    ),
    "strength": QT_TRANSLATE_NOOP("Failures", "This LoRA cannot be used with this model."),
    "unexpected": QT_TRANSLATE_NOOP(
        "Failures", "Something unexpected happened. What was made is kept; the details say what it was."
    ),
    "crash": QT_TRANSLATE_NOOP(
        "Failures", "The engine stopped unexpectedly and was started again. What was made is kept."
    ),
    "crash.memory": QT_TRANSLATE_NOOP(
        "Failures",
        "The engine was ended by the system, which happens when memory runs out. It was started again, and what was "
        "made is kept.",
    ),
    "crash.hung": QT_TRANSLATE_NOOP(
        "Failures", "The engine did not answer any more and was started again. What was made is kept."
    ),
    "memory": QT_TRANSLATE_NOOP(
        "Failures", "There is not enough memory for this. What was made is kept. Make fewer takes or a shorter text."
    ),
    "audio.gone": QT_TRANSLATE_NOOP("Failures", "The audio file cannot be read any more. Open it again."),
    "audio.too_short": QT_TRANSLATE_NOOP("Failures", "The audio is too short. 3 to 30 seconds of speech work well."),
    "audio.silent": QT_TRANSLATE_NOOP("Failures", "The audio is silent. Choose a part with speech."),
    "audio.empty": QT_TRANSLATE_NOOP("Failures", "There is no sound in this audio. Choose another file."),
    "audio.not_audio": QT_TRANSLATE_NOOP(
        "Failures", "This file cannot be read as audio. Convert it to WAV, FLAC, Ogg or MP3."
    ),
    "audio.damaged": QT_TRANSLATE_NOOP("Failures", "The audio file is damaged. Copy or record it again."),
    "audio.not_finite": QT_TRANSLATE_NOOP("Failures", "The audio file is damaged. Export it again."),
    "audio.sample_rate": QT_TRANSLATE_NOOP("Failures", "The sample rate of this audio cannot be used."),
    "audio.channels": QT_TRANSLATE_NOOP("Failures", "This audio has too many channels."),
    "audio.prompt_too_long": QT_TRANSLATE_NOOP(
        "Failures", "The prompt is too long. Trim the audio and give the transcript of what is left."
    ),
}

_FAMILIES = {"consent": _SENTENCES["consent"]}


def failure_text(failure: Failure) -> tuple[str, str]:
    """Return the sentence to show and the library's own words for the details; the latter empty when shown already."""
    # A kind that has no sentence of its own has that of its family.
    sentence = str(_SENTENCES.get(failure.code, "") or _FAMILIES.get(failure.code.split(".")[0], ""))
    translated = QCoreApplication.translate(_CONTEXT, sentence) if sentence else ""
    # Untranslated, the library's own words say more than the sentence.
    if translated == sentence:
        return failure.message, ""
    return translated, failure.message
