"""Linear layers with 8-bit weights and activations rounded to 8 bits on the way in, for inference on the CPU.

Weights have one scale per output, activations one per row, so that the takes of a batch do not change each other
through a shared scale. Inputs and outputs are float32. ``tests/speed/README.md`` says why these kernels. Where one of
the two is missing or wrong (torch means to drop the tensors that the first one packs; the second needs VNNI
instructions), the other takes its place.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import warnings
from collections.abc import Iterator

import torch
from torch import Tensor, nn

from voxcpm.modules.packed import FixedLinear, keeps_pace

logger = logging.getLogger(__name__)

LEVELS = 127
_TINY = 1e-12  # scale of a row of zeros
_BLOCK = 1 << 18  # weights at a time
_ENGINES = ("fbgemm", "qnnpack")  # x86, ARM
_MOST_ERROR = 0.03  # of a layer, relative; 1.3 % with 8 bits on both sides, 1.7 % with 7 on one


def quantise_rows(x: Tensor) -> tuple[Tensor, Tensor]:
    """Symmetric 8 bits with a scale per row: float32 [N, K] -> int8 [N, K], float32 [N, 1]."""
    scale = x.abs().amax(dim=-1, keepdim=True).clamp(min=_TINY) / LEVELS
    return (x / scale).round_().to(torch.int8), scale


def quantise_weight(weight: Tensor) -> tuple[Tensor, Tensor]:
    """Symmetric 8 bits with a scale per output: [N, K] in any dtype -> int8 [N, K], float32 [N].

    A few rows at a time, which stay in the processor's cache: twice as fast as whole tensors, and no float32 copy.
    """
    stored, scales = (
        weight.new_empty(weight.shape, dtype=torch.int8),
        weight.new_empty(len(weight), dtype=torch.float32),
    )
    count = max(1, _BLOCK // weight.shape[1])
    for start in range(0, len(weight), count):
        rows, scale = quantise_rows(weight[start : start + count].float())
        stored[start : start + count], scales[start : start + count] = rows, scale[:, 0]
    return stored, scales


class FewRowsInt8(FixedLinear):
    """For one to three rows, where reading the weight is all that counts (the steps of TSLM and RALM)."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__(weight, None if bias is None else bias.float())
        engine = _engine()
        if engine is None:
            raise NotImplementedError("torch was built without fbgemm and qnnpack")
        values, scales = quantise_weight(weight.detach())
        zeros = torch.zeros_like(scales, dtype=torch.long)
        with _using(engine):
            stored = torch._make_per_channel_quantized_tensor(values, scales.double(), zeros, 0)
            self.weight_bytes = values.nbytes + scales.nbytes
            del values
            self.packed = torch.ops.quantized.linear_prepack(stored, None)
        # Without VNNI instructions fbgemm adds pairs of products in 16 bits, which 8-bit activations overflow.
        self.seven_bits = engine == "fbgemm" and not _has_vnni()

    def forward(self, x: Tensor) -> Tensor:
        """[..., in] -> [..., out]."""
        # The kernel has one scale for all rows; dividing each by its own largest value first gives one to each.
        # It also raises at NaN, which comes back with the scale.
        scale = x.abs().amax(dim=-1, keepdim=True).clamp(min=_TINY)
        even = (x / scale).nan_to_num_(0.0)
        out = torch.ops.quantized.linear_dynamic(even, self.packed, self.seven_bits) * scale
        return out if self.bias is None else out + self.bias


class ManyRowsInt8(FixedLinear):
    """For about ten rows and more (LocDiT, LocEnc): integer products in the processor's matrix units (oneDNN)."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__(weight, None if bias is None else bias.float())
        stored, scales = quantise_weight(weight.detach())
        self.register_buffer("scales", scales, persistent=False)
        self.register_buffer("zeros", torch.zeros(len(scales), dtype=torch.int32), persistent=False)
        self.packed = torch.ops.onednn.qlinear_prepack(stored, None)
        self.weight_bytes = stored.numel()

    def forward(self, x: Tensor) -> Tensor:
        """[..., in] -> [..., out]."""
        rows, scale = quantise_rows(x.reshape(-1, self.in_features))
        out = torch.ops.onednn.qlinear_pointwise(
            rows, 1.0, 0, self.packed, self.scales, self.zeros, None, 1.0, 0, torch.float32, "none", [], ""
        ).mul_(scale)
        out = out.view(*x.shape[:-1], self.out_features)
        return out if self.bias is None else out + self.bias


def few_rows_layer(layer: nn.Linear) -> FixedLinear:
    """The layer in 8 bits, for one to three rows."""
    return _first(FewRowsInt8, ManyRowsInt8)(layer.weight, layer.bias)


def many_rows_layer(layer: nn.Linear) -> FixedLinear:
    """The layer in 8 bits, for ten rows and more."""
    return _first(ManyRowsInt8, FewRowsInt8)(layer.weight, layer.bias)


def can_quantise() -> bool:
    """Whether 8-bit products work here; tried out rather than guessed from version numbers."""
    return works(FewRowsInt8) or works(ManyRowsInt8)


_tried: dict[type[FixedLinear], bool] = {}


def _first(*kinds: type[FixedLinear]) -> type[FixedLinear]:
    return next(kind for kind in kinds if works(kind))


def works(kind: type[FixedLinear]) -> bool:
    """Whether a kind of layer is there, exact and not far slower than float32.

    Without VNNI instructions oneDNN adds pairs of products in 16 bits, which overflow; its result is then an eighth
    off, and slower than any other. With them it may still find no kernel, see ``keeps_pace``.
    """
    if kind not in _tried:
        try:
            random = torch.Generator().manual_seed(0)
            weight = torch.rand(512, 512, generator=random) * 2 - 1  # as large as they come: what overflows does
            x = torch.randn(32, 512, generator=random)
            wanted, layer = x @ weight.T, kind(weight, None)
            exact = bool((layer(x) - wanted).norm() < _MOST_ERROR * wanted.norm())
            _tried[kind] = exact and keeps_pace(lambda: layer(x), lambda: x @ weight.T)
        except (RuntimeError, AttributeError, NotImplementedError) as error:
            logger.info("%s is not available (%s)", kind.__name__, error)
            _tried[kind] = False
    return _tried[kind]


_users = 0
_users_lock = threading.Lock()
_users_state = contextlib.ExitStack()


@contextlib.contextmanager
def _using(engine: str) -> Iterator[None]:
    """Let torch pack for ``engine``, and put what it did before back once no thread packs any more."""
    global _users
    with _users_lock:
        if _users == 0:
            _users_state.callback(setattr, torch.backends.quantized, "engine", torch.backends.quantized.engine)
            torch.backends.quantized.engine = engine
            _users_state.enter_context(warnings.catch_warnings())  # are the process's, too
            warnings.filterwarnings("ignore", ".*deprecated.*", UserWarning)
        _users += 1
    try:
        yield
    finally:
        with _users_lock:
            _users -= 1
            if _users == 0:
                _users_state.close()


def _engine() -> str | None:
    return next((name for name in _ENGINES if name in torch.backends.quantized.supported_engines), None)


def _has_vnni() -> bool:
    capabilities: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    return bool(capabilities.get("avx512_vnni"))
