"""What docs/senior/distributed/mixture-of-experts.md claims, proven beyond the example shown."""

import pytest
import torch

from warmup.testing import load_snippet

layer = load_snippet("senior/distributed/mixture_of_experts.py")
local_loss = load_snippet("senior/distributed/mixture_of_experts_local_loss.py")
counts = load_snippet("senior/distributed/mixture_of_experts_parameters.py")
study = load_snippet("senior/distributed/mixture_of_experts_balance_broken.py")
EYE = torch.eye(4)


def zero_rows(y: torch.Tensor) -> int:
    return int((y == 0).all(1).sum())


class TestMixtureOfExperts:
    @pytest.mark.parametrize("expert", range(4))
    def test_a_token_gets_its_experts_output_while_there_is_room(self, expert):
        y = layer.moe(EYE[expert].repeat(16, 1))
        assert torch.equal(y[:5], (expert + 1) * EYE[expert].repeat(5, 1))
        assert not y[5:].any(), "dropped in the order of the batch, without an error"

    @pytest.mark.parametrize(("factor", "dropped"), [(1.0, 12), (1.25, 11), (2.0, 8), (4.0, 0)])
    def test_a_larger_factor_drops_less_and_pads_more(self, factor, dropped):
        assert zero_rows(layer.moe(EYE[2].repeat(16, 1), factor=factor)) == dropped
        mixed = layer.moe(EYE.repeat(4, 1), factor=factor)
        assert zero_rows(mixed) == 0, "four tokens each: any factor from 1 leaves room"

    def test_with_two_experts_a_token_can_lose_one_of_them(self):
        x = torch.tensor([[0.02, 0.02, 0.0, 0.0]]).repeat(16, 1)
        y = layer.moe(x, k=2, factor=1.25)
        weight = (100 * x[0]).softmax(0)[0]
        full = weight * (1 + 2) * x[0]
        assert torch.allclose(y[:10], full.expand(10, 4)) and not y[10:].any()
        x[:12] = torch.tensor([0.02, 0.0, 0.02, 0.0])  # expert 0 is filled by others, expert 1 is not
        assert torch.allclose(layer.moe(x, k=2)[-1], weight * 2 * x[-1])

    def test_capacity_counted_per_rank_drops_what_fits_as_a_whole(self):
        batch = EYE.repeat_interleave(4, 0)
        assert zero_rows(layer.moe(batch)) == 0
        assert zero_rows(torch.cat([layer.moe(half) for half in batch.chunk(2)])) == 8

    @pytest.mark.parametrize(("k", "normalize"), [(1, False), (1, True), (2, False), (2, True)])
    def test_only_one_normalized_gate_leaves_the_router_without_a_gradient(self, k, normalize):
        g = torch.Generator().manual_seed(k)
        router = torch.randn(8, 4, generator=g, requires_grad=True)
        top, _ = (torch.randn(32, 8, generator=g) @ router).softmax(-1).topk(k)
        gates = top / top.sum(-1, keepdim=True) if normalize else top
        (gates * torch.randn(32, k, generator=g)).sum().backward()
        largest = router.grad.abs().max()
        assert largest < 1e-5 if k == 1 and normalize else largest > 0.1

    def test_topk_cuts_the_graph_for_its_indices_only(self):
        logits = torch.tensor([2.0, 1.0, 0.0], requires_grad=True)
        top, chosen = logits.softmax(0).topk(1)
        assert top.requires_grad and not chosen.requires_grad
        with pytest.raises(RuntimeError, match="does not require grad"):  # what a cut graph would do
            (top.detach() * torch.ones(1)).sum().backward()

    @pytest.mark.parametrize(("experts", "k"), [(8, 2), (5, 3), (4, 1)])
    def test_softmax_of_the_chosen_logits_is_the_renormalized_softmax(self, experts, k):
        logits = 3 * torch.randn(100, experts, generator=torch.Generator().manual_seed(0))
        top, chosen = logits.softmax(-1).topk(k)
        logit, same = logits.topk(k)
        assert torch.equal(chosen, same)
        torch.testing.assert_close(logit.softmax(-1), top / top.sum(-1, keepdim=True))
        assert k == 1 or (top.sum(-1) < 0.999).any(), "without dividing, the weights do not sum to 1"

    @pytest.mark.parametrize("k", [1, 2])
    def test_a_bfloat16_router_picks_other_experts_for_some_tokens(self, k):
        g = torch.Generator().manual_seed(0)
        x, router = torch.randn(2000, 64, generator=g), torch.randn(64, 8, generator=g) / 8
        chosen = (x @ router).topk(k).indices.sort().values
        lower = (x.bfloat16() @ router.bfloat16()).topk(k).indices.sort().values
        changed = (chosen != lower).any(1).float().mean()
        assert 0.001 < changed < 0.05


class TestBalance:
    @pytest.mark.parametrize("seed", [0, 1])
    def test_loss_and_bias_each_spread_the_load(self, seed):
        (nothing, drops), (loss, fewer), (bias, fewest) = (
            study.train(seed=seed),
            study.train(weight=0.1, seed=seed),
            study.train(rate=0.01, seed=seed),
        )
        assert nothing > 1.9 > loss > 1.1 > bias >= 1
        assert drops > 0.15 > 0.06 > fewer and fewest < 0.02

    @pytest.mark.parametrize("seed", [0, 1])
    def test_large_steps_of_the_bias_oscillate_and_drop_again(self, seed):
        assert study.train(rate=0.1, seed=seed)[1] > 0.08

    def test_the_bias_moves_the_choice_and_not_the_gates(self):
        probabilities = torch.tensor([[0.5, 0.3, 0.2]])
        chosen = (probabilities + torch.tensor([-0.4, 0.0, 0.0])).topk(2).indices
        assert chosen.tolist() == [[1, 2]]
        assert torch.allclose(probabilities.gather(1, chosen), torch.tensor([[0.3, 0.2]]))

    def test_the_loss_is_one_for_equal_loads_and_below_one_if_opposed(self):
        equal = torch.tensor([[0.4, 0.2, 0.2, 0.2]])
        equal = torch.cat([equal.roll(n, 1) for n in range(4)])
        assert local_loss.balance_loss(equal, 1).item() == pytest.approx(1)
        shares, means = torch.tensor([0.3, 0.3, 0.2, 0.2]), torch.tensor([0.2, 0.2, 0.3, 0.3])
        assert 4 * (shares * means).sum().item() == pytest.approx(0.96)
        routed = torch.tensor([[0.55, 0.45], [0.55, 0.45], [0.0, 1.0]])  # a router can do that
        assert local_loss.balance_loss(routed, 1) < 0.98

    def test_the_share_counts_all_k_choices(self):
        probabilities = torch.tensor([[0.6, 0.3, 0.1], [0.1, 0.3, 0.6]])
        # Two choices of expert 1 and one of each other expert: shares 1/4, 1/2, 1/4.
        expected = 3 * (0.25 * 0.35 + 0.5 * 0.3 + 0.25 * 0.35)
        assert local_loss.balance_loss(probabilities, 2).item() == pytest.approx(expected)

    @pytest.mark.parametrize("sharp", [0.9, 0.99])
    def test_specialized_halves_are_punished_by_the_mean_and_not_by_the_whole(self, sharp):
        code = torch.tensor([[sharp, 1 - sharp]]).repeat(6, 1)
        prose = code.flip(1)
        halves = (local_loss.balance_loss(code, 1) + local_loss.balance_loss(prose, 1)) / 2
        assert halves.item() == pytest.approx(2 * sharp)
        assert local_loss.balance_loss(torch.cat([code, prose]), 1).item() == pytest.approx(1)

    @pytest.mark.parametrize("k", [1, 2])
    def test_with_global_shares_the_mean_of_local_losses_is_the_global_loss(self, k):
        logits = 2 * torch.randn(4, 16, 8, generator=torch.Generator().manual_seed(k))
        micro = logits.softmax(-1)
        whole = local_loss.balance_loss(micro.flatten(0, 1), k)
        counts = [p.topk(k).indices.flatten().bincount(minlength=8) for p in micro]
        share = sum(counts) / sum(counts).sum()  # all-reduced, or added up over accumulation steps
        mixed = torch.stack([8 * (share * p.mean(0)).sum() for p in micro])
        torch.testing.assert_close(mixed.mean(), whole)
        local = torch.stack([local_loss.balance_loss(p, k) for p in micro]).mean()
        assert local > whole + 0.05

    @pytest.mark.parametrize(("dtype", "stops"), [(torch.bfloat16, True), (torch.float32, False)])
    def test_a_bfloat16_bias_stops_where_its_steps_round_away(self, dtype, stops):
        bias = torch.zeros(2, dtype=dtype)
        for _ in range(1500):
            bias += 0.001 * torch.tensor([1.0, -1.0])
        assert (bias.abs() == 0.5).all().item() is stops and bias[0] == -bias[1]
        assert stops or bias[0].item() == pytest.approx(1.5, rel=1e-3)

    def test_only_a_buffer_is_in_the_checkpoint(self):
        module = torch.nn.Module()
        module.plain = torch.zeros(2)
        module.register_buffer("bias", torch.zeros(2))
        assert list(module.state_dict()) == ["bias"]

    def test_the_gradient_moves_probability_away_from_the_loaded_expert(self):
        logits = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 0.2]], requires_grad=True)
        local_loss.balance_loss(logits.softmax(-1), 1).backward()
        assert (logits.grad[:, 0] > 0).all() and (logits.grad[:, 1] < 0).all()


class TestParameters:
    def test_mixtral_stores_46_7_billion_and_uses_12_9(self):
        assert counts.parameters(8) == 46_702_792_704
        assert counts.parameters(2) == 12_879_925_248

    def test_small_dimensions_agree_with_modules(self):
        width, layers = 8, 3
        sizes = [(width, width), (width, 1024), (width, 1024), (width, width), (width, 8)]
        sizes += [(width, 14336)] * 3 * 2
        of_layer = sum(torch.empty(size, device="meta").numel() for size in sizes) + 2 * width
        assert counts.parameters(2, width, layers) == layers * of_layer + 2 * 32000 * width + width

    @pytest.mark.parametrize(("tokens", "least", "most"), [(1, 2, 2), (4, 5, 6), (16, 7.8, 8)])
    def test_a_few_tokens_read_nearly_all_experts(self, tokens, least, most):
        g = torch.Generator().manual_seed(0)
        picks = torch.rand(300, tokens, 8, generator=g).topk(2).indices.flatten(1)
        read = torch.stack([row.bincount(minlength=8) > 0 for row in picks]).sum(1).float().mean()
        assert least <= read <= most
        assert 8 * (1 - (1 - 2 / 8) ** tokens) == pytest.approx(read.item(), abs=0.15)
