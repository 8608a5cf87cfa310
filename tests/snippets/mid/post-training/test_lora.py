"""Every claim of docs/mid/post-training/lora.md, proven beyond the example shown."""

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from warmup.testing import load_snippet

cost = load_snippet("mid/post-training/lora_cost.py")


def train(start, optimizer, rank=3, steps=200, inputs=12, outputs=9, need=2):
    """Loss at the first and the last step, and the first gradients of A and B."""
    torch.manual_seed(1)
    x = torch.randn(40, inputs).double()
    weight = torch.randn(outputs, inputs).double()
    y = x @ (weight + torch.randn(outputs, need).double() @ torch.randn(need, inputs).double()).T
    a = (torch.randn(rank, inputs).double() * ("A" in start)).requires_grad_()
    b = (torch.randn(outputs, rank).double() * ("B" in start)).requires_grad_()
    steps_of, losses, first = optimizer([a, b]), [], None
    for _ in range(steps):
        loss = (x @ weight.T + x @ a.T @ b.T - y).square().mean()
        steps_of.zero_grad()
        loss.backward()
        first = first or (a.grad.norm().item(), b.grad.norm().item())
        losses.append(loss.item())
        steps_of.step()
    return losses[0], losses[-1], first


OPTIMIZERS = [lambda p: torch.optim.Adam(p, 0.05), lambda p: torch.optim.SGD(p, 0.02)]


def merge_error(size, dtype, aligned=False, width=384, rank=4):
    torch.manual_seed(2)
    weight = (torch.randn(width, width) * 0.02).to(dtype)
    a = torch.randn(rank, width).double() / width**0.5
    update = torch.randn(width, rank).double() * size @ a
    lost = (weight.double() + update).to(dtype).double() - weight.double() - update
    x = torch.randn(64, rank).double() @ a if aligned else torch.randn(64, width).double()
    return ((x @ lost.T).norm() / (x @ update.T).norm()).item()


class TestLora:
    @pytest.mark.parametrize("optimizer", OPTIMIZERS)
    @pytest.mark.parametrize("start", ["A", "B"])
    def test_one_zero_factor_starts_at_the_pretrained_loss_and_trains(self, start, optimizer):
        before, after, (a, b) = train(start, optimizer)
        assert before == train("", optimizer, steps=1)[0]
        assert after < before / 20
        assert (a == 0, b == 0) == (start == "A", start == "B")

    @pytest.mark.parametrize("optimizer", OPTIMIZERS)
    def test_two_zero_factors_never_learn(self, optimizer):
        before, after, first = train("", optimizer)
        assert before == after and first == (0, 0)

    def test_a_change_of_higher_rank_is_not_learned_entirely(self):
        before, after, _ = train("A", OPTIMIZERS[0], rank=1, need=4, steps=400)
        assert after > before / 20
        assert train("A", OPTIMIZERS[0], rank=4, need=4, steps=400)[1] < after / 20

    def test_the_gradients_are_those_of_the_formula(self):
        torch.manual_seed(0)
        w, x, g, scale = torch.randn(5, 4), torch.randn(4), torch.randn(5), 1.5
        a, b = torch.randn(2, 4, requires_grad=True), torch.randn(5, 2, requires_grad=True)
        ((w @ x + scale * b @ (a @ x)) * g).sum().backward()
        torch.testing.assert_close(b.grad, scale * torch.outer(g, a.detach() @ x))
        torch.testing.assert_close(a.grad, scale * torch.outer(b.detach().T @ g, x))

    def test_memory_falls_to_an_eighth_and_work_to_two_thirds(self):
        total = {name: sum(parts) for name, parts in cost.rows.items()}
        assert 7 < total["full"] / total["LoRA on all"] < 8.5
        assert 0.66 < cost.flops(False) / cost.flops(True) < 0.69
        assert cost.trained["LoRA on q, v"] == 8_388_608

    def test_full_counts_match_a_block_of_linear_layers(self):
        with torch.device("meta"):
            block = [nn.Linear(4096, 4096, bias=False) for _ in range(4)]
            block += [nn.Linear(4096, 11008, bias=False) for _ in range(3)]
        count = sum(16 * (m.in_features + m.out_features) for m in block)
        assert cost.trained["LoRA on all"] == 32 * count

    def test_the_smaller_the_update_the_larger_its_error(self):
        small, middle, large = (merge_error(s, torch.bfloat16) for s in (2e-4, 2e-3, 2e-2))
        assert small > 0.5 > 0.3 > middle > 0.03 > large

    def test_float16_loses_less_and_float32_nearly_nothing(self):
        assert merge_error(2e-4, torch.float16) < merge_error(2e-4, torch.bfloat16) / 2
        assert merge_error(2e-4, torch.float32) < 1e-3

    def test_inputs_along_a_lose_less(self):
        assert merge_error(2e-4, torch.bfloat16, aligned=True) < 0.8 * merge_error(2e-4, torch.bfloat16)

    def test_the_rows_of_the_table_in_the_setting_of_the_page(self):
        def error(dtype, aligned):
            return merge_error(2e-4, dtype, aligned, width=512, rank=8)

        assert 0.33 < error(torch.bfloat16, True) < 0.43 and 0.66 < error(torch.bfloat16, False) < 0.78
        assert 0.13 < error(torch.float16, False) < 0.19

    @pytest.mark.parametrize("seed", [0, 1])
    def test_the_error_of_a_small_update_is_partly_loss_and_partly_noise(self, seed):
        torch.manual_seed(seed)
        weight = (torch.randn(512, 512) * 0.02).bfloat16()

        def kept(size):
            update = torch.randn(512, 8).double() * size @ torch.randn(8, 512).double() / 512**0.5
            change = (weight.double() + update).bfloat16().double() - weight.double()
            return ((change * update).sum() / update.square().sum()).item()

        assert 0.55 < kept(2e-4) < 0.75  # 71% wrong, but about a third is lost
        assert 0.98 < kept(2e-3) < 1.02  # 13% wrong, and nothing of it is lost

    def test_checkpointing_leaves_three_quarters_of_the_work(self):
        def flops(full):
            with torch.device("meta"):
                x, layer = torch.empty(8, 256, requires_grad=True), nn.Linear(256, 256, bias=False)
                down, up = nn.Linear(256, 1, bias=False), nn.Linear(1, 256, bias=False)
            layer.requires_grad_(full)
            with FlopCounterMode(display=False) as counter:
                for again in (False, True):  # the second pass is the recomputation
                    y = layer(x) if full else layer(x) + up(down(x))
                    if again:
                        y.sum().backward()
            return counter.get_total_flops()

        assert 0.74 < flops(False) / flops(True) < 0.77

    @pytest.mark.parametrize("frozen", [False, True])
    def test_a_frozen_layer_does_not_keep_its_input(self, frozen):
        x, layer, kept = (
            torch.randn(3, 4, requires_grad=True),
            nn.Linear(4, 5, bias=False).requires_grad_(not frozen),
            [],
        )
        with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t.shape) or t, lambda t: t):
            layer(x)
        assert (x.shape in kept) is not frozen

    def test_half_a_step_is_what_counts(self):
        one = torch.ones(1, dtype=torch.bfloat16)
        step = 2.0**-8  # the distance below 1; above it is twice as far
        assert (one.double() - 0.49 * step).bfloat16() == one
        assert (one.double() - 0.51 * step).bfloat16() != one
        assert (one.double() + 0.9 * step).bfloat16() == one

    def test_subtracting_does_not_bring_the_weight_back(self):
        torch.manual_seed(0)
        weight, update = torch.randn(1000).bfloat16(), (torch.randn(1000) * 0.3).bfloat16()
        assert not torch.equal((weight + update) - update, weight)

    @pytest.mark.parametrize(("inputs", "batch"), [(256, 64), (64, 16)])
    def test_the_first_step_shrinks_with_the_rank_more_with_sgd_than_with_adam(self, inputs, batch):
        def shift(optimizer, rank):
            torch.manual_seed(0)
            x, y = torch.randn(2, batch, inputs).double()
            a = (torch.randn(rank, inputs).double() / inputs**0.5).requires_grad_()
            b = torch.zeros(inputs, rank).double().requires_grad_()
            steps = optimizer([a, b], 1e-3)
            (x @ a.T @ b.T / rank - y).square().mean().backward()
            steps.step()
            return (x @ a.T @ b.T / rank).norm().item()

        sgd, adam = (shift(o, 64) / shift(o, 4) for o in (torch.optim.SGD, torch.optim.Adam))
        assert sgd < 0.1 and adam > 0.2

    def test_a_merged_layer_has_no_dropout(self):
        torch.manual_seed(0)
        drop, layer = nn.Dropout(0.5), nn.Linear(6, 6, bias=False)
        a, b, x = torch.randn(2, 6), torch.randn(6, 2), torch.randn(3, 6)
        merged = x @ (layer.weight + b @ a).T
        assert torch.allclose(layer(x) + drop.eval()(x) @ a.T @ b.T, merged, atol=1e-5)
        assert not torch.allclose(layer(x) + drop.train()(x) @ a.T @ b.T, merged, atol=1e-5)
