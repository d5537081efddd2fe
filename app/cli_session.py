"""One run of the command line: what was asked for, the model, its voice, and where remarks go."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli_sensitive import decided_about
from app.cli_voice_spec import find_saved, spec_of, told_as_library
from app.core.library import Library
from app.core.models import read_card
from app.core.resources import default_model_folder
from app.core.text_file import TextFileError, decode_text
from app.engine.hearing import read_file
from app.engine.voices import EngineVoices
from voxcpm import cli as model_cli
from voxcpm import terminal
from voxcpm.errors import ConsentError, RequestError

if TYPE_CHECKING:
    from voxcpm.pipeline import VoxCPM
    from voxcpm.voice import Voice


def read_bytes(path: Path) -> bytes:
    """Read a file that holds text.

    Raises:
        TextFileError: it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise TextFileError(f"{path} cannot be read: {error.strerror or error}.") from error


def read_text(options: argparse.Namespace) -> str:
    """Return the text to speak, from the argument, a file, or a pipe; it must be given in one way only.

    The line end that closes a file or a piped line is not part of the text.

    Raises:
        RequestError: no text, or several.
        TextFileError: a file or pipe that is not text.
    """
    given = [t for t in (options.text, options.text_option) if t is not None]
    if len(given) + (options.text_file is not None) > 1:
        raise RequestError("text", "give the text once: as an argument, with --text, or with --text-file.")
    if options.text_file is not None:
        return decode_text(read_bytes(options.text_file), str(options.text_file)).rstrip("\n")
    if given and given[0] != "-":
        return given[0]
    if not given and (sys.stdin is None or sys.stdin.isatty()):
        raise RequestError("text", "there is nothing to say: give a text, --text-file FILE, or a pipe.")
    return decode_text(sys.stdin.buffer.read(), "the piped text").rstrip("\n")


class Session:
    """One run of a command: the model, its voice, and where progress and remarks go."""

    def __init__(self, options: argparse.Namespace, texts: Sequence[str], library: Library) -> None:
        from voxcpm.config import VoxCPMConfig
        from voxcpm.request import Request, check_request

        self.options = options
        self.remarks: list[str] = []
        self.folder = model_cli.find_model(options.model) if options.model else default_model_folder()
        self._engine_voices = EngineVoices(lambda: library.door)
        self._saved = None if options.command == "design" else find_saved(options, library)
        self._recordings = self._named_recordings()
        transcript = self._read_transcript()
        self.config = VoxCPMConfig.from_file(self.folder, strict=options.strict)
        self.spec = spec_of(options, self._saved, transcript, takes_reference=self.config.takes_reference)
        self.base = Request(
            text="",
            description=getattr(options, "description", "") or self._style(),
            seed=options.seed,
            steps=options.steps,
            cfg=options.cfg,
            temperature=options.temperature,
            min_patches=options.min_patches,
            max_patches=options.max_patches,
            retries=options.retries,
            retry_ratio=options.retry_ratio,
            normalize=options.normalize,
        ).seeded()
        for text in texts:
            check_request(replace(self.base, text=text), self.config)
        self._check_recordings()
        self.decided: frozenset[str] = frozenset()
        self._library = library
        if texts:
            self.review(texts)
        elif self.spec is not None:  # before a model of gigabytes is loaded
            with told_as_library():
                self._engine_voices.check(self.spec)
        self._model: VoxCPM | None = None
        self.bar = terminal.ProgressLine(
            sys.stderr, enabled=options.progress or (sys.stderr.isatty() and not options.quiet)
        )

    @property
    def model(self) -> VoxCPM:
        """The loaded model; it is loaded at the first use."""
        if self._model is None:
            if not self.options.model and (said := read_card(self.folder).note):
                self.remark(f"no --model was given, so the bundled one is used ({said})")
            from voxcpm.pipeline import VoxCPM

            def show(done: int, total: int) -> None:
                self.bar.show(done / max(total, 1), "loading the model")

            options = self.options
            self._model = VoxCPM.load(
                self.folder, device=options.device, dtype=options.dtype, strict=options.strict, progress=show
            )
            self.bar.clear()
        return self._model

    def review(self, texts: Sequence[str]) -> None:
        """See that ``texts`` may be spoken, with this voice, before a model is loaded; the decision is remembered.

        Raises:
            ConsentError: the voice may not be used for them.
            RequestError: nobody decided about sensitive ones.
        """
        if self.spec is not None:
            with told_as_library():
                self._engine_voices.check(self.spec, "\n".join(texts))
        voice = "" if self.spec is None else self.spec.voice_id
        self.decided |= decided_about(self.options, texts, self._library, voice=voice)

    def voice_for(self, text: str) -> Voice | None:
        """Return the encoded voice, its transcript ending so that ``text`` can follow; None without one.

        Raises:
            ConsentError: it may not be used (any more).
        """
        if self.spec is None:
            return None
        with told_as_library():
            voice = self._engine_voices.use(self.model, self.spec, text, self.decided)
        for finding in () if voice is None else voice.findings:
            self.remark(finding)
        return voice

    def remark(self, text: str) -> None:
        """Tell something that a person should know; it also goes into the JSON."""
        if text in self.remarks:
            return
        self.remarks.append(text)
        if not self.options.quiet:
            self.bar.clear()
            terminal.note(f"voxcpm: {text}")

    def _named_recordings(self) -> dict[str, Path]:
        named = {name: getattr(self.options, name, None) for name in ("reference", "prompt")}
        needed = {"clone": "reference", "continue": "prompt"}.get(self.options.command)
        paths = {name: path for name, path in named.items() if path is not None}
        if self._saved is not None:
            if paths:
                raise RequestError("voice", "give --voice or recordings, not both.")
            return {}
        if needed and needed not in paths:
            raise RequestError(needed, f"{self.options.command} needs a voice: add --voice NAME or --{needed} FILE.")
        if paths and not (self.options.consent or "").strip():
            raise ConsentError(
                "A voice is used only with the consent of the person it belongs to. Say who agreed: --consent me for "
                "your own voice, or --consent NAME --contact HOW."
            )
        return paths

    def _style(self) -> str:
        """The style note of a saved voice, where the model takes one."""
        card = self._saved.card if self._saved is not None else None
        fits = card is not None and self.config.takes_reference and self.options.command != "continue"
        return card.style if card is not None and fits else ""

    def _check_recordings(self) -> None:
        """Find out what is wrong with a recording before a model of gigabytes is loaded for it."""
        from voxcpm.audio import MAX_SECONDS, prepare_reference
        from voxcpm.request import generation

        if "reference" in self._recordings and not self.config.takes_reference:
            raise RequestError(
                "reference",
                f"{generation(self.config)} takes no reference; use continue with a prompt, or load VoxCPM2.",
            )
        for path in self._recordings.values():
            prepare_reference(read_file(path, MAX_SECONDS), self.config.audio_vae_config.sample_rate)

    def _read_transcript(self) -> str | None:
        options = self.options
        given, file = getattr(options, "transcript", None), getattr(options, "transcript_file", None)
        if given is not None and file is not None:
            raise RequestError("transcript", "give --transcript or --transcript-file, not both.")
        if file is not None:
            given = decode_text(read_bytes(file), str(file)).strip()
        prompt = "prompt" in self._recordings
        if prompt and not (given or "").strip():
            raise RequestError("transcript", "a prompt needs its exact words: add --transcript or --transcript-file.")
        if given is not None and not prompt:
            raise RequestError("transcript", "a transcript belongs to a prompt: add --prompt FILE, or leave it out.")
        return given
