"""The processes of a data-parallel run as ``torchrun`` starts them; one process is the common case."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

import torch
import torch.distributed as dist
from torch import Tensor

_BUCKET = 25_000_000  # values that travel together


class World:
    """This process among the others. With one process every method is a no-op that gives its input back."""

    def __init__(self, rank: int = 0, size: int = 1, local_rank: int = 0) -> None:
        self.rank, self.size, self.local_rank = rank, size, local_rank

    @classmethod
    def join(cls, device: torch.device) -> World:
        """Join the group that ``torchrun`` described in the environment: nccl on GPUs, gloo on CPUs."""
        size = int(os.environ.get("WORLD_SIZE", "1"))
        if size == 1:
            return cls()
        world = cls(int(os.environ["RANK"]), size, int(os.environ.get("LOCAL_RANK", "0")))
        dist.init_process_group("nccl" if device.type == "cuda" else "gloo", rank=world.rank, world_size=size)
        return world

    @property
    def leads(self) -> bool:
        """Whether this process writes files and talks."""
        return self.rank == 0

    def leave(self) -> None:
        """Leave the group."""
        if self.size > 1:
            dist.destroy_process_group()

    def wait(self) -> None:
        """Until all processes are here."""
        if self.size > 1:
            dist.barrier()

    def add(self, values: Tensor) -> Tensor:
        """Sum over all processes, in place."""
        if self.size > 1:
            dist.all_reduce(values)
        return values

    def any(self, flag: bool, device: torch.device) -> bool:
        """Whether any process says yes."""
        return bool(self.add(torch.tensor([float(flag)], device=device)).item()) if self.size > 1 else flag

    def add_gradients(self, parameters: Iterable[torch.nn.Parameter]) -> None:
        """Sum the gradients over all processes, many small ones in one message."""
        if self.size == 1:
            return
        for bucket in _buckets([p for p in parameters if p.requires_grad]):
            grads = [p.grad if p.grad is not None else torch.zeros_like(p) for p in bucket]
            flat = self.add(torch.cat([grad.flatten() for grad in grads]))
            for parameter, part in zip(bucket, flat.split([grad.numel() for grad in grads]), strict=True):
                parameter.grad = part.view_as(parameter).clone()


def _buckets(parameters: list[torch.nn.Parameter]) -> Iterator[list[torch.nn.Parameter]]:
    bucket: list[torch.nn.Parameter] = []
    size = 0
    for parameter in parameters:
        if bucket and size + parameter.numel() > _BUCKET:
            yield bucket
            bucket, size = [], 0
        bucket.append(parameter)
        size += parameter.numel()
    if bucket:
        yield bucket
