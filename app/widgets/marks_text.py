"""What marks a file carries, what they prove and what not, in the language of the window."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.marks.credentials import Credentials
from app.marks.verify import FoundLabel, FoundWatermark, Verification
from app.marks.watermark import PRESENT


def verdict_text(found: Verification) -> str:
    """All marks in one line."""
    return {
        "intact": QCoreApplication.translate("Marks", "Marked as generated"),
        "none": QCoreApplication.translate("Marks", "No mark was found"),
        "broken": QCoreApplication.translate("Marks", "A mark does not fit this file"),
    }[found.verdict]


def marks_text(found: Verification) -> dict[str, str]:
    """What there is to say of each kind of mark, by its name for people."""
    return {
        QCoreApplication.translate("Marks", "Label (AIGC)"): _on_label(found.label),
        QCoreApplication.translate("Marks", "Content credentials"): _on_credentials(found.credentials),
        QCoreApplication.translate("Marks", "Watermark"): _on_watermark(found.watermark),
    }


def limits_text() -> str:
    """What no mark can prove."""
    return QCoreApplication.translate(
        "Marks",
        "Marks help honest people. Label and credentials can be taken off by anyone who saves the file anew, and the "
        "watermark by changing the pitch: a file without marks may still be generated.",
    )


def note_of_export(note: str) -> str:
    """Say in the language of the window what an export noted."""
    if "Opus" in note:
        return QCoreApplication.translate(
            "Marks", "Ogg Opus cannot carry content credentials; it gets the other marks."
        )
    if "watermark" in note:
        return QCoreApplication.translate(
            "Marks", "This sound is too short, too quiet or too plain to carry a watermark."
        )
    return note


def _on_label(found: FoundLabel | None) -> str:
    if found is None:
        return QCoreApplication.translate("Marks", "There is none.")
    says = {
        "1": QCoreApplication.translate("Marks", "It says that the sound is generated, by {producer}."),
        "2": QCoreApplication.translate("Marks", "It says that the sound may be generated, by {producer}."),
        "3": QCoreApplication.translate("Marks", "It says that the sound is suspected to be generated, by {producer}."),
    }.get(found.label.label, QCoreApplication.translate("Marks", "It says something that the standard does not know."))
    producer = found.label.content_producer or QCoreApplication.translate("Marks", "an unnamed producer")
    if not found.label.reserved_code1:
        proves = QCoreApplication.translate(
            "Marks", "It has no hash, so whether it belongs to this sound cannot be told."
        )
    else:
        proves = {
            "sound": QCoreApplication.translate(
                "Marks",
                "Its hash fits the sound: neither was changed alone. It is no signature; anyone can make one.",
            ),
            "label": QCoreApplication.translate(
                "Marks", "Its hash covers the label alone, as in a stream: it may have come from another file."
            ),
            "nothing": QCoreApplication.translate(
                "Marks", "Its hash does not fit: the sound or the label was changed, or another program made it."
            ),
        }[found.covers]
    return f"{says.format(producer=producer)} {proves}"


def _on_credentials(found: Credentials) -> str:
    if found.state == "absent":
        return QCoreApplication.translate("Marks", "There are none.")
    if found.state == "invalid":
        return QCoreApplication.translate(
            "Marks", "They do not hold: the file was changed after it was signed, or they are damaged."
        )
    who = found.signer or QCoreApplication.translate("Marks", "somebody unnamed")
    signed = QCoreApplication.translate("Marks", "The file is as it was when {who} signed it.").format(who=who)
    trust = (
        QCoreApplication.translate("Marks", "A trusted authority vouches for the signer.")
        if found.state == "trusted"
        else QCoreApplication.translate(
            "Marks", "No trusted authority vouches for the signer: whoever made the key calls itself that."
        )
    )
    what = (
        QCoreApplication.translate("Marks", "They state that a trained model made the sound.")
        if found.says_generated
        else QCoreApplication.translate("Marks", "They do not say who or what made the sound.")
    )
    return f"{signed} {trust} {what}"


def _on_watermark(found: FoundWatermark | None) -> str:
    if found is None:
        return QCoreApplication.translate("Marks", "It was not looked for.")
    if found.score is None:
        return QCoreApplication.translate("Marks", "There is too little sound to look for one.")
    heard = [piece for piece in found.pieces if piece.score is not None]
    where = [piece for piece in heard if piece.score is not None and piece.score >= PRESENT]
    if not where:
        return QCoreApplication.translate("Marks", "There is none ({score:.2f} of 1).").format(score=found.score)
    part = QCoreApplication.translate("Marks", "the whole sound")
    if len(where) < len(heard):
        part = ", ".join(f"{piece.start:.0f}–{piece.end:.0f} s" for piece in where)
    return QCoreApplication.translate(
        "Marks",
        "There is one in {part} ({score:.2f} of 1). It says that a program that uses this watermark made the sound, "
        "not which one or who used it.",
    ).format(part=part, score=found.score)
