"""Records and refusals of the library in the language of the window."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from app.core.consent.problems import Problem
from app.core.voice_card import SavedVoice

_CONTEXT = "Consent"
_SENTENCES = {
    "explain.kind.self": QT_TRANSLATE_NOOP("Consent", "This is the own voice of {name}."),
    "explain.kind.other": QT_TRANSLATE_NOOP("Consent", "This is the voice of {name}."),
    "explain.kind.licensed": QT_TRANSLATE_NOOP("Consent", "This is the voice of {name}, used under a licence."),
    "explain.kind.public_domain": QT_TRANSLATE_NOOP(
        "Consent", "This is the voice of {name}, from a recording in the public domain."
    ),
    "explain.kind.synthetic_design": QT_TRANSLATE_NOOP("Consent", "No person is behind this voice; it was designed."),
    "explain.contact": QT_TRANSLATE_NOOP("Consent", "They can be reached at {contact}."),
    "explain.representative": QT_TRANSLATE_NOOP("Consent", "{name} ({authority}) speaks for them."),
    "explain.design": QT_TRANSLATE_NOOP(
        "Consent", "It was described as “{description}” and made by {model} with seed {seed}."
    ),
    "explain.operator": QT_TRANSLATE_NOOP("Consent", "It may be used by {operator}."),
    "explain.rights": QT_TRANSLATE_NOOP("Consent", "The right rests on: {basis}."),
    "explain.purposes": QT_TRANSLATE_NOOP("Consent", "It allows to {purposes}."),
    "explain.commercial.yes": QT_TRANSLATE_NOOP("Consent", "Commercial use is allowed."),
    "explain.commercial.no": QT_TRANSLATE_NOOP("Consent", "Commercial use is not allowed."),
    "explain.training.yes": QT_TRANSLATE_NOOP("Consent", "Training a model is allowed."),
    "explain.training.no": QT_TRANSLATE_NOOP("Consent", "Training a model is not allowed."),
    "explain.redistribution.yes": QT_TRANSLATE_NOOP("Consent", "Sharing the voice is allowed."),
    "explain.redistribution.no": QT_TRANSLATE_NOOP("Consent", "Sharing the voice is not allowed."),
    "explain.sensitive_text.yes": QT_TRANSLATE_NOOP("Consent", "Sensitive text is allowed."),
    "explain.sensitive_text.no": QT_TRANSLATE_NOOP("Consent", "Sensitive text is not allowed."),
    "explain.languages": QT_TRANSLATE_NOOP("Consent", "Languages: {values}."),
    "explain.territory": QT_TRANSLATE_NOOP("Consent", "Countries: {values}."),
    "explain.granted": QT_TRANSLATE_NOOP("Consent", "It was given on {date}."),
    "explain.endless": QT_TRANSLATE_NOOP("Consent", "It has no end, but can be withdrawn."),
    "explain.expires": QT_TRANSLATE_NOOP("Consent", "It ends on {date}."),
    "explain.withdrawn": QT_TRANSLATE_NOOP("Consent", "It was withdrawn on {date}; the voice is frozen."),
    "explain.level.L0": QT_TRANSLATE_NOOP("Consent", "Level L0: somebody confirmed it; there is no evidence."),
    "explain.level.L1": QT_TRANSLATE_NOOP("Consent", "Level L1: a document or recording is kept as evidence."),
    "explain.level.L2": QT_TRANSLATE_NOOP(
        "Consent", "Level L2: the statement was spoken and recognised; whose voice spoke it is not shown."
    ),
    "explain.level.L3": QT_TRANSLATE_NOOP(
        "Consent", "Level L3: the statement was spoken live, and the voice matches the recordings."
    ),
    "explain.heard": QT_TRANSLATE_NOOP(
        "Consent", "{words} of 4 words were heard; {percent} % of the characters differ."
    ),
    "explain.match": QT_TRANSLATE_NOOP("Consent", "The voices match by {score} ({threshold} is needed)."),
    "explain.statement": QT_TRANSLATE_NOOP("Consent", "Statement: “{text}”"),
    "explain.references": QT_TRANSLATE_NOOP("Consent", "It covers {count} recordings of {seconds} s."),
    "explain.retention": QT_TRANSLATE_NOOP(
        "Consent", "Kept: the trimmed recordings {reference}, the raw recordings {raw}."
    ),
    "explain.note": QT_TRANSLATE_NOOP("Consent", "Note: “{note}”"),
    "explain.proof": QT_TRANSLATE_NOOP(
        "Consent", "The record shows that nothing was changed since. It does not prove who the speaker is."
    ),
    "raise.document": QT_TRANSLATE_NOOP("Consent", "A document as proof gives L1."),
    "raise.spoken": QT_TRANSLATE_NOOP("Consent", "A spoken statement that is recognised gives L2."),
    "raise.live": QT_TRANSLATE_NOOP(
        "Consent",
        "Spoken live with this studio's microphone within {hours} hours, by a voice that matches the recordings, it "
        "gives L3.",
    ),
    "recogniser.not_installed": QT_TRANSLATE_NOOP(
        "Consent",
        "Level L2 is unavailable: no speech recogniser is installed. Install it with pip install "
        "'voxcpm-studio[evaluate]' and choose the folder of a Whisper model in the settings.",
    ),
    "recogniser.no_folder": QT_TRANSLATE_NOOP(
        "Consent",
        "Level L2 is unavailable: there is no model for this language. Choose the folder of a multilingual Whisper "
        "model (CTranslate2) in the settings.",
    ),
    "recogniser.unusable": QT_TRANSLATE_NOOP(
        "Consent", "Level L2 is unavailable: the chosen Whisper model does not serve for this language."
    ),
    "matcher.not_installed": QT_TRANSLATE_NOOP(
        "Consent",
        "Level L3 is unavailable: nothing that compares voices is installed. Install it with pip install --no-deps "
        "Resemblyzer.",
    ),
    "matcher.unusable": QT_TRANSLATE_NOOP(
        "Consent", "Level L3 is unavailable: what compares voices cannot be loaded. Install it anew."
    ),
    "statement.not_heard": QT_TRANSLATE_NOOP(
        "Consent",
        "The statement was not heard: {words} of 4 words, and {percent} % of the characters differ. Speak it once "
        "more, slowly and near the microphone.",
    ),
    "statement.other_voice": QT_TRANSLATE_NOOP(
        "Consent",
        "This is not the voice of the recordings: they match by {score}, {least} is the least. The person who is heard "
        "in them must speak the statement.",
    ),
    "withdrawn": QT_TRANSLATE_NOOP("Consent", "The person withdrew the consent on {date}."),
    "expired": QT_TRANSLATE_NOOP("Consent", "The consent expired on {date}. Ask the person for a new one."),
    "not_yet_valid": QT_TRANSLATE_NOOP("Consent", "The consent holds from {date} on. Check this machine's clock."),
    "frozen": QT_TRANSLATE_NOOP("Consent", "This voice is frozen, since there is a complaint about it."),
    "quarantined": QT_TRANSLATE_NOOP(
        "Consent",
        "This voice was imported without a valid consent record: it can be looked at and deleted, not used.",
    ),
    "out_of_scope": QT_TRANSLATE_NOOP(
        "Consent", "The consent does not allow this use ({what}). Ask the person to extend it."
    ),
    "references.mismatch": QT_TRANSLATE_NOOP(
        "Consent", "The recording is not one that the consent names. Add it to the consent, or use the original."
    ),
    "chain.changed": QT_TRANSLATE_NOOP("Consent", "Version {version} was changed after it was recorded."),
    "chain.broken": QT_TRANSLATE_NOOP("Consent", "Version {version} does not follow the one before it."),
    "chain.head": QT_TRANSLATE_NOOP("Consent", "The newest version of the record is missing or was replaced."),
    "signature.bad": QT_TRANSLATE_NOOP("Consent", "The signature of version {version} is not genuine."),
    "signature.unknown_key": QT_TRANSLATE_NOOP(
        "Consent", "Version {version} was signed by a studio that is not known here."
    ),
}


_LEVELS = {
    "L0": QT_TRANSLATE_NOOP("Consent", "L0 · attested: somebody's word, no evidence"),
    "L1": QT_TRANSLATE_NOOP("Consent", "L1 · document or recording kept as evidence"),
    "L2": QT_TRANSLATE_NOOP("Consent", "L2 · statement spoken and recognised"),
    "L3": QT_TRANSLATE_NOOP("Consent", "L3 · spoken live, recognised, and the voice matches"),
}


_VALUES = {  # of the codes in a record; all others are what people and programs wrote
    "self": QT_TRANSLATE_NOOP("Consent", "self"),
    "explicit consent": QT_TRANSLATE_NOOP("Consent", "explicit consent"),
    "contract": QT_TRANSLATE_NOOP("Consent", "contract"),
    "estate or guardian": QT_TRANSLATE_NOOP("Consent", "estate or guardian"),
    "public domain": QT_TRANSLATE_NOOP("Consent", "public domain"),
    "none synthetic": QT_TRANSLATE_NOOP("Consent", "none synthetic"),
    "generate": QT_TRANSLATE_NOOP("Consent", "generate"),
    "export": QT_TRANSLATE_NOOP("Consent", "export"),
    "parent": QT_TRANSLATE_NOOP("Consent", "parent"),
    "guardian": QT_TRANSLATE_NOOP("Consent", "guardian"),
    "estate": QT_TRANSLATE_NOOP("Consent", "estate"),
    "agent": QT_TRANSLATE_NOOP("Consent", "agent"),
    "this session": QT_TRANSLATE_NOOP("Consent", "this session"),
    "24 hours": QT_TRANSLATE_NOOP("Consent", "24 hours"),
    "7 days": QT_TRANSLATE_NOOP("Consent", "7 days"),
    "30 days": QT_TRANSLATE_NOOP("Consent", "30 days"),
    "as long as it": QT_TRANSLATE_NOOP("Consent", "as long as it"),
}
_CODED = frozenset({"basis", "purposes", "authority", "reference", "raw"})
_AND = QT_TRANSLATE_NOOP("Consent", " and ")


_NO_EVIDENCE = QT_TRANSLATE_NOOP("Consent", "L0: no evidence")


def level_text(level: str) -> str:
    """A level in a few words; empty for none."""
    sentence = str(_LEVELS.get(level, ""))
    return QCoreApplication.translate(_CONTEXT, sentence) if sentence else ""


def badge_text(voice: SavedVoice) -> str:
    """What is said beside the name of a voice wherever one is picked: that nothing proves the consent."""
    return QCoreApplication.translate(_CONTEXT, str(_NO_EVIDENCE)) if voice.is_on_a_word else ""


def problem_text(problem: Problem) -> str:
    """A line of a record, or a reason against a use; in English where no other sentence is known."""
    sentence = str(_SENTENCES.get(problem.code, ""))
    translated = QCoreApplication.translate(_CONTEXT, sentence) if sentence else ""
    if translated == sentence:
        return problem.message  # the library's own words say more
    try:
        return translated.format(**{name: _value_text(name, value) for name, value in problem.values.items()})
    except KeyError:
        return problem.message


def _value_text(name: str, value: str) -> str:
    """A value of a record; codes in the language of the window."""
    if name not in _CODED:
        return value
    known = (str(_VALUES.get(part, part)) for part in value.split(" and "))
    return QCoreApplication.translate(_CONTEXT, str(_AND)).join(
        QCoreApplication.translate(_CONTEXT, part) for part in known
    )
