"""Losses and batches beyond what the recordings hold."""

from __future__ import annotations

import pytest
import torch

from tests.voxcpm.conftest import TINY, checkpoint
from voxcpm.errors import ConfigError
from voxcpm.flow.cfm import FlowDraws, check_trainable
from voxcpm.training.batch import Example, collate
from voxcpm.training.data import BatchStream, make_batches
from voxcpm.training.loading import load_trainable
from voxcpm.training.losses import training_losses
from voxcpm.training.seeds import generator_for, mixed_seed


def examples(config: object, counts: list[tuple[int, int, int]]) -> list[Example]:
    """(text ids, target patches, reference patches) as random latents."""
    generator = torch.Generator().manual_seed(5)
    size = (config.patch_size, config.feat_dim)  # type: ignore[attr-defined]
    return [
        Example(
            list(range(300, 300 + text)),
            torch.randn(target, *size, generator=generator),
            torch.randn(reference, *size, generator=generator) if reference else None,
        )
        for text, target, reference in counts
    ]


@pytest.mark.parametrize("name", TINY)
def test_the_short_way_equals_the_masked_one_with_its_gradients(name: str) -> None:
    parts = load_trainable(checkpoint(name), device=torch.device("cpu"))
    config = parts.config
    batch = collate(examples(config, [(3, 5, 2), (7, 2, 0), (1, 9, 4)]))
    draws = FlowDraws.make(
        batch.loss_mask.numel(), config.patch_size, config.feat_dim, torch.Generator().manual_seed(1)
    )
    found = []
    for everywhere in (True, False):
        parts.model.zero_grad()
        some = draws if everywhere else draws.select(batch.loss_mask.flatten())
        losses = training_losses(parts.model, batch, some, every_position=everywhere)
        assert losses.patches == 16
        (losses.mean_diff + losses.mean_stop).backward()
        grads = {n: p.grad.clone() for n, p in parts.model.named_parameters() if p.grad is not None}
        found.append((losses.diff.item(), losses.stop.item(), grads))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-5)
    assert found[0][1] == pytest.approx(found[1][1], rel=1e-5)
    assert found[0][2].keys() == found[1][2].keys()
    for key, grad in found[0][2].items():
        assert torch.allclose(grad, found[1][2][key], rtol=1e-3, atol=1e-6), key


def test_locdit_sees_no_more_rows_than_there_are_target_patches() -> None:
    parts = load_trainable(checkpoint("tiny-v2"), device=torch.device("cpu"))
    batch = collate(examples(parts.config, [(3, 5, 2), (7, 2, 0)]))
    rows: list[int] = []
    parts.model.feat_decoder.estimator.in_proj.register_forward_hook(lambda _m, inputs, _o: rows.append(len(inputs[0])))
    training_losses(parts.model, batch, torch.Generator().manual_seed(0))
    assert rows == [7]


def test_padding_changes_nothing() -> None:
    parts = load_trainable(checkpoint("tiny-v2"), device=torch.device("cpu"))
    some = examples(parts.config, [(3, 5, 0), (9, 12, 3)])
    draws = FlowDraws.make(17, parts.config.patch_size, parts.config.feat_dim, torch.Generator().manual_seed(1))
    with torch.no_grad():
        together = training_losses(parts.model, collate(some), draws)
        first = training_losses(parts.model, collate(some[:1]), draws.select(torch.arange(5)))
        second = training_losses(parts.model, collate(some[1:]), draws.select(torch.arange(5, 17)))
    assert float(together.diff) == pytest.approx(float(first.diff + second.diff), rel=1e-5)
    assert float(together.stop) == pytest.approx(float(first.stop + second.stop), rel=1e-5)


def test_over_long_sequences_lose_their_stop_label() -> None:
    example = Example([300] * 4, torch.zeros(6, 4, 16))
    assert int(example.packed().stop_labels.sum()) == 1 and example.length == 12
    assert int(example.packed(10).stop_labels.sum()) == 0 and example.packed(10).length == 10


def test_mean_mode_is_refused() -> None:
    config = load_trainable(checkpoint("tiny-v2"), device=torch.device("cpu")).config
    with pytest.raises(ConfigError, match="mean-mode"):
        check_trainable(config.dit_config.cfm_config, mean_mode=True)


class Length:
    """Stands for an item, of which batching reads the length only."""

    def __init__(self, length: int) -> None:
        self.length = length


def test_batches_hold_everything_once_within_the_budget() -> None:
    generator = torch.Generator().manual_seed(2)
    items = [Length(int(n)) for n in torch.randint(5, 200, (500,), generator=generator)]
    batches = make_batches(items, 8, 400, generator)  # type: ignore[arg-type]
    assert sorted(map(id, items)) == sorted(id(item) for batch in batches for item in batch)
    for batch in batches:
        longest = max(item.length for item in batch)
        assert len(batch) <= 8 and (len(batch) * longest <= 400 or len(batch) == 1)
    padded = sum(len(batch) * max(item.length for item in batch) for batch in batches)
    assert padded < 1.15 * sum(item.length for item in items)


def test_a_stream_can_be_entered_anywhere() -> None:
    stream = BatchStream([Length(n) for n in range(5, 25)], 4, 1000, seed=3)  # type: ignore[arg-type]
    whole = stream.start_at(0)
    first = [next(whole) for _ in range(17)]
    later = stream.start_at(12)
    assert [next(later) for _ in range(5)] == first[12:]
    assert {epoch for epoch, _ in first} == {0, 1, 2, 3}


def test_seeds_do_not_meet() -> None:
    kinds = ("order", "draws", "validation", "adapter", "dropout")
    seeds = {mixed_seed(seed, kind, index) for seed in range(20) for kind in kinds for index in range(200)}
    assert len(seeds) > 20 * 5 * 200 - 10  # 20,000 of 2**32: a chance meeting or two would be no fault
    before = torch.random.get_rng_state()
    torch.randn(3, generator=generator_for(1, "draws", 2))
    assert torch.equal(torch.random.get_rng_state(), before)
