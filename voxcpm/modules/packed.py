"""Linear layers whose weights are laid out once for the processor's matrix units, for inference on the CPU.

PyTorch's eager linear hands oneDNN a plain weight and lets it be rearranged on every call; with one to twenty rows
that costs more than the product. The ops below are the ones that torch.compile's CPU backend emits, so they need no
compiler here. Where they are missing or refuse, layers stay as they are. 8-bit layers are in ``quantised``.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import torch
from torch import Tensor, nn

from voxcpm.modules.minicpm4 import MLP, Attention
from voxcpm.vae.causal_conv import CausalConvTranspose1d

logger = logging.getLogger(__name__)

ROWS_HINT = 4  # rows the layout is chosen for; measured flat between 1 and 22

Replace = Callable[[str, nn.Linear], nn.Module]
"""A layer's name and the layer -> what stands in its place."""


class FixedLinear(nn.Module):
    """A linear layer without parameters: it cannot be trained or saved."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        self.register_buffer("bias", None if bias is None else bias.detach(), persistent=False)
        self.out_features, self.in_features = weight.shape
        self.weight_bytes = 0
        """Bytes of the laid-out weight, which is no tensor that a module would list."""


class PackedLinear(FixedLinear):
    """``x @ weight.T + bias`` with a packed weight."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__(weight, bias)
        self.packed = torch.ops.mkldnn._reorder_linear_weight(weight.detach().contiguous(), ROWS_HINT)
        self.weight_bytes = weight.nbytes

    def forward(self, x: Tensor) -> Tensor:
        """[..., in] -> [..., out]."""
        return torch.ops.mkldnn._linear_pointwise(x, self.packed, self.bias, "none", [], "")


class HalfWeightLinear(FixedLinear):
    """16-bit weights, everything else in float32: for processors that have no bfloat16 products.

    The weight is held in float16, which takes every bfloat16 value from 6e-5 to 65504 as it is; smaller ones move by
    less than 3e-8. So this is exacter than bfloat16 and reads as little (fbgemm).
    """

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__(weight, None if bias is None else bias.float())
        self.packed = torch.ops.quantized.linear_prepack_fp16(weight.detach().float().contiguous(), None)
        self.weight_bytes = 2 * weight.numel()

    def forward(self, x: Tensor) -> Tensor:
        """[..., in] -> [..., out]."""
        out = torch.ops.quantized.linear_dynamic_fp16(x, self.packed)
        return out if self.bias is None else out + self.bias


def has_half_weights() -> bool:
    """Whether these products work here; tried out like the others."""
    global _has_half_weights
    if _has_half_weights is None:
        try:
            result = HalfWeightLinear(torch.full((8, 8), 0.5), None)(torch.ones(2, 8))
            _has_half_weights = bool((result == 4).all())
        except (RuntimeError, AttributeError, NotImplementedError) as error:
            logger.info("16-bit weights with float32 products are not available (%s)", error)
            _has_half_weights = False
    return _has_half_weights


_has_half_weights: bool | None = None


def keeps_pace(product: Callable[[], object], plain: Callable[[], object]) -> bool:
    """Whether ``product`` takes less than ``_MUCH_SLOWER`` times as long as ``plain``, both called before.

    Where none of its kernels fits the processor (what a virtual machine tells of its caches is enough for that), oneDNN
    falls back to loops that are right and a thousand times slower, and tells nobody.
    """
    limit = _MUCH_SLOWER * min(_seconds(plain) for _ in range(5))
    return any(_seconds(product) < limit for _ in range(3))


_MUCH_SLOWER = 100  # on a busy machine a good one was seen at 29; those loops at 1000 and more


def _seconds(call: Callable[[], object]) -> float:
    """Computing time of this thread, which other programs do not change."""
    began = time.thread_time()
    call()
    return time.thread_time() - began


def can_pack(dtype: torch.dtype) -> bool:
    """Whether packed products work here in this dtype; tried out rather than guessed from version numbers."""
    if not torch.backends.mkldnn.is_available():
        return False
    try:
        weight, x = torch.ones(512, 512, dtype=dtype), torch.ones(32, 512, dtype=dtype)
        probe = PackedLinear(weight, None)
        exact = bool((probe(x).float() == 512).all())
        return exact and keeps_pace(lambda: probe(x), lambda: x.float() @ weight.float())
    except (RuntimeError, AttributeError, NotImplementedError) as error:
        logger.info("packed linear layers are not available (%s); using plain ones", error)
        return False


def fuse_and_replace(model: nn.Module, replace: Replace, workers: int = 1) -> None:
    """Join projections, turn upsampling into products, and put ``replace(name, layer)`` in the place of every layer.

    So many layers at a time as there are ``workers``, so that memory never holds more than those twice. More than one
    is for layouts that torch computes on one core.
    """
    with ThreadPoolExecutor(workers) as pool:
        running: deque[Future[None]] = deque()

        def wait(fewer_than: int) -> None:
            while len(running) >= fewer_than:
                running.popleft().result()

        def replace_children(parent: nn.Module, path: str) -> None:
            # Names and not modules: a list of the layers would keep every unpacked weight alive to the end.
            for name in [name for name, child in parent.named_children() if isinstance(child, nn.Linear)]:
                wait(workers)
                running.append(pool.submit(_replace_child, parent, name, f"{path}.{name}".lstrip("."), replace))

        for path, module in list(model.named_modules()):
            if isinstance(module, (Attention, MLP, CausalConvTranspose1d)):
                wait(workers)  # before another joined weight is there
                module.fuse()
                replace_children(module, path)
        wait(1)
        for path, module in list(model.named_modules()):
            replace_children(module, path)
        wait(1)


def _replace_child(parent: nn.Module, name: str, path: str, replace: Replace) -> None:
    setattr(parent, name, replace(path, getattr(parent, name)))


def pack_layer(_: str, layer: nn.Linear) -> nn.Module:
    """The layer, packed in its own dtype."""
    return PackedLinear(layer.weight, layer.bias)


def halve_layers() -> Replace:
    """Makes layers with 16-bit weights and float32 products.

    All of a thread go through one float32 buffer: one for each, taken and given back between what stays, leaves holes.
    """
    kept = threading.local()

    def halve(_: str, layer: nn.Linear) -> nn.Module:
        count = layer.weight.numel()
        buffer: Tensor = getattr(kept, "buffer", torch.empty(0))
        if count > buffer.numel():
            kept.buffer = buffer = torch.empty(count)
        return HalfWeightLinear(buffer[:count].view_as(layer.weight).copy_(layer.weight.detach()), layer.bias)

    return halve


def held_bytes(model: nn.Module) -> int:
    """Bytes of all weights, laid-out ones included."""
    return sum(tensor.nbytes for tensor in _tensors(model)) + sum(
        module.weight_bytes for module in model.modules() if isinstance(module, FixedLinear)
    )


def _tensors(model: nn.Module) -> Iterator[Tensor]:
    yield from model.parameters()
    yield from model.buffers()
