"""Commands about models: what is in a folder, how fast it runs here, and fetching one.

The command that people run is ``voxcpm``; it hands these commands over to this module.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from voxcpm import terminal
from voxcpm.hub_transfer import DownloadProgress, format_size

COMMANDS = {
    "info": "show what is in a model folder, without loading the weights",
    "pin": "allow the pickled weights (.pth, .pt, .bin, .ckpt) of a folder that you know to be read from now on",
    "bench": "measure how fast a model runs on this machine",
    "download": "fetch a published model: VoxCPM2, VoxCPM1.5, VoxCPM-0.5B or owner/name",
    "prepare": "check a training manifest, split it fairly, write its data card, compute latents",
    "train": "fine-tune a model (LoRA or all weights), or go on with a run",
    "evaluate": "let a model speak test sentences and judge what a recogniser hears",
}


_NOT_KNOWN = "not known, so it is not read; if you know where it comes from, allow it with: voxcpm pin FOLDER"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code (see ``voxcpm --help``)."""
    argv = list(sys.argv[1:] if argv is None else argv)
    if argv[:1] == ["bench"]:
        return _bench(argv[1:])
    if argv[:1] in (["prepare"], ["train"]):
        from voxcpm.training import cli as training_cli

        return training_cli.run(argv)
    if argv[:1] == ["evaluate"]:
        from voxcpm.evaluation import cli as evaluation_cli

        return evaluation_cli.run(argv[1:])
    options = build_parser().parse_args(argv)
    logging.basicConfig(level=logging.INFO if options.verbose else logging.ERROR, format="%(levelname)s: %(message)s")
    try:
        return {"info": _info, "download": _download, "pin": _pin}[options.command](options)
    except (Exception, KeyboardInterrupt) as error:
        return report_failure(error, as_json=options.json, verbose=options.verbose)


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of ``info``, ``pin`` and ``download``; ``bench`` reads its own options."""
    parser = argparse.ArgumentParser(
        prog="voxcpm", formatter_class=argparse.RawDescriptionHelpFormatter, epilog=terminal.EXIT_HELP
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str) -> argparse.ArgumentParser:
        command = commands.add_parser(
            name,
            help=COMMANDS[name],
            description=COMMANDS[name],
            epilog=terminal.EXIT_HELP,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        command.add_argument("--json", action="store_true", help="write one JSON object to stdout")
        command.add_argument("-v", "--verbose", action="store_true", help="write what is done, and details of faults")
        return command

    info = add("info")
    info.add_argument("folder", help="a model folder, or the name of a downloaded model")
    info.add_argument("--machine", action="store_true", help="also show the devices that models can run on here")
    info.add_argument("--strict", action="store_true", help="refuse a config.json with keys that are not known")

    pin = add("pin")
    pin.add_argument("folder", type=Path, help="a folder with pickled weights (of a model, a LoRA), or one such file")

    download = add("download")
    download.add_argument("model", help="VoxCPM2, VoxCPM1.5, VoxCPM-0.5B, or a repository as owner/name")
    download.add_argument("--to", type=Path, metavar="DIR", help="the models folder (default: this user's data folder)")
    download.add_argument("--revision", help="commit, tag or branch (default: what was taken before, else main)")
    download.add_argument("--endpoint", metavar="URL", help="address of a mirror of the model hub")
    download.add_argument("--token", help="access token, for closed repositories only")
    download.add_argument("--verify", action="store_true", help="fetch nothing; check the files that are there")
    download.add_argument(
        "--events", action="store_true", help="write JSON lines as it goes on, and stop when standard input ends"
    )
    download.add_argument("--progress", action="store_true", help="show progress even when stderr is no terminal")
    return parser


def report_failure(
    error: BaseException,
    *,
    as_json: bool,
    verbose: bool,
    kinds: Sequence[tuple[type[BaseException], int, str]] = (),
) -> int:
    """Tell a failure on stderr (and on stdout as JSON, if asked) and return its exit code.

    ``kinds`` are the caller's own kinds of failure: class, exit code, and the word for it.
    """
    own = next(((code, word) for cls, code, word in kinds if isinstance(error, cls)), None)
    code, kind = own or terminal.classify(error)
    message = str(error) or type(error).__name__
    if kind == "cancelled":
        message = str(error) or "Stopped."
    if as_json:
        failure = {"kind": kind, "message": message, "exit_code": code}
        failure |= {name: getattr(error, name) for name in ("field", "reason") if hasattr(error, name)}
        terminal.write_json({"error": failure})
    if kind == "fault":
        message = f"{type(error).__name__}: {message}"
    terminal.note(f"voxcpm: {message}")
    if verbose and kind != "cancelled":
        logging.getLogger(__name__).error("details", exc_info=error)
    return code


def find_model(value: str) -> Path:
    """Turn what was given for a model into its folder: a folder, or the name of a downloaded model.

    Raises:
        DownloadError: there is no such folder, and no downloaded model of that name.
    """
    from voxcpm import hub
    from voxcpm.errors import CheckpointError, DownloadError

    folder = Path(value).expanduser()
    if folder.is_dir():
        return folder
    try:
        found = hub.downloaded(value)
        name = hub.identify(value).name
    except DownloadError:
        known = ", ".join(hub.MODELS)
        raise CheckpointError(f"There is no folder {folder}. Give a model folder or one of {known}.") from None
    if found is None:
        raise CheckpointError(f"{name} is not on this machine. Fetch it first: voxcpm download {value}")
    return found


def _bench(argv: list[str]) -> int:
    try:
        from voxcpm import bench

        return bench.run(argv)
    except (Exception, KeyboardInterrupt) as error:
        return report_failure(error, as_json="--json" in argv, verbose=False)


def _download(options: argparse.Namespace) -> int:
    from voxcpm import hub
    from voxcpm.hub_lock import read_pins

    dest = options.to or hub.models_folder()
    if options.events:
        from voxcpm import hub_events

        return hub_events.run(
            options.model,
            dest,
            revision=options.revision,
            endpoint=options.endpoint,
            token=options.token,
            check=options.verify,
        )
    bar = terminal.ProgressLine(sys.stderr, enabled=options.progress or sys.stderr.isatty())

    def show(p: DownloadProgress) -> None:
        bar.show(p.done / max(p.total, 1), f"{format_size(p.done)} of {format_size(p.total)}  {p.file}")

    try:
        if options.verify:
            folder = hub.verify(options.model, dest)
        else:
            folder = hub.download(
                options.model,
                dest,
                revision=options.revision,
                endpoint=options.endpoint,
                progress=show,
                token=options.token,
            )
    finally:
        bar.clear()
    pin = read_pins(dest)[hub.identify(options.model).name]
    if options.json:
        terminal.write_json({"folder": str(folder), "repo": pin.repo, "revision": pin.revision, "files": pin.files})
    else:
        sys.stdout.write(f"{folder}\n")
    return terminal.EXIT_OK


def _info(options: argparse.Namespace) -> int:
    from voxcpm.inspection import inspect_folder

    found = inspect_folder(find_model(options.folder), strict=options.strict)
    machine = None
    if options.machine:
        from voxcpm.devices import describe_machine

        machine = describe_machine()
    if options.json:
        terminal.write_json(found.to_dict() | ({"machine": machine} if machine is not None else {}))
        return terminal.EXIT_OK
    config, vae = found.config, found.config.audio_vae_config
    lm = config.lm_config
    lines = [
        f"folder         {found.folder}",
        f"architecture   {config.architecture}   fingerprint {found.fingerprint}",
        f"modes          {', '.join(found.modes)}{'' if found.takes_description else ' (without a description)'}",
        f"audio          {vae.sample_rate} Hz in, {vae.output_rate} Hz out",
        f"patch          {config.patch_size} latent frames, {config.patch_seconds * 1000:.0f} ms",
        f"context        {config.max_length} positions",
        f"language model {lm.num_hidden_layers} + {config.residual_lm_num_layers} layers of width {lm.hidden_size}",
        f"local models   encoder {config.encoder_config.num_layers}, diffusion {config.dit_config.num_layers} layers",
        f"tokenizer      {found.vocab_size} tokens",
        *(f"parameters     {part} {count / 1e6:.2f} million" for part, count in found.parameters.items()),
        *(
            f"stored as      {dtype}: {share.tensors} tensors, {format_size(share.bytes)}"
            for dtype, share in sorted(found.stored.items())
        ),
        *(
            f"memory         {dtype}: {format_size(need.weights)} weights, "
            f"up to {format_size(need.full_context)} for a full context"
            for dtype, need in found.memory.items()
        ),
        f"unknown keys   {', '.join(config.unknown_keys) or 'none'}",
        *(f"file           {name}  {format_size(size)}" for name, size in found.files.items()),
        *(
            f"pickled        {name}: {'known to ' + ', '.join(known) if known else _NOT_KNOWN}"
            for name, known in found.pickled.items()
        ),
        *(
            f"device         {device['name']}: {format_size(device['free'])} free of {format_size(device['memory'])}"
            for device in (machine or {}).get("devices", ())
        ),
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    return terminal.EXIT_OK


def _pin(options: argparse.Namespace) -> int:
    from voxcpm.pins import pin

    found = pin(options.folder.expanduser())
    if options.json:
        terminal.write_json({"sha256": found})
        return terminal.EXIT_OK
    sys.stdout.write("".join(f"{value}  {name}\n" for name, value in found.items()))
    terminal.note("These files are read from now on, wherever they lie, by torch's restricted loader.")
    return terminal.EXIT_OK


if __name__ == "__main__":
    sys.exit(main())
