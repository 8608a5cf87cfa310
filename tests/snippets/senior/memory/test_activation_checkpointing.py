"""What docs/senior/memory/activation-checkpointing.md claims, proven beyond the example shown."""

import contextlib
import copy
import random
from collections.abc import Callable

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import CheckpointError, checkpoint

from warmup.testing import load_snippet

apply = load_snippet("senior/memory/activation_checkpointing_apply.py")
teeth = load_snippet("senior/memory/activation_checkpointing_teeth.py")


def mlp(*, drop: float = 0.0) -> nn.Module:
    return nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 32), nn.GELU(), nn.Dropout(drop), nn.Linear(32, 8))


def encoder(*, drop: float = 0.0) -> nn.Module:
    return nn.TransformerEncoderLayer(8, 2, 32, drop, "gelu", batch_first=True, norm_first=True)


def run(block: nn.Module, x: torch.Tensor, again: bool, **options: bool) -> torch.Tensor:
    return checkpoint(block, x, use_reentrant=False, **options) if again else block(x)


def saved(block: nn.Module, x: torch.Tensor, again: bool) -> int:
    kept: list[torch.Tensor] = []
    with saved_tensors_hooks(kept.append, lambda _: None):
        run(block, x, again)
    once = {t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in kept}
    for p in block.parameters():
        once.pop(p.data_ptr(), None)
    return sum(once.values())


class TestActivationCheckpointing:
    @pytest.mark.parametrize("make", [mlp, encoder])
    @pytest.mark.parametrize("drop", [0.0, 0.5])
    def test_gradients_are_equal_to_the_last_bit_with_dropout_too(self, make: Callable, drop: float):
        block, x, found = make(drop=drop), torch.randn(2, 6, 8), []
        for again in (False, True):
            torch.manual_seed(3)
            loss = run(block, x, again).square().mean()
            found.append(torch.autograd.grad(loss, list(block.parameters())))
        assert all(map(torch.equal, *found))

    @pytest.mark.parametrize("make", [mlp, encoder])
    @pytest.mark.parametrize("requires", [True, False])
    def test_only_the_input_is_saved(self, make: Callable, requires: bool):
        block, x = make(), torch.randn(2, 6, 8, requires_grad=requires)
        assert saved(block, x, again=True) == x.nbytes < saved(block, x, again=False) / 4

    def test_a_linear_layer_gains_nothing(self):
        x = torch.randn(2, 6, 8, requires_grad=True)
        assert saved(nn.Linear(8, 32), x, again=True) == saved(nn.Linear(8, 32), x, again=False)

    @pytest.mark.parametrize("count", [3, 8])
    def test_the_peak_is_the_saved_inputs_and_one_block(self, count: int):
        blocks, x = [mlp() for _ in range(count)], torch.randn(64, 8)
        weights = [p for block in blocks for p in block.parameters()]
        inside = saved(blocks[0], x.requires_grad_(), again=False)
        peaks = []
        for again in (False, True):
            for p in weights:
                p.grad = torch.zeros_like(p)
            known = [x, *weights, *(p.grad for p in weights)]
            with teeth.Live(known) as live:
                y = x
                for block in blocks:
                    y = run(block, y, again)
                loss = y.sum()
                del y
                loss.backward()
            peaks.append(max(live.curve))
        assert peaks[0] >= inside * count * 0.9
        # the block that runs, and what backward makes on its way
        assert inside * 0.9 <= peaks[1] <= count * x.nbytes + 2 * inside

    @pytest.mark.parametrize("values", [(2.0, 3.0), (-1.0, 5.0)])
    def test_another_branch_with_equal_shapes_gives_its_gradient_without_an_error(self, values: tuple[float, float]):
        first, second = (torch.tensor(v, requires_grad=True) for v in values)
        runs: list[int] = []

        def branch(x: torch.Tensor) -> torch.Tensor:
            runs.append(1)
            return (first if len(runs) == 1 else second) * x

        x = torch.tensor(1.0, requires_grad=True)
        y = checkpoint(branch, x, use_reentrant=False)
        y.backward()
        assert (y.item(), x.grad.item()) == values

    @pytest.mark.parametrize(
        ("other", "noticed"),
        [
            (lambda x: x.sin(), True),
            (lambda x: x[:2].sin().exp(), True),
            (lambda x: x.double().sin().exp(), True),
            (lambda x: x.cos().exp(), False),
            (lambda x: x.sin().exp().cos(), False),  # the second run has stopped before
        ],
    )
    def test_fewer_tensors_another_shape_or_dtype_raise_and_other_values_do_not(self, other: Callable, noticed: bool):
        runs: list[int] = []

        def block(x: torch.Tensor) -> torch.Tensor:
            runs.append(1)
            return x.sin().exp() if len(runs) == 1 else other(x)

        x = torch.randn(4, requires_grad=True)
        y = checkpoint(block, x, use_reentrant=False)
        if noticed:
            with pytest.raises(CheckpointError):
                y.sum().backward()
        else:
            y.sum().backward()
            assert x.grad is not None

    @pytest.mark.parametrize("seed", range(4))
    def test_torch_rand_is_drawn_again_and_python_random_is_not(self, seed: int):
        for draw, equal in ((lambda: torch.rand(()).item(), True), (random.random, False)):
            factors: list[float] = []

            def block(x: torch.Tensor, draw: Callable = draw, factors: list[float] = factors) -> torch.Tensor:
                factors.append(draw())
                return x.sin() * factors[-1]

            torch.manual_seed(seed)
            checkpoint(block, torch.ones(2, requires_grad=True), use_reentrant=False).sum().backward()
            assert (factors[0] == factors[1]) is equal

    @pytest.mark.parametrize("own", [True, False])
    def test_a_generator_of_its_own_is_not_restored(self, own: bool):
        generator, factors = torch.Generator().manual_seed(0) if own else None, []

        def block(x: torch.Tensor) -> torch.Tensor:
            factors.append(torch.rand((), generator=generator).item())
            return x.sin() * factors[-1]

        checkpoint(block, torch.ones(2, requires_grad=True), use_reentrant=False).sum().backward()
        assert (factors[0] == factors[1]) is not own

    @pytest.mark.parametrize("keep", [True, False])
    def test_without_the_rng_state_dropout_draws_another_mask(self, keep: bool):
        x, drop = torch.randn(4, 64, requires_grad=True), nn.Dropout(0.5)
        y = run(drop, x, True, preserve_rng_state=keep)
        y.sum().backward()
        assert torch.equal(y != 0, x.grad != 0) is keep

    def test_a_changed_weight_raises_without_and_passes_with_checkpoint(self):
        for again in (False, True):
            for change in (lambda w: w.mul_(2), lambda w: w.copy_(torch.ones_like(w))):
                layer, x = nn.Linear(3, 3), torch.randn(2, 3, requires_grad=True)
                block = nn.Sequential(layer, nn.Tanh())
                y = run(block, x, again)
                with torch.no_grad():
                    change(layer.weight)
                if again:
                    y.sum().backward()
                    assert x.grad is not None
                else:
                    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                        y.sum().backward()

    @pytest.mark.parametrize("momentum", [0.1, 0.5])
    def test_batch_norm_updates_its_statistics_twice(self, momentum: float):
        x = torch.randn(16, 4, requires_grad=True) + 3
        for again, runs in ((False, 1), (True, 2)):
            norm = nn.BatchNorm1d(4, momentum=momentum)
            run(nn.Sequential(norm, nn.GELU()), x, again).sum().backward()
            assert norm.num_batches_tracked == runs
            expected = x.detach().mean(0) * (1 - (1 - momentum) ** runs)
            torch.testing.assert_close(norm.running_mean, expected)

    @pytest.mark.parametrize("times", [1, 2])
    def test_each_backward_runs_the_block_once_more(self, times: int):
        calls: list[int] = []
        block = lambda x: (calls.append(1), x.sin().exp())[1]  # noqa: E731
        loss = checkpoint(block, torch.ones(2, requires_grad=True), use_reentrant=False).sum()
        for _ in range(times):
            loss.backward(retain_graph=True)
        assert len(calls) == 1 + times

    def test_without_gradients_the_block_runs_once(self):
        calls: list[int] = []
        with torch.no_grad():
            checkpoint(lambda x: (calls.append(1), x.sin())[1], torch.ones(2), use_reentrant=False)
        assert len(calls) == 1

    @pytest.mark.filterwarnings("ignore:None of the inputs have requires_grad")
    @pytest.mark.parametrize("make", [mlp, encoder])
    def test_the_reentrant_first_block_trains_nothing(self, make: Callable):
        block, x = make(), torch.randn(2, 6, 8)
        assert not checkpoint(block, x, use_reentrant=True).requires_grad
        assert checkpoint(block, x, use_reentrant=False).requires_grad

    @pytest.mark.parametrize("every", [1, 2, 3])
    def test_the_function_checkpoints_one_block_of_every(self, every: int):
        model = nn.TransformerEncoder(encoder(), 6, enable_nested_tensor=False)
        plain, x, calls = copy.deepcopy(model), torch.randn(2, 6, 8), []
        names = list(model.state_dict())
        count = apply.checkpoint_blocks(model, nn.TransformerEncoderLayer, every)
        assert count == -(-6 // every) and list(model.state_dict()) == names
        for layer in model.layers:
            layer.linear1.register_forward_hook(lambda *_: calls.append(1))
        for each in (plain, model):
            each(x).sum().backward()
        assert len(calls) == 6 + count
        pairs = zip(plain.parameters(), model.parameters(), strict=True)
        assert all(torch.equal(a.grad, b.grad) for a, b in pairs)

    def test_a_copy_of_a_checkpointed_model_runs_its_own_weights(self):
        model = nn.Sequential(nn.Linear(3, 3), nn.GELU())
        apply.checkpoint_blocks(model, nn.Linear)
        other = copy.deepcopy(model)
        nn.init.zeros_(other[0].weight)
        x = torch.ones(1, 3)
        assert torch.equal(other(x), nn.GELU()(other[0].bias)[None]) and not torch.equal(other(x), model(x))

    @pytest.mark.parametrize("kind", [nn.Conv2d, nn.Sequential])
    def test_the_function_refuses_what_it_cannot_do(self, kind: type[nn.Module]):
        model = nn.Sequential(nn.Sequential(nn.Linear(2, 2)))
        with pytest.raises(ValueError):
            apply.checkpoint_blocks(model, kind)
        apply.checkpoint_blocks(model, nn.Linear)
        with pytest.raises(ValueError):
            apply.checkpoint_blocks(model, nn.Linear)

    @pytest.mark.filterwarnings("ignore:None of the inputs have requires_grad")
    @pytest.mark.parametrize("reentrant", [True, False])
    @pytest.mark.parametrize("frozen", [True, False])
    def test_a_reentrant_block_trains_unless_the_embeddings_before_it_are_frozen(self, reentrant: bool, frozen: bool):
        embedding, block, head = nn.Embedding(10, 8).requires_grad_(not frozen), mlp(), nn.Linear(8, 1)
        y = checkpoint(block, embedding(torch.arange(4)), use_reentrant=reentrant)
        head(y).sum().backward()
        assert (block[1].weight.grad is None) is (reentrant and frozen)

    @pytest.mark.filterwarnings("ignore")
    @pytest.mark.parametrize("reentrant", [True, False])
    @pytest.mark.parametrize("times", [1, 2])
    @pytest.mark.parametrize("option", [None, "find_unused_parameters", "static_graph"])
    def test_ddp_with_a_reentrant_block_called_twice_or_a_search_for_unused_raises(
        self, reentrant: bool, times: int, option: str | None
    ):
        class Model(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.first, self.block = nn.Linear(8, 8), mlp()
                if option:
                    self.unused = nn.Linear(2, 2)

            def forward(self, x: torch.Tensor) -> torch.Tensor:
                x = self.first(x)
                for _ in range(times):
                    x = checkpoint(self.block, x, use_reentrant=reentrant)
                return x

        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
        try:
            model = DistributedDataParallel(Model(), **({option: True} if option else {}))
            raises = reentrant and option != "static_graph" and (times == 2 or option is not None)
            expected = pytest.raises(RuntimeError, match="ready only once") if raises else contextlib.nullcontext()
            with expected:
                for _ in range(2):
                    model(torch.randn(4, 8)).sum().backward()
            del model
        finally:
            dist.destroy_process_group()
