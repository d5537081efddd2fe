"""Tables of vectors."""

from __future__ import annotations

import torch
from torch import nn


def blank_embedding(count: int, width: int) -> nn.Embedding:
    """A table of zeros, [count, width]: whoever makes a model loads or draws its weights.

    torch's own table draws them. On the meta device, where models are built, that imports torch's compiler: a second
    and 100 MB at every start.
    """
    return nn.Embedding.from_pretrained(torch.zeros(count, width), freeze=False)
