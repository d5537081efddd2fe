"""Text to token ids, read straight from a checkpoint's tokenizer files.

The models were trained on ids in which no token spans more than one Chinese character, so every
vocabulary entry made of several Han characters is taken apart after tokenising. Nothing is added
at either end of the text: the control ids around audio belong to the sequence, not to the text.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers

from voxcpm.errors import CheckpointError, RequestError

log = logging.getLogger(__name__)

_METASPACE = "▁"
_FIRST_HAN, _LAST_HAN = "\u4e00", "\u9fff"
_NAMED_SPECIAL_TOKENS = (
    "bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token",
)  # fmt: skip
_ADDED_TOKEN_FIELDS = ("single_word", "lstrip", "rstrip", "normalized", "special")


class TextTokenizer:
    """Token ids of a text as the models expect them. Safe to share between threads: it never changes after loading.

    ``special_tokens`` holds the literal strings that stand for a single control id when they occur in a text
    (``<s>``, ``<|audio_start|>``, ...); ``vocab_size`` counts all ids.
    """

    def __init__(self, tokenizer: Tokenizer, *, unk_token: str | None = None) -> None:
        vocabulary = tokenizer.get_vocab(with_added_tokens=True)
        self._tokenizer = tokenizer
        self._nothing = {vocabulary.get(name) for name in (unk_token, _METASPACE) if name is not None}
        self._pieces = _han_pieces(vocabulary, unk_token)
        self.vocab_size = len(vocabulary)
        self.special_tokens = frozenset(
            token.content for token in tokenizer.get_added_tokens_decoder().values() if token.special
        )

    @classmethod
    def from_dir(cls, path: str | Path) -> TextTokenizer:
        """Read ``tokenizer.json`` and, where present, ``tokenizer_config.json`` of the checkpoint folder ``path``.

        Raises CheckpointError when tokenizer.json is missing, unreadable or not a byte-fallback BPE tokenizer
        of the Llama family.
        """
        folder = Path(path)
        content = _read_json(folder / "tokenizer.json", required=True)
        settings = _Settings.read(folder, content)
        try:
            tokenizer = _build(content, settings)
        except CheckpointError:
            raise
        except Exception as error:  # the tokenizers library raises bare Exception for every kind of fault
            raise CheckpointError(
                f"{folder / 'tokenizer.json'} cannot be used as a tokenizer ({error}); "
                "copy or download the file of this model again"
            ) from error
        return cls(tokenizer, unk_token=settings.unk_token)

    def encode(self, text: str) -> list[int]:
        """Ids of ``text``, without begin or end marks; ``[]`` for the empty text.

        Literal special-token strings become their ids. Raises RequestError for text that is not valid Unicode.
        """
        try:
            ids = self._tokenizer.encode(text, add_special_tokens=False).ids
        except (UnicodeEncodeError, TypeError) as error:
            raise RequestError("text", f"cannot be turned into tokens ({error}); give it as valid Unicode") from error
        pieces = self._pieces
        if pieces.keys().isdisjoint(ids):
            return ids
        result: list[int] = []
        for token_id in ids:
            split = pieces.get(token_id)
            if split is None:
                result.append(token_id)
            else:
                result.extend(split)
        return result

    def unknown(self, text: str) -> str:
        """The characters of ``text`` that no token stands for, each once, in their order; the model never gets them."""
        written = (one for one in dict.fromkeys(text) if not one.isspace() and one != _METASPACE)
        return "".join(one for one in written if self._nothing.issuperset(self.encode(one)))


@dataclass(frozen=True)
class _Settings:
    """What tokenizer_config.json and its older companions say, in the order in which they count."""

    added_tokens: tuple[AddedToken, ...]
    prepend_scheme: str
    split_special_tokens: bool
    unk_token: str | None

    @classmethod
    def read(cls, folder: Path, content: dict[str, Any]) -> _Settings:
        config = _read_json(folder / "tokenizer_config.json", required=False)
        try:
            if "added_tokens_decoder" in config:
                by_id = {int(key): _added_token(value) for key, value in config["added_tokens_decoder"].items()}
            else:  # files written before that key existed keep the same facts in two other places
                config = config | _read_json(folder / "special_tokens_map.json", required=False)
                by_id = {int(value["id"]): _added_token(value) for value in content.get("added_tokens") or []}
            tokens = [by_id[key] for key in sorted(by_id)]
            named = _named_tokens(config)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise CheckpointError(
                f"the special tokens in {folder} cannot be read ({error!r}); copy the tokenizer files again"
            ) from error
        known = {token.content for token in tokens}
        for token in named:
            if token.content not in known:
                known.add(token.content)
                tokens.append(token)
        return cls(
            added_tokens=tuple(tokens),
            prepend_scheme=_prepend_scheme(config),
            split_special_tokens=bool(config.get("split_special_tokens", False)),
            unk_token=_text_of(config.get("unk_token", "<unk>")),
        )


def _prepend_scheme(config: dict[str, Any]) -> str:
    """Where a word mark is put in front: before each part between special tokens, before the first part, or nowhere."""
    prefix_space = config.get("add_prefix_space")
    if prefix_space is not None and not prefix_space:
        return "never"
    # "legacy" is the Llama family's name for a mark before every part; a config without the key means the newer way
    legacy = config.get("legacy", False)
    return "always" if legacy else "first"


def _build(content: dict[str, Any], settings: _Settings) -> Tokenizer:
    model = content.get("model")
    if not isinstance(model, dict) or model.get("type", "BPE") != "BPE" or not isinstance(model.get("vocab"), dict):
        kind = model.get("type") if isinstance(model, dict) else None
        raise CheckpointError(
            f"tokenizer.json holds a {kind or 'nameless'} model; this code reads the BPE tokenizers of VoxCPM models"
        )
    # Both forms are in use: "a b" and ["a", "b"]. What is neither fails below, in the tokenizers library.
    merges: list[Any] = [
        tuple(merge.split(" ")) if isinstance(merge, str) else tuple(merge) for merge in model.get("merges", [])
    ]
    tokenizer = Tokenizer(models.BPE(vocab=model["vocab"], merges=merges, fuse_unk=True, byte_fallback=True))
    # The file's own normalizer puts a second word mark before text that starts with a space; the models
    # are run with this step in its place, which does not.
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(
        replacement=_METASPACE, prepend_scheme=settings.prepend_scheme, split=False
    )
    tokenizer.add_tokens(list(settings.added_tokens))
    tokenizer.encode_special_tokens = settings.split_special_tokens
    return tokenizer


def _han_pieces(vocabulary: dict[str, int], unk_token: str | None) -> dict[int, tuple[int, ...]]:
    """For each id that stands for several Han characters: the ids of the characters, its word mark dropped.

    A marked entry is taken apart only if the bare word is an entry as well.
    """
    unknown = vocabulary.get(unk_token) if unk_token is not None else None
    pieces: dict[int, tuple[int, ...]] = {}
    for token, token_id in vocabulary.items():
        bare = token.replace(_METASPACE, "")
        if len(bare) < 2 or bare not in vocabulary or not all(_FIRST_HAN <= char <= _LAST_HAN for char in bare):
            continue
        ids = tuple(vocabulary.get(char, unknown) for char in bare)
        if None in ids:
            raise CheckpointError(
                f"tokenizer.json has the entry {token!r} but not all of its characters, and no unknown token; "
                "the file does not belong to a VoxCPM model"
            )
        pieces[token_id] = cast("tuple[int, ...]", ids)
    return pieces


def _named_tokens(config: dict[str, Any]) -> list[AddedToken]:
    defaults = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
    values = [config.get(name, defaults.get(name)) for name in _NAMED_SPECIAL_TOKENS]
    extra = config.get("extra_special_tokens", config.get("additional_special_tokens")) or []
    values.extend(extra.values() if isinstance(extra, dict) else extra)
    return [_added_token(value, special=True) for value in values if value is not None]


def _added_token(value: Any, *, special: bool | None = None) -> AddedToken:
    """An entry of a tokenizer file: a bare string or a dictionary with ``content`` and flags."""
    if isinstance(value, str):
        return AddedToken(value, special=True)
    flags = {name: bool(value[name]) for name in _ADDED_TOKEN_FIELDS if name in value}
    if special is not None:
        flags["special"] = special
    return AddedToken(value["content"], **flags)


def _text_of(value: Any) -> str | None:
    return value.get("content") if isinstance(value, dict) else value


def _read_json(path: Path, *, required: bool) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if not required:
            return {}
        raise CheckpointError(
            f"{path} is missing; a model folder holds tokenizer.json beside its weights: copy or download it"
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(f"{path} cannot be read ({error}); copy or download the file again") from error
    if not isinstance(content, dict):
        raise CheckpointError(f"{path} does not hold a JSON object; copy or download the file again")
    return content
