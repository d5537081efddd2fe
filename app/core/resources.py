"""Where the files that ship with the application lie: icons, styles and the bundled model."""

from __future__ import annotations

from pathlib import Path

_APP = Path(__file__).resolve().parents[1]
# An installed wheel carries them inside the app package, a checkout at its top level. The wheel's place
# comes first: beside an installed app package any folder might be called "resources".
_ROOTS = (_APP / "_resources", _APP.parent / "resources")

DEFAULT_MODEL = ("models", "demo-voice")


def resources_root() -> Path:
    """Return the folder of the shipped files.

    Raises:
        FileNotFoundError: the installation is incomplete; the message names the folders looked at.
    """
    for root in _ROOTS:
        if root.is_dir():
            return root
    looked = " and ".join(str(root) for root in _ROOTS)
    raise FileNotFoundError(f"The studio's own files are missing (looked at {looked}). Install VoxCPM Studio again.")


def resource_path(*parts: str) -> Path:
    """Return the path of a shipped file or folder, given by its parts below ``resources/``.

    Works from a checkout and from an installed wheel alike.

    Raises:
        FileNotFoundError: there is no such file, or the installation is incomplete.
    """
    path = resources_root().joinpath(*parts)
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing. Install VoxCPM Studio again.")
    return path


def default_model_folder() -> Path:
    """Return the folder of the model that ships with the application and is used when none was chosen."""
    return resource_path(*DEFAULT_MODEL)
