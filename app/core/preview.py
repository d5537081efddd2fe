"""What can be said of a job before any model is loaded: its mode and its text with white space folded."""

from __future__ import annotations

import unicodedata

from app.core.messages import Job

_AROUND_JOIN = 16  # characters shown on either side of it


def join_separator(transcript: str, text: str) -> str:
    """Return what has to stand between a prompt's transcript and the target text so that words do not run together.

    One blank between words of scripts that use blanks; nothing beside Chinese, Japanese or other wide characters,
    or where either side already has white space.
    """
    if not transcript or not text or transcript[-1].isspace() or text[0].isspace():
        return ""
    wide = ("W", "F")
    if unicodedata.east_asian_width(transcript[-1]) in wide or unicodedata.east_asian_width(text[0]) in wide:
        return ""
    return " "


def join_of(job: Job) -> tuple[str, str, str] | None:
    """Return the end of the prompt's transcript, what is put between, and the beginning of the text; None: no prompt.

    Also None while either text is missing, and for a saved voice, whose transcript is not in the job.
    """
    text = " ".join(job.text.split())
    transcript = " ".join(job.voice.transcript.split()) if job.voice is not None and job.voice.prompt else ""
    if not transcript or not text:
        return None
    return transcript[-_AROUND_JOIN:], join_separator(transcript, text), text[:_AROUND_JOIN]


def preview_text(job: Job) -> str:
    """Return the text as it would go to the model, as far as that is known without it."""
    text = " ".join(job.text.split())
    if job.voice is not None and job.voice.prompt:
        transcript = " ".join(job.voice.transcript.split())
        return transcript + join_separator(transcript, text) + text
    description = " ".join(job.description.split())
    return f"({description}){text}" if description else text
