"""The ``voxcpm`` command: design, clone, continue and batch here; commands about models go to ``voxcpm.cli``.

No Qt is imported, and torch only when a model is loaded. Everything that can be refused is refused before that.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from app import cli_audit, cli_data, cli_dub, cli_takes, cli_verify, cli_voices
from app.cli_gates import gate
from app.cli_keep import Keeper
from app.cli_marks import Door, describe
from app.cli_options import build_parser
from app.cli_session import Session, read_bytes, read_text
from app.core.library import Library
from app.core.store.errors import StoreError
from app.core.take_files import OutputError, numbered
from app.core.text_file import BatchLine, TextFileError, read_lines, read_table
from app.marks.origin import origin_of
from voxcpm import cli as model_cli
from voxcpm import terminal
from voxcpm.errors import RequestError, VoxCPMError

if TYPE_CHECKING:
    from app.marks.export import Exported
    from voxcpm.request import Request
    from voxcpm.result import AudioChunk, Progress, Result

_KINDS = (
    (OutputError, terminal.EXIT_OUTPUT, "output"),
    (StoreError, terminal.EXIT_OUTPUT, "store"),
    (TextFileError, terminal.EXIT_REQUEST, "request"),
)
STDOUT = "-"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code (the codes are listed in ``--help``)."""
    argv = list(sys.argv[1:] if argv is None else argv)
    if argv and argv[0] in model_cli.COMMANDS:
        return _forward(argv)
    if argv and argv[0] == "voices":
        return cli_voices.run(argv[1:])
    if argv and argv[0] == "verify":
        return cli_verify.run(argv[1:])
    if argv and argv[0] == "audit":
        return cli_audit.run(argv[1:])
    if argv and argv[0] == "data":
        return cli_data.run(argv[1:])
    if argv and argv[0] == "takes":
        return cli_takes.run(argv[1:])
    if argv and argv[0] == "dub":
        return cli_dub.run(argv[1:], Interrupt)
    options = build_parser(
        {
            **cli_voices.COMMANDS,
            **cli_takes.COMMANDS,
            **cli_dub.COMMANDS,
            **cli_verify.COMMANDS,
            **cli_audit.COMMANDS,
            **cli_data.COMMANDS,
            **model_cli.COMMANDS,
        },
        terminal.EXIT_HELP,
    ).parse_args(argv)
    level = logging.INFO if options.verbose else logging.ERROR if options.quiet else logging.WARNING
    logging.basicConfig(level=level, format="%(levelname)s: %(message)s")
    try:
        with Library() as library:
            return _batch(options, library) if options.command == "batch" else _takes(options, library)
    except BrokenPipeError:
        # Python flushes stdout once more at its end; that must not fail a second time.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        terminal.note("voxcpm: whatever read the output has gone.")
        return terminal.EXIT_OUTPUT
    except (Exception, KeyboardInterrupt) as error:
        return model_cli.report_failure(error, as_json=options.json, verbose=options.verbose, kinds=_KINDS)


def _forward(argv: list[str]) -> int:
    """Hand a command over to the library, once the door has let its voices through."""
    try:
        with Library() as library:
            gate(argv, library)
    except (VoxCPMError, StoreError) as error:
        return model_cli.report_failure(error, as_json="--json" in argv, verbose=False, kinds=_KINDS)
    return model_cli.main(argv)


class Interrupt:
    """Ctrl+C (or SIGTERM) while takes are made: the first ends them after the patch at hand, the second at once."""

    def __init__(self) -> None:
        self._asked = False
        self._before: dict[int, Any] = {}

    def __call__(self) -> bool:
        """Tell whether someone asked to stop."""
        return self._asked

    def __enter__(self) -> Interrupt:
        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(ValueError):  # not in the main thread: nobody can press Ctrl+C there
                self._before[number] = signal.signal(number, self._stop)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        if self._asked:
            raise KeyboardInterrupt
        self._asked = True


def _takes(options: argparse.Namespace, library: Library) -> int:
    """Carry out design, clone and continue."""
    from voxcpm.request import spread_seeds

    if not 1 <= options.takes <= 3:
        raise RequestError("takes", f"1 to 3 takes can be made at once, not {options.takes}.")
    to_stdout = options.out == STDOUT
    if (to_stdout or options.stream) and options.takes != 1:
        raise RequestError("takes", "only one take can be streamed; leave --takes out.")
    if to_stdout and options.json:
        raise RequestError("json", "stdout cannot carry sound and JSON; give --out a file.")
    if to_stdout and sys.stdout.isatty():
        raise RequestError("out", "stdout is a terminal; send it to a file or a player.")
    if options.raw and not to_stdout:
        raise RequestError("raw", "bare samples only go to stdout; add --out -.")
    paths = [] if to_stdout else numbered(Path(options.out), options.takes)
    door = Door(options, secret=library.secret, audit=library.hear)
    door.check(paths, force=options.force, streamed=options.stream)
    session = Session(options, [text := read_text(options)], library)
    voice = session.voice_for(text)
    assert session.base.seed is not None
    requests = [
        replace(session.base, text=text, voice=voice, seed=seed)
        for seed in spread_seeds(session.base.seed, options.takes)
    ]
    if not options.long:
        _plan(session, requests[0])
    with Interrupt() as interrupt:
        if to_stdout or options.stream:
            results = [_stream(session, door, requests[0], interrupt, paths[0] if paths else None)]
            saved = [door.save(path, results[0], session.spec, force=True) for path in paths] or [None]
        else:
            results = _whole(session, requests, interrupt)
            session.bar.clear()
            saved = [
                door.save(path, parts, session.spec, force=options.force)
                for path, parts in zip(paths, results, strict=False)
            ]
    _keep(session, library, requests, results)
    takes = [_describe(session, parts, file) for parts, file in zip(results, saved, strict=True) if parts]
    return _finish(session, takes, stopped=interrupt())


def _batch(options: argparse.Namespace, library: Library) -> int:
    """Speak every line of a file, several at once, each saved as soon as it is there."""
    from voxcpm.request import check_request, spread_seeds

    if options.together < 1:
        raise RequestError("together", f"at least one take must be computed at once, not {options.together}.")
    name = "the pipe" if options.file == STDOUT else options.file
    data = sys.stdin.buffer.read() if options.file == STDOUT else read_bytes(Path(options.file))
    table = options.csv or options.file.lower().endswith(".csv")
    lines = read_table(data, name) if table else read_lines(data, name)
    paths = _batch_paths(Path(options.out), lines)
    door = Door(options, secret=library.secret, audit=library.hear)
    door.check(paths, force=options.force)
    session = Session(options, (), library)
    assert session.base.seed is not None
    requests = []
    for line, spread in zip(lines, spread_seeds(session.base.seed, len(lines)), strict=True):
        request = replace(
            session.base,
            text=line.text,
            description=line.description or session.base.description,
            seed=spread if line.seed is None else line.seed,
        )
        with _at_line(line, name):
            check_request(request, session.config)
        requests.append(request)
    session.review([line.text for line in lines])
    for number, request in enumerate(requests):
        with _at_line(lines[number], name):
            requests[number] = replace(request, voice=session.voice_for(request.text))
            _plan(session, requests[number])
    takes: list[dict[str, Any]] = []
    with Interrupt() as interrupt:
        for start in range(0, len(requests), options.together):
            group = slice(start, start + options.together)
            show = _shower(session, len(requests), start)
            results = session.model.generate_batch(requests[group], cancelled=interrupt, on_progress=show)
            session.bar.clear()
            for line, path, request, result in zip(lines[group], paths[group], requests[group], results, strict=True):
                file = door.save(path, [result], session.spec, force=options.force)
                _keep(session, library, [request], [[result]])
                takes.append({"line": line.number, **_describe(session, [result], file)})
            if interrupt():
                break
    return _finish(session, takes, stopped=interrupt())


def _keep(session: Session, library: Library, requests: list[Request], takes: list[list[Result]]) -> None:
    """Put takes into the library of the studio as well; that this cannot be done is only a remark."""
    keeper = Keeper(library, wanted=not session.options.no_keep)
    for remark in keeper.keep(requests, takes, session.model, session.folder, session.spec, session.decided):
        session.remark(remark)


def _plan(session: Session, request: Request) -> None:
    """Let the model refuse what it cannot take, and pass on what it remarks, before anything runs."""
    for remark in session.model.plan(request).notes:
        session.remark(remark)


def _whole(session: Session, requests: list[Request], interrupt: Interrupt) -> list[list[Result]]:
    """Make takes whole: for each the list of its parts, which is one except with ``--long``."""
    if not session.options.long:
        show = _shower(session, len(requests))
        return [[r] for r in session.model.generate_batch(requests, cancelled=interrupt, on_progress=show)]
    takes: list[list[Result]] = []
    for number, request in enumerate(requests, 1):
        takes.append([])
        for chunk in session.model.stream_long(request, cancelled=interrupt):
            _show_chunk(session, chunk, f"take {number} of {len(requests)}, ")
            if chunk.result is not None:
                takes[-1].append(chunk.result)
        if interrupt():
            break
    return takes


def _stream(session: Session, door: Door, request: Request, interrupt: Interrupt, path: Path | None) -> list[Result]:
    """Write a take while it is made, to ``path`` or to stdout; return its parts."""
    model = session.model
    if path is None:
        for remark in door.lacks(header=not session.options.raw):
            session.remark(remark)
    chunks = (model.stream_long if session.options.long else model.stream)(request, cancelled=interrupt)
    results = []
    with _opened(path) as stream:
        origin = origin_of(session.spec, model.info.fingerprint, request.mode)
        wav = door.stream(stream, origin, header=not session.options.raw)
        for chunk in chunks:
            wav.write(chunk.samples, chunk.sample_rate)
            _show_chunk(session, chunk, "")
            if chunk.result is not None:
                results.append(chunk.result)
        wav.finish()
    session.bar.clear()
    return results


@contextlib.contextmanager
def _opened(path: Path | None) -> Iterator[Any]:
    try:
        if path is None:
            yield sys.stdout.buffer
        else:
            with path.open("wb") as stream:
                yield stream
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"{path or 'stdout'} cannot be written: {error.strerror or error}.") from error


def _shower(session: Session, rows: int, first: int = 0) -> Callable[[Progress], None]:
    """Return what draws the progress of ``rows`` takes, of which those before ``first`` are done."""
    fractions: dict[int, float] = {}

    def show(progress: Progress) -> None:
        low, high = progress.expected_patches
        fractions[progress.row] = min(progress.patches / max(high, 1), 1.0)
        done = (first + sum(fractions.values())) / rows
        which = f"take {first + progress.row + 1} of {rows}, " if rows > 1 else ""
        again = f", attempt {progress.attempt + 1}" if progress.attempt else ""
        expected = f"{low}" if low == high else f"{low}-{high}"
        text = f"{which}{progress.patches} of about {expected} patches, {progress.audio_seconds:.1f} s{again}"
        session.bar.show(done, text)

    return show


def _show_chunk(session: Session, chunk: AudioChunk, which: str) -> None:
    low, high = chunk.expected_patches
    part = f"part {chunk.row + 1}, " if session.options.long else ""
    session.bar.show((chunk.patch + 1) / max(high, 1), f"{which}{part}{chunk.patch + 1} of about {low}-{high} patches")


def _describe(session: Session, parts: list[Result], file: Exported | None) -> dict[str, Any]:
    """Return what the JSON says of a take, and pass on what its export remarked. Times in seconds."""
    for note in () if file is None else file.notes:
        session.remark(note)
    first, last = parts[0], parts[-1]
    seconds = sum(part.seconds for part in parts)
    total = sum(part.total_seconds for part in parts)
    ends = [part.end for part in parts]
    return {
        "file": None if file is None else str(file.path),
        **describe(file),
        "mode": first.mode,
        "text": [part.text for part in parts] if len(parts) > 1 else first.text,
        "seed": first.seed,
        "next_seed": first.next_seed,
        "seconds": seconds,
        "sample_rate": first.sample_rate,
        "patches": sum(part.patches for part in parts),
        "parts": len(parts),
        "end": next((end for end in ends if end != "stopped"), last.end),
        "flags": sorted({flag for part in parts for flag in part.flags}),
        "attempts": first.attempts,
        "retry_helped": first.retry_helped,
        "steps": first.steps,
        "cfg": first.cfg,
        "temperature": first.temperature,
        "timings": {
            "time_to_first_audio": first.time_to_first_audio,
            "total_seconds": total,
            "real_time_factor": total / seconds if seconds else None,
            "last_packet_seconds": last.last_packet_seconds,
        },
    }


def _finish(session: Session, takes: list[dict[str, Any]], *, stopped: bool) -> int:
    """Report what was made and return the exit code."""
    options = session.options
    info = session.model.info
    if options.json:
        model = {
            "folder": str(session.folder),
            "architecture": info.architecture,
            "fingerprint": info.fingerprint,
            "device": info.device,
            "dtype": info.dtype,
        }
        terminal.write_json(
            {"command": options.command, "model": model, "takes": takes, "remarks": session.remarks, "stopped": stopped}
        )
    elif options.out != STDOUT:
        for take in takes:
            if take["file"] is not None:
                sys.stdout.write(f"{take['file']}\n")
    if not options.quiet:
        for take in takes:
            factor = take["timings"]["real_time_factor"]
            speed = "" if factor is None else f", {factor:.2f} s of work a second"
            flags = "".join(f"; {flag}" for flag in take["flags"])
            terminal.note(f"{take['file'] or 'take'}: {take['seconds']:.2f} s, seed {take['seed']}{speed}{flags}")
        if stopped:
            terminal.note("voxcpm: stopped; what was finished is kept.")
    return terminal.EXIT_CANCELLED if stopped else terminal.EXIT_OK


def _batch_paths(out: Path, lines: list[BatchLine]) -> list[Path]:
    """Return a file for every line: its own ``out``, or a name made of ``out`` and the line's number."""
    digits = max(4, len(str(lines[-1].number)))
    return [
        Path(line.out) if line.out else out.with_name(f"{out.stem}_{line.number:0{digits}d}{out.suffix}")
        for line in lines
    ]


@contextlib.contextmanager
def _at_line(line: BatchLine, name: str) -> Iterator[None]:
    """Say in which line of a batch a refused request stands."""
    try:
        yield
    except RequestError as error:
        raise RequestError(error.field, f"{name}, line {line.number}: {error.problem}") from error


if __name__ == "__main__":
    sys.exit(main())
