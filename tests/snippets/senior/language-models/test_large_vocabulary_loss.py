"""What docs/senior/language-models/large-vocabulary-loss.md claims, proven beyond the example shown."""

import pytest
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.utils.flop_counter import FlopCounterMode

from warmup.testing import load_snippet

main = load_snippet("senior/language-models/large_vocabulary_loss.py")
function = load_snippet("senior/language-models/large_vocabulary_loss_function.py")
ways = load_snippet("senior/language-models/large_vocabulary_loss_ways.py")
broken = load_snippet("senior/language-models/large_vocabulary_loss_sum_broken.py")
NEW = pytest.mark.skipif(not hasattr(torch.nn, "LinearCrossEntropyOptions"), reason="no linear_cross_entropy here")


def inputs(tokens=60, width=8, words=50, dtype=torch.float32, seed=1):
    torch.manual_seed(seed)
    hidden, weight = torch.randn(tokens, width), torch.randn(words, width)
    targets = torch.randint(words, (tokens,))
    return hidden.to(dtype).requires_grad_(), weight.to(dtype).requires_grad_(), targets


def off_center():
    """Hidden states with a common part, so that the chunks' gradients point the same way."""
    torch.manual_seed(2)
    return torch.randn(4096, 16) + torch.randn(16), torch.randn(200, 16) / 4, torch.randint(200, (4096,))


def relative(a, b):
    return ((a.double() - b).norm() / b.norm()).item()


def exact_gradient(hidden, weight, targets):
    weight = weight.double().requires_grad_()
    loss = F.cross_entropy(hidden.double() @ weight.T, targets, reduction="sum")
    return torch.autograd.grad(loss, weight)[0]


class TestLoop:
    @pytest.mark.parametrize("size", [1, 7, 60, 1000])
    @pytest.mark.parametrize("ignored", [0, 20])
    def test_loss_and_gradients_are_those_of_the_plain_loss(self, size, ignored):
        hidden, weight, targets = inputs()
        targets[:ignored] = -100
        below = torch.ones(8, requires_grad=True)  # a parameter of the rest of the model
        plain = F.cross_entropy((hidden * below) @ weight.T, targets)
        wanted = torch.autograd.grad(plain, (hidden, weight, below))
        torch.testing.assert_close(main.backward_in_chunks(hidden * below, weight, targets, size), plain.detach())
        for tensor, gradient in zip((hidden, weight, below), wanted, strict=True):
            torch.testing.assert_close(tensor.grad, gradient, rtol=1e-4, atol=1e-5)


class TestFunction:
    @pytest.mark.parametrize("size", [1, 7, 60, 1000])
    @pytest.mark.parametrize("ignored", [0, 20])
    def test_loss_and_gradients_are_those_of_the_plain_loss(self, size, ignored):
        hidden, weight, targets = inputs()
        targets[:ignored] = -100
        plain = F.cross_entropy(hidden @ weight.T, targets)
        chunked = function.ChunkedLoss.apply(hidden, weight, targets, size)
        torch.testing.assert_close(chunked, plain)
        for scale in (1, 1024):  # a loss scale arrives in backward
            wanted = torch.autograd.grad(scale * plain, (hidden, weight), retain_graph=True)
            found = torch.autograd.grad(scale * chunked, (hidden, weight), retain_graph=True)
            for a, b in zip(found, wanted, strict=True):
                torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)

    @pytest.mark.parametrize("size", [16, 30])
    @pytest.mark.parametrize("way", [main.backward_in_chunks, lambda *all: function.ChunkedLoss.apply(*all).backward()])
    def test_the_logits_of_one_chunk_only_exist(self, way, size):
        hidden, weight, targets = inputs(tokens=240, words=500)
        with ways.Live() as live:
            way(hidden, weight, targets, size)
        assert live.peak < 4 * size * 500 * 4 + 5 * weight.nbytes + 4 * hidden.nbytes < 240 * 500 * 4

    def test_to_evaluate_the_loop_raises_and_the_function_computes_gradients_or_raises(self):
        loop, fused, given = main.backward_in_chunks, function.ChunkedLoss.apply, inputs()
        for off, way in ((torch.no_grad, loop), (torch.inference_mode, loop), (torch.inference_mode, fused)):
            with off(), pytest.raises(RuntimeError, match="does not require grad"):
                way(*given, 10)
        with FlopCounterMode(display=False) as count, torch.no_grad():
            function.ChunkedLoss.apply(*inputs(), 10)
        assert count.get_total_flops() == 3 * 2 * 60 * 8 * 50

    @pytest.mark.parametrize("autocast", [False, True])
    def test_the_gradient_of_the_weight_is_summed_in_float32(self, autocast):
        hidden, weight, targets = off_center()
        if not autocast:
            hidden, weight = hidden.bfloat16(), weight.bfloat16()
        leaf = weight.clone().requires_grad_()
        with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
            loss = function.ChunkedLoss.apply(hidden, leaf, targets, 8)
        loss.backward()
        assert relative(leaf.grad * len(targets), exact_gradient(hidden, weight, targets)) < 0.006

    @pytest.mark.parametrize(("frozen", "loop", "fused"), [(False, 3, 3), (True, 2, 3)])
    def test_a_frozen_head_costs_the_function_a_third_product_and_the_loop_two(self, frozen, loop, fused):
        flops = []
        for fuse in (False, True):
            hidden, weight, targets = inputs()
            weight.requires_grad_(not frozen)
            with FlopCounterMode(display=False) as count:
                way = function.ChunkedLoss.apply if fuse else main.backward_in_chunks
                way(hidden, weight, targets, 10).backward() if fuse else way(hidden, weight, targets, 10)
            flops.append(count.get_total_flops() / (2 * 60 * 8 * 50))
        assert flops == [loop, fused]

    def test_under_ddp_the_loop_raises_and_the_function_works(self):
        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
        try:
            for fuse in (True, False):
                hidden, _, targets = inputs()
                body = torch.nn.Linear(8, 8)
                body.head = torch.nn.Linear(8, 50, bias=False)  # a parameter of the wrapped model
                wrapped = torch.nn.parallel.DistributedDataParallel(body)  # its hooks live as long as it
                found = wrapped(hidden.detach())
                if fuse:
                    function.ChunkedLoss.apply(found, body.head.weight, targets, 20).backward()
                    wanted = F.cross_entropy(body(hidden) @ body.head.weight.T, targets)
                    wanted = torch.autograd.grad(wanted, body.head.weight)[0]
                    torch.testing.assert_close(body.head.weight.grad, wanted, rtol=1e-4, atol=1e-5)
                else:
                    with pytest.raises(RuntimeError, match="ready only once"):
                        main.backward_in_chunks(found, body.head.weight, targets, 20)
        finally:
            dist.destroy_process_group()

    def test_a_gradient_penalty_adds_nothing_and_raises_nothing(self):
        for seed in (1, 2):
            found = []
            for chunked in (True, False):
                hidden, weight, targets = inputs(seed=seed)
                plain = F.cross_entropy(hidden @ weight.T, targets)
                loss = function.ChunkedLoss.apply(hidden, weight, targets, 10) if chunked else plain
                (first,) = torch.autograd.grad(loss, hidden, create_graph=True)
                found += torch.autograd.grad(loss, weight, retain_graph=True)
                found += torch.autograd.grad(loss + 100 * first.square().sum(), weight)
            torch.testing.assert_close(found[0], found[1])
            assert relative(found[2], found[3].double()) > 0.1

    def test_losses_weighted_per_token_need_their_weights_in_forward(self):
        hidden, weight, targets = inputs()
        each, weights = F.cross_entropy(hidden @ weight.T, targets, reduction="none"), torch.rand(60)
        wanted = torch.autograd.grad((each * weights).sum(), weight, retain_graph=True)[0]
        factors = wanted / torch.autograd.grad(each.sum(), weight)[0]
        assert factors.std() > 0.05 * factors.mean().abs()  # no number times the stored gradient

    def test_rows_without_a_label_can_be_left_out_first(self):
        hidden, weight, targets = inputs()
        targets[::2] = -100
        keep, grads, flops = targets != -100, [], []
        for h, y in ((hidden, targets), (hidden[keep], targets[keep])):
            with FlopCounterMode(display=False) as count:
                grads.append(torch.autograd.grad(F.cross_entropy(h @ weight.T, y), (hidden, weight)))
            flops.append(count.get_total_flops())
        assert flops[0] == 2 * flops[1]
        for a, b in zip(*grads, strict=True):
            torch.testing.assert_close(a, b)


class TestWays:
    def test_all_ways_give_the_same_gradients(self, monkeypatch):
        for size in (16, 25):
            monkeypatch.setattr(ways, "SIZE", size)
            found = []
            for way in ways.WAYS.values():
                hidden, weight, targets = inputs()
                way(hidden, weight, targets)
                found.append((hidden.grad, weight.grad))
            for other in found[1:]:
                for a, b in zip(found[0], other, strict=True):
                    torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-4)

    @pytest.mark.parametrize(("words", "size"), [(4000, 40), (8000, 20)])
    def test_peaks_are_three_matrices_one_matrix_or_a_chunk(self, monkeypatch, words, size):
        monkeypatch.setattr(ways, "SIZE", size)
        peaks, flops = {}, {}
        for name, way in ways.WAYS.items():
            args = inputs(400, 16, words, torch.bfloat16)
            with ways.Live() as live, FlopCounterMode(display=False) as count:
                way(*args)
            peaks[name], flops[name] = live.peak / (400 * words * 4), count.get_total_flops() / (2 * 400 * 16 * words)
        assert 3 < peaks["whole"] == peaks["whole, checkpoint"] < 3.2
        assert 1 < peaks["chunks"] < 1.5
        assert peaks["chunks, checkpoint"] < 0.5 > peaks["chunks, backward at once"]
        assert [round(f, 3) for f in flops.values()] == [3, 4, 3, 4, 3]

    def test_a_float32_sum_takes_one_gib_more_than_backward_at_once(self):
        peaks = []
        for way in (ways.at_once, lambda h, w, y: function.ChunkedLoss.apply(h, w, y, ways.SIZE).backward()):
            with torch.device("meta"):
                both = (torch.empty(n, ways.WIDTH, dtype=torch.bfloat16) for n in (ways.TOKENS, ways.WORDS))
                args = *(z.requires_grad_() for z in both), torch.empty(ways.TOKENS, dtype=torch.int64)
            with ways.Live() as live:
                way(*args)
            peaks.append(live.peak / 2**30)
        assert peaks[1] - peaks[0] == pytest.approx(1, abs=0.05)

    def test_the_sizes_of_the_logits_and_of_what_stays(self):
        assert [round(ways.TOKENS * ways.WORDS * size / 2**30, 1) for size in (2, 4)] == [15.7, 31.3]
        both = 2 * (ways.TOKENS + ways.WORDS) * ways.WIDTH * 2  # hidden, weight, and their gradients
        assert 0.48 < both / 2**30 / 5.9 < 0.52

    def test_with_fewer_tokens_than_the_width_the_weights_gradient_is_larger_than_the_logits(self):
        for tokens, width in ((100, 128), (300, 256)):
            assert (torch.empty(9, width).nbytes > torch.empty(tokens, 9).nbytes) == (tokens < width)


class TestSums:
    def test_in_bfloat16_256_plus_1_is_256(self):
        assert torch.tensor(256.0).bfloat16() + 1 == 256
        assert torch.tensor(128.0).bfloat16() + 1 == 129

    def test_one_region_adds_in_bfloat16_although_weight_and_gradient_are_float32(self):
        hidden, weight, targets = off_center()
        exact = exact_gradient(hidden, weight, targets)
        for size, least, most in ((4096, 0, 0.005), (64, 0.005, 0.02), (8, 0.05, 0.3)):
            gradient = broken.gradient(hidden, weight, targets, size, cache=True)
            assert gradient.dtype == torch.float32
            assert least < relative(gradient, exact) < most
            assert relative(broken.gradient(hidden, weight, targets, size, cache=False), exact) < 0.005

    def test_a_bfloat16_weight_has_the_same_error_with_and_without_checkpoints(self):
        hidden, weight, targets = off_center()
        exact = exact_gradient(hidden.bfloat16(), weight.bfloat16(), targets)
        for part in (ways.loss_of, ways.again):
            leaf = weight.bfloat16().requires_grad_()
            pairs = zip(hidden.bfloat16().split(8), targets.split(8), strict=True)
            sum(part(h, leaf, y) for h, y in pairs).backward()
            assert 0.05 < relative(leaf.grad, exact) < 0.3


class TestOtherWays:
    @pytest.mark.parametrize("size", [13, 25])
    def test_over_the_vocabulary_a_running_maximum_and_sum_are_enough(self, size):
        hidden, weight, targets = inputs(dtype=torch.float64)
        top = torch.full((60,), -torch.inf, dtype=torch.double)
        total, hit = torch.zeros(60).double(), torch.zeros(60).double()
        for start in range(0, 50, size):
            logits = hidden @ weight[start : start + size].T
            new = torch.maximum(top, logits.amax(1))
            total, top = total * (top - new).exp() + (logits - new[:, None]).exp().sum(1), new
            inside = (targets >= start) & (targets < start + size)
            hit[inside] = logits[inside, targets[inside] - start]
        lse = top + total.log()
        torch.testing.assert_close((lse - hit).mean(), F.cross_entropy(hidden @ weight.T, targets))
        part = hidden @ weight[:size].T  # again in backward: probabilities at once
        torch.testing.assert_close((part - lse[:, None]).exp(), (hidden @ weight.T).softmax(1)[:, :size])

    @pytest.mark.parametrize("ranks", [2, 5])
    def test_ranks_with_parts_of_the_vocabulary_exchange_three_numbers_per_token(self, ranks):
        hidden, weight, targets = inputs(dtype=torch.float64)
        parts = [(hidden @ w.T).detach() for w in weight.chunk(ranks)]
        own = 50 // ranks
        top = torch.stack([p.amax(1) for p in parts]).amax(0)  # all-reduce 1
        total = sum((p - top[:, None]).exp().sum(1) for p in parts)  # all-reduce 2
        hits = []
        for rank, p in enumerate(parts):
            local = targets - rank * own
            inside = (local >= 0) & (local < own)
            hits.append(torch.where(inside, p.gather(1, local.clamp(0, own - 1)[:, None])[:, 0], 0.0))
        assert (torch.stack(hits) != 0).sum(0).max() == 1  # zero on all ranks but one
        lse, loss = top + total.log(), F.cross_entropy(hidden @ weight.T, targets)
        torch.testing.assert_close((lse - sum(hits)).mean(), loss)
        d_hidden, d_weight = torch.autograd.grad(loss, (hidden, weight))
        errors = [(p - lse[:, None]).exp() for p in parts]
        for rank, error in enumerate(errors):
            error -= F.one_hot(targets, 50)[:, rank * own : (rank + 1) * own]
        torch.testing.assert_close(torch.cat([e.T @ hidden for e in errors]) / 60, d_weight)
        partial = [e @ w for e, w in zip(errors, weight.chunk(ranks), strict=True)]
        torch.testing.assert_close(sum(partial) / 60, d_hidden)  # all-reduced

    @NEW
    def test_linear_cross_entropy_computes_gradients_in_forward_with_options_only(self):
        for given, early in ((None, False), (torch.nn.LinearCrossEntropyOptions(), True)):
            hidden, weight, targets = inputs(words=400)
            wanted = torch.autograd.grad(F.cross_entropy(hidden @ weight.T, targets), weight)[0]
            loss = F.linear_cross_entropy(hidden, weight, targets, options=given)
            hidden.data.zero_()  # autograd does not notice; what was computed before stays right
            assert torch.allclose(torch.autograd.grad(loss, weight)[0], wanted, atol=1e-5) == early

    @NEW
    def test_linear_cross_entropy_with_chunks_of_8_rows_has_the_error_and_by_default_not(self):
        hidden, weight, targets = (z.bfloat16() if z.is_floating_point() else z for z in off_center())
        exact = exact_gradient(hidden, weight, targets) / len(targets)
        for options, least, most in (({}, 0, 0.01), ({"batch_chunk_size": 8, "chunking_method": None}, 0.05, 0.3)):
            leaf = weight.clone().requires_grad_()
            given = torch.nn.LinearCrossEntropyOptions(**options)
            F.linear_cross_entropy(hidden.clone().requires_grad_(), leaf, targets, options=given).backward()
            assert least < relative(leaf.grad, exact) < most

    @NEW
    def test_linear_cross_entropy_with_label_smoothing_or_probabilities_warns_and_ignores_options(self):
        hidden, weight, targets = inputs()
        given = torch.nn.LinearCrossEntropyOptions()
        for y, smoothing in ((targets, 0.1), (F.one_hot(targets, 50).float(), 0.0)):
            with pytest.warns(UserWarning, match="ignored"):
                F.linear_cross_entropy(hidden, weight, y, label_smoothing=smoothing, options=given)
