"""What docs/mid/debugging/cuda-oom.md claims, proven beyond the example shown."""

import pytest
import torch
from torch import nn

from warmup.testing import load_snippet

oom = load_snippet("mid/debugging/cuda_oom_levers.py")
oom_autocast = load_snippet("mid/debugging/cuda_oom_autocast.py")
oom_peaks = load_snippet("mid/debugging/cuda_oom_peaks.py")


def weights_of(model: nn.Module) -> int:
    return sum(each.numel() for each in model.parameters())


class TestCudaOom:
    @pytest.mark.parametrize(
        ("optimizer", "options", "numbers"),
        [
            (torch.optim.Adam, {}, 2),
            (torch.optim.AdamW, {}, 2),
            (torch.optim.SGD, {"momentum": 0.9}, 1),
            (torch.optim.SGD, {}, 0),
        ],
    )
    @pytest.mark.parametrize("batch", [4, 12])
    def test_parameters_gradients_and_states_do_not_depend_on_the_batch(self, optimizer, options, numbers, batch):
        found, count = oom.memory(batch, optimizer=optimizer, **options), weights_of(oom.four_blocks())
        assert found["parameters"] == found["gradients"] == 4 * count
        steps = 4 * 16 if numbers == 2 else 0  # Adam counts its steps for each of 16 tensors
        assert found["states"] == 4 * numbers * count + steps
        per_sample = 4 * (4 * (256 + 256 + 64))  # the input is not counted, the output is kept by square()
        assert found["saved"] == batch * per_sample + 4  # the loss

    @pytest.mark.parametrize("batch", [4, 32])
    def test_saved_tensor_hooks_count_the_same(self, batch):
        model, x, kept = oom.four_blocks(), torch.randn(batch, 64), {}
        hooks = torch.autograd.graph.saved_tensors_hooks(lambda t: kept.setdefault(t.data_ptr(), t), lambda t: t)
        with hooks:
            loss = model(x).square().mean()
        skip = {x.data_ptr(), *(each.data_ptr() for each in model.parameters())}
        assert loss.requires_grad
        assert sum(t.nbytes for key, t in kept.items() if key not in skip) == oom.memory(batch)["saved"] - 4

    def test_pieces_save_less_and_need_more_in_backward_than_a_small_batch(self):
        whole, small, pieces = oom.memory(64), oom.memory(16), oom.memory(64, pieces=4)
        assert pieces["saved"] == pytest.approx(small["saved"], abs=8)
        assert small["saved"] < 0.3 * whole["saved"]
        assert small["backward"] < pieces["backward"]

    @pytest.mark.parametrize("pieces", [2, 4])
    def test_summed_losses_keep_all_graphs(self, pieces):
        model, x, sizes = oom.four_blocks(), torch.randn(64, 64), {}
        weights = {each.data_ptr() for each in model.parameters()}

        def pack(tensor):
            kept[tensor.data_ptr()] = tensor.nbytes if tensor.data_ptr() not in weights else 0
            alive.append(tensor)  # so that no address comes twice
            return tensor

        for count in (1, pieces):
            kept, alive, losses = {}, [], []
            with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
                for piece in x.chunk(count):
                    losses.append(model(piece).square().mean() / count)
            sizes[count] = sum(kept.values())
        assert sizes[1] == sizes[pieces]
        assert oom.memory(64, pieces=pieces)["saved"] < 0.6 * oom.memory(64)["saved"]

    def test_the_gradient_of_pieces_is_that_of_the_batch(self):
        x, gradients = torch.randn(8, 64, dtype=torch.float64), []
        torch.manual_seed(0)
        model = oom.four_blocks().double()
        for pieces in (1, 4):
            model.zero_grad()
            for piece in x.chunk(pieces):
                (model(piece).square().mean() / pieces).backward()
            gradients.append(model[0][0].weight.grad.clone())
        torch.testing.assert_close(*gradients)

    @pytest.mark.parametrize(("rate", "same"), [(0.0, True), (0.5, False)])
    def test_dropout_draws_other_masks_for_pieces(self, rate, same):
        x, gradients = torch.randn(8, 64, dtype=torch.float64), []
        model = nn.Sequential(oom.four_blocks(), nn.Dropout(rate), nn.Linear(64, 64), nn.Dropout(rate)).double()
        for pieces in (1, 4):
            torch.manual_seed(1)
            model.zero_grad()
            for piece in x.chunk(pieces):
                (model(piece).square().mean() / pieces).backward()
            gradients.append(model[2].weight.grad.clone())
        assert torch.allclose(*gradients) is same

    @pytest.mark.parametrize("sparse", [False, True])
    def test_only_a_sparse_gradient_grows_with_the_batch(self, sparse):
        sizes = []
        for batch in (16, 256):
            table = nn.Embedding(1000, 8, sparse=sparse)
            table(torch.arange(batch)).sum().backward()
            grad = table.weight.grad
            sizes.append(grad._values().nbytes if sparse else grad.nbytes)
        assert sizes[1] == (16 * sizes[0] if sparse else sizes[0])

    @pytest.mark.parametrize("batch", [8, 64])
    def test_checkpointing_keeps_the_inputs_of_the_blocks(self, batch):
        assert oom.memory(batch, checkpointed=True)["saved"] == pytest.approx(batch * 4 * 64 * 4, abs=100)
        assert oom.memory(batch, checkpointed=True)["states"] == oom.memory(batch)["states"]

    @pytest.mark.parametrize("batch", [16, 64, 256])
    def test_autocast_moves_only_the_saved_tensors_and_not_to_the_half(self, batch):
        plain, autocast, half = (
            oom_autocast.terms(batch),
            oom_autocast.terms(batch, mixed=True),
            oom_autocast.terms(batch, dtype=torch.bfloat16),
        )
        assert autocast[:3] == plain[:3]
        assert half == pytest.approx([size / 2 for size in plain], rel=0.001)
        copies = 7 * 2 * 64 * 256 / 1000  # of all matrices but the first, whose input needs no gradient
        assert autocast[3] == pytest.approx(plain[3] / 2 + copies, abs=1)
        assert (autocast[3] > plain[3]) == (batch == 16)

    @pytest.mark.parametrize("batch", [64, 256])
    def test_the_peak_of_adam_is_in_backward_and_that_of_step_is_apart(self, batch):
        curve, backward, step = oom_peaks.timeline(batch, torch.optim.Adam)
        assert max(curve) == max(curve[backward:step]) > max(curve[:backward]) > curve[0]
        assert curve[step - 1] < max(curve[step:]) < max(curve[backward:step])
        assert curve[backward - 1] - curve[0] == pytest.approx(oom.memory(batch)["saved"], rel=0.1)

    def test_states_are_made_in_the_first_step(self):
        first, second = oom.memory(64, steps=1), oom.memory(64)
        assert second["backward"] - first["backward"] == pytest.approx(second["states"], abs=100)
        without = [oom.memory(64, steps=steps, optimizer=torch.optim.SGD)["backward"] for steps in (1, 2)]
        assert without[0] == without[1]

    def test_foreach_raises_the_peak_of_step_and_fused_does_not(self):
        plain, foreach, fused = oom.memory(4), oom.memory(4, foreach=True), oom.memory(4, fused=True)
        assert fused["step"] < plain["step"] < foreach["step"] <= plain["step"] + plain["parameters"]

    @pytest.mark.parametrize("frozen", [1, 3])
    def test_frozen_first_blocks_save_nothing_and_have_no_states(self, frozen):
        plain, part = oom.memory(16), oom.memory(16, frozen=frozen)
        for term in ("gradients", "states"):
            assert part[term] == plain[term] * (4 - frozen) / 4
        assert part["saved"] == pytest.approx(plain["saved"] * (4 - frozen) / 4 + 16 * 64 * 4, abs=100)
        assert part["parameters"] == plain["parameters"]
