"""The models that their makers published: what is said of them, and how large they are by their own configs.

Licence, languages and hours of training are what the makers say; nobody here has measured or seen them. Numbers of
parameters are counted from the published config of each model.
"""

from __future__ import annotations

from dataclasses import dataclass

_LICENCE = "Apache-2.0 for code and weights, as its makers say."
_UNKNOWN = (
    "The makers say {hours} hours of speech. Whose voices these are, where they come from and whether the speakers "
    "agreed is not published."
)
_BILINGUAL = "Chinese and English, as claimed by its makers; not measured here."
_TENSOR_BYTES = 2  # published in bfloat16; the codec in float32


@dataclass(frozen=True)
class PublishedModel:
    """One published model. Rates in Hz; ``context_numbers`` fill the cache of one take of the longest length."""

    name: str
    repo: str
    parameters: int
    codec_parameters: int
    context_numbers: int
    encode_rate: int
    output_rate: int
    licence: str
    languages: str
    training: str
    summary: str

    @property
    def download_bytes(self) -> int:
        """About how much is fetched: the weights, without the few small files."""
        return self.parameters * _TENSOR_BYTES + self.codec_parameters * 4


PUBLISHED: tuple[PublishedModel, ...] = (
    PublishedModel(
        "VoxCPM2", "openbmb/VoxCPM2", 2_290_004_544, 94_180_097, 150_994_944, 16_000, 48_000, _LICENCE,
        "30 languages and 9 Chinese dialects, as claimed by its makers; not measured here, the dialects unverified.",
        _UNKNOWN.format(hours="more than 2 million"),
        "Designs voices from a description, clones and continues.",
    ),
    PublishedModel(
        "VoxCPM1.5", "openbmb/VoxCPM1.5", 801_729_856, 86_449_281, 67_108_864, 44_100, 44_100, _LICENCE, _BILINGUAL,
        _UNKNOWN.format(hours="more than 1.8 million"), "Plain speech and continuing a prompt.",
    ),
    PublishedModel(
        "VoxCPM-0.5B", "openbmb/VoxCPM-0.5B", 652_287_296, 75_326_465, 31_457_280, 16_000, 16_000, _LICENCE, _BILINGUAL,
        _UNKNOWN.format(hours="1.8 million"), "Plain speech and continuing a prompt; the smallest.",
    ),
)  # fmt: skip


def published(name: str) -> PublishedModel | None:
    """The published model of this name, or None."""
    return next((model for model in PUBLISHED if model.name == name), None)


def texts() -> tuple[str, ...]:
    """All that is shown of them, for whoever translates it."""
    return tuple(
        dict.fromkeys(
            text for model in PUBLISHED for text in (model.licence, model.languages, model.training, model.summary)
        )
    )
