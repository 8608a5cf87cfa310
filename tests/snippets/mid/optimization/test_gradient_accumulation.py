"""What docs/mid/optimization/gradient-accumulation.md claims, proven beyond the example shown."""

import gc
import math

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.nn.utils import clip_grad_norm_
from torch.optim import SGD
from torch.utils.data import DataLoader

from warmup.testing import load_snippet

accumulation = load_snippet("mid/optimization/gradient_accumulation_step.py")
accumulation_layers = load_snippet("mid/optimization/gradient_accumulation_layers.py")
accumulation_leftover = load_snippet("mid/optimization/gradient_accumulation_leftover_broken.py")
accumulation_memory = load_snippet("mid/optimization/gradient_accumulation_memory.py")


def classified(model, optimizer, window, weight=None, **options):
    """A step with the cross-entropy of pairs, whose weight may be that of their classes."""

    def loss_sum(model, batch):
        return F.cross_entropy(model(batch[0]), batch[1], weight, reduction="sum")

    def weight_of(batch):
        labels = batch[1][batch[1] != -100]
        return len(labels) if weight is None else weight[labels].sum()

    return accumulation.accumulated_step(model, loss_sum, weight_of, optimizer, window, **options)


def of_rank(rank, folder, batches, wrapped):
    """What one of two processes has after three steps on its own windows: of sizes 7 and 2, and of 4."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/init", rank=rank, world_size=2)
    torch.manual_seed(0)
    model = nn.Linear(3, 2).double()
    replica = DistributedDataParallel(model)
    if wrapped:  # as torch.compile or a module of the user has it inside
        replica = nn.Sequential(replica)
    optimizer = torch.optim.SGD(replica.parameters(), lr=0.3)
    losses = [classified(replica, optimizer, batches[rank], max_norm=0.4) for _ in range(3)]
    torch.save((losses, model.weight.detach()), f"{folder}/{rank}.pt")
    del replica
    gc.collect()
    dist.destroy_process_group()


CUTS = [[20], [5] * 4, [8, 8, 4], [1] * 20, [19, 1]]


class TestGradientAccumulation:
    @pytest.mark.parametrize("ignored", [[], [3, 4, 5, 19], list(range(8, 16))])
    @pytest.mark.parametrize("weight", [None, torch.tensor([1.0, 0.1, 10.0])])
    @pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.AdamW])
    def test_every_cut_of_the_batch_trains_the_same_weights(self, ignored, weight, optimizer):
        generator = torch.Generator().manual_seed(0)
        x = torch.randn(20, 4, generator=generator, dtype=torch.float64)
        y = torch.randint(3, (20,), generator=generator)
        y[ignored] = -100
        weight = weight if weight is None else weight.double()
        trained = []
        for sizes in CUTS:
            torch.manual_seed(1)
            model = nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 3)).double()
            steps = optimizer(model.parameters(), lr=0.1)
            window = list(zip(x.split(sizes), y.split(sizes), strict=True))
            for _ in range(3):
                expected = F.cross_entropy(model(x), y, weight=weight).item()
                loss = classified(model, steps, window, weight, max_norm=0.5)
                assert loss == pytest.approx(expected)
            trained.append(nn.utils.parameters_to_vector(model.parameters()))
        for weights in trained[1:]:
            torch.testing.assert_close(weights, trained[0])

    def test_the_step_clears_old_gradients_and_clips_the_sum(self):
        model = nn.Linear(4, 3)
        for parameter in model.parameters():
            parameter.grad = torch.full_like(parameter, 1e6)
        window = [(100 * torch.randn(4, 4), torch.randint(3, (4,))) for _ in range(3)]
        before = nn.utils.parameters_to_vector(model.parameters()).clone()
        classified(model, torch.optim.SGD(model.parameters(), lr=1.0), window, max_norm=0.1)
        after = nn.utils.parameters_to_vector(model.parameters())
        assert (after - before).norm().item() == pytest.approx(0.1, rel=1e-3)

    @pytest.mark.parametrize("scale", [None, 1.0, 2.0**16])
    def test_the_norm_is_that_of_what_the_optimizer_holds_with_and_without_a_scaler(self, scale):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
        optimizer = torch.optim.SGD(model[2].parameters(), lr=1.0)
        scaler = None if scale is None else torch.amp.GradScaler("cpu", init_scale=scale)
        x, y = torch.randn(20, 4), torch.randint(3, (20,))
        window = list(zip(x.split(5), y.split(5), strict=True))
        for _ in range(3):  # the gradients of model[0] pile up
            before = nn.utils.parameters_to_vector(model[2].parameters()).clone()
            classified(model, optimizer, window, scaler=scaler, max_norm=1e-2)
            moved = nn.utils.parameters_to_vector(model[2].parameters()) - before
            assert moved.norm().item() == pytest.approx(1e-2, rel=1e-3)

    def test_a_scaler_skips_a_window_with_one_overflow_and_its_scale_falls_once(self):
        model, scaler = nn.Linear(4, 3), torch.amp.GradScaler("cpu", init_scale=64.0)
        before = model.weight.clone()
        optimizer = torch.optim.AdamW(model.parameters(), lr=1.0)
        window = [(torch.full((2, 4), value), torch.tensor([0, 1])) for value in (1.0, math.inf, 1.0)]
        classified(model, optimizer, window, scaler=scaler, max_norm=1.0)
        assert torch.equal(model.weight, before) and scaler.get_scale() == 32
        classified(model, optimizer, window[:1], scaler=scaler)
        assert not torch.equal(model.weight, before) and scaler.get_scale() == 32

    @pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
    def test_a_language_model_with_dicts_of_padded_tokens_steps_as_on_one_batch(self, dtype):
        torch.manual_seed(0)
        ids = torch.randint(1, 12, (11, 6))
        for row, length in enumerate([6, 1, 3, 2, 6, 5, 1, 1, 4, 6, 2]):
            ids[row, length:] = 0
        trained = []
        for size in (11, 4, 1):
            torch.manual_seed(1)
            model = nn.Sequential(nn.Embedding(12, 8), nn.LayerNorm(8), nn.Linear(8, 12)).to(dtype)
            optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)

            def loss_sum(model, batch):
                logits = model(batch["ids"][:, :-1]).flatten(0, 1)
                return F.cross_entropy(logits, batch["ids"][:, 1:].flatten(), ignore_index=0, reduction="sum")

            def tokens(batch):
                return (batch["ids"][:, 1:] != 0).sum()

            loader = DataLoader([{"ids": row} for row in ids], size)
            for window in accumulation.windows(loader, 11):
                loss = accumulation.accumulated_step(model, loss_sum, tokens, optimizer, window)
            trained.append((loss, nn.utils.parameters_to_vector(model.parameters()).float()))
        for loss, weights in trained[1:]:
            near = {torch.bfloat16: 0.05, torch.float32: 1e-5}.get(dtype, 1e-9)
            assert loss == pytest.approx(trained[0][0], rel=near)
            assert (weights - trained[0][1]).abs().max() < max(near, 1e-6)

    @pytest.mark.parametrize("wrapped", [False, True])
    def test_two_ranks_with_uneven_windows_take_the_step_of_one_batch(self, tmp_path, wrapped):
        x = torch.randn(13, 3, dtype=torch.float64)
        y = torch.randint(2, (13,))
        y[1] = y[12] = -100
        parts = list(zip(x.split([7, 2, 4]), y.split([7, 2, 4]), strict=True))
        batches = {0: parts[:2], 1: parts[2:]}
        mp.start_processes(of_rank, (tmp_path, batches, wrapped), 2, start_method="fork")
        torch.manual_seed(0)
        model = nn.Linear(3, 2).double()
        optimizer, losses = torch.optim.SGD(model.parameters(), lr=0.3), []
        for _ in range(3):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            clip_grad_norm_(model.parameters(), 0.4)
            optimizer.step()
            losses.append(loss.item())
        for rank in range(2):
            of_it, weight = torch.load(tmp_path / f"{rank}.pt")
            assert of_it == pytest.approx(losses, rel=1e-12)
            torch.testing.assert_close(weight, model.weight.detach())

    def test_a_double_model_gets_the_loss_and_the_step_of_one_batch_in_double_precision(self):
        torch.manual_seed(0)
        weight = torch.tensor([0.1, 0.7, 0.3], dtype=torch.float64)
        x, y = torch.randn(29, 4, dtype=torch.float64), torch.randint(3, (29,))
        model = nn.Linear(4, 3).double()
        expected = F.cross_entropy(model(x), y, weight)
        gradient = torch.autograd.grad(expected, model.weight)[0]
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        loss = classified(model, optimizer, list(zip(x.split(7), y.split(7), strict=True)), weight)
        assert loss == pytest.approx(expected.item(), rel=1e-12)
        torch.testing.assert_close(model.weight.grad, gradient, rtol=1e-12, atol=0)

    def test_a_window_without_labels_changes_nothing(self):
        model = nn.Linear(4, 3)
        before = model.weight.clone()
        window = [(torch.randn(2, 4), torch.full((2,), -100))]
        optimizer = torch.optim.AdamW(model.parameters(), lr=1.0)
        assert classified(model, optimizer, window) == 0.0
        assert torch.equal(model.weight, before)

    @pytest.mark.parametrize(
        ("count", "size", "lengths"), [(20, 8, [8, 8, 4]), (16, 8, [8, 8]), (3, 8, [3]), (0, 8, [])]
    )
    def test_windows_lose_no_micro_batch(self, count, size, lengths):
        found = list(accumulation.windows(range(count), size))
        assert [len(window) for window in found] == lengths
        assert sum(found, []) == list(range(count))

    @pytest.mark.parametrize(("batches", "window"), [(20, 8), (7, 3), (16, 8)])
    def test_a_leftover_window_leaks_is_lost_or_is_divided_by_too_much(self, batches, window):
        full, rest = divmod(batches, window)
        gradients = {
            fix: accumulation_leftover.gradients_of_steps(fix, batches, window)
            for fix in ("none", "clear per epoch", "step", "step, divide by rest")
        }
        flushed = [rest / window] * (rest > 0)
        assert gradients["none"][full] == pytest.approx(1 + rest / window)
        assert gradients["clear per epoch"] == pytest.approx([1.0] * 2 * full)
        assert gradients["step"] == pytest.approx(([1.0] * full + flushed) * 2)
        assert gradients["step, divide by rest"] == pytest.approx([1.0] * len(gradients["step"]))

    @pytest.mark.parametrize(("layers", "width"), [(6, 64), (3, 32)])
    def test_the_kept_activations_are_divided_by_the_number_of_micro_batches(self, layers, width):
        one = accumulation_memory.kept(1, layers, width)
        for micro_batches in (2, 4, 8):
            several = accumulation_memory.kept(micro_batches, layers, width)
            assert max(several) * micro_batches == max(one)
            assert several.count(0) == micro_batches + 1 and several[-1] == 0
        assert max(one) == 64 * width * 4 * (layers + 1)

    def test_batch_norm_in_training_differs_and_layers_per_sample_do_not(self):
        for layer in (nn.Tanh(), nn.GELU(), nn.LayerNorm(8), nn.GroupNorm(2, 8), nn.BatchNorm1d(8).eval()):
            assert accumulation_layers.difference(layer) < 1e-5
        for parts in (2, 4, 8):
            assert accumulation_layers.difference(nn.BatchNorm1d(8), parts) > 0.05

    def test_dropout_may_draw_other_masks(self):
        two = nn.Sequential(nn.Dropout(0.5), nn.Linear(8, 8), nn.Dropout(0.5))
        assert accumulation_layers.difference(two) > 0.05
        assert accumulation_layers.difference(two.eval()) < 1e-5

    def test_a_loss_that_mixes_samples_differs_and_its_gradient_can_be_divided_afterwards(self):
        def contrastive(x, y):
            return F.cross_entropy(F.normalize(x) @ F.normalize(y).T, torch.arange(len(x)))

        def relative(loss):
            torch.manual_seed(0)
            w, x, y = torch.randn(4, 5, requires_grad=True), torch.randn(32, 4), torch.randn(32, 5)
            loss(x @ w, y).backward()
            whole, w.grad = w.grad, None
            for xs, ys in zip(x.chunk(4), y.chunk(4), strict=True):
                loss(xs @ w, ys).backward()
            w.grad /= 4
            return (w.grad - whole).norm() / whole.norm()

        assert relative(F.mse_loss) < 1e-5 < 0.05 < relative(contrastive)

    @pytest.mark.parametrize(("parts", "share"), [(1, 0.1), (4, 0.3439)])
    def test_running_statistics_move_once_per_micro_batch(self, parts, share):
        layer, x = nn.BatchNorm1d(3), torch.randn(8, 3) + 5
        for _ in range(parts):
            layer(x)
        torch.testing.assert_close(layer.running_mean, share * x.mean(dim=0))

    def test_summing_the_losses_keeps_every_graph(self):
        def kept(sum_first):
            bytes_kept, peak = 0, 0

            def pack(tensor):
                nonlocal bytes_kept, peak
                bytes_kept += tensor.nbytes
                peak = max(peak, bytes_kept)
                return tensor

            def unpack(tensor):
                nonlocal bytes_kept
                bytes_kept -= tensor.nbytes
                return tensor

            w, losses = nn.Parameter(torch.ones(8)), []
            with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
                for x in torch.randn(4, 16, 8):
                    loss = (x * w).tanh().sum()
                    losses.append(loss) if sum_first else loss.backward()
                if sum_first:
                    sum(losses).backward()
            return peak

        assert kept(True) == 4 * kept(False)

    def test_without_the_division_sgd_steps_four_times_as_far_and_adam_as_far(self):
        for make, factor in ((torch.optim.SGD, 4.0), (torch.optim.Adam, 1.0), (torch.optim.AdamW, 1.0)):
            moved = []
            for divide in (4, 1):
                w = nn.Parameter(torch.tensor([1.0, -2.0]))
                optimizer = make([w], lr=0.01)
                before = w.detach().clone()
                for _ in range(5):
                    optimizer.zero_grad()
                    for g in ((1.0, 2.0), (0.5, 1.0), (2.0, 3.0), (1.0, 1.0)):
                        ((w * torch.tensor(g)).sum() / divide).backward()
                    optimizer.step()
                moved.append(w.detach() - before)
            torch.testing.assert_close(moved[1], factor * moved[0], rtol=1e-4, atol=0)

    @pytest.mark.parametrize("scale", [4.0, 1024.0])
    @pytest.mark.parametrize("parts", [2, 5])
    def test_the_loss_of_every_micro_batch_is_scaled_and_the_rest_comes_once(self, scale, parts):
        x = torch.randn(20, 3, generator=torch.Generator().manual_seed(0))

        def trained(scaled_parts: range) -> torch.Tensor:
            w = torch.ones(3, requires_grad=True)
            optimizer = SGD([w], lr=0.1)
            scaler = torch.amp.GradScaler("cpu", init_scale=scale)
            for k, part in enumerate(x.chunk(parts)):
                loss = (part @ w).square().mean() / parts
                (scaler.scale(loss) if k in scaled_parts else loss).backward()
            scaler.unscale_(optimizer)
            clip_grad_norm_([w], 1.0)
            scaler.step(optimizer)
            scaler.update()
            return w.detach()

        w = torch.ones(3, requires_grad=True)
        (x @ w).square().mean().backward()
        clip_grad_norm_([w], 1.0)
        expected = (w - 0.1 * w.grad).detach()
        torch.testing.assert_close(trained(range(parts)), expected)
        assert (trained(range(parts - 1, parts)) - expected).abs().max() > 1e-3

    def test_clipping_after_each_micro_batch_turns_the_step(self):
        for every, expected in ((False, [0.6, 0.8]), (True, [0.2425, 0.9701])):
            w = nn.Parameter(torch.zeros(2))
            for g in ((6.0, 0.0), (0.0, 8.0)):
                ((w * torch.tensor(g)).sum() / 2).backward()
                if every:
                    clip_grad_norm_([w], 1.0)
            clip_grad_norm_([w], 1.0)
            torch.testing.assert_close(w.grad, torch.tensor(expected), atol=1e-4, rtol=0)

    def test_a_bfloat16_gradient_stops_growing_and_a_float32_one_under_autocast_does_not(self):
        for dtype, total in ((torch.bfloat16, 256.0), (torch.float32, 300.0)):
            w = nn.Parameter(torch.zeros(1, 1, dtype=dtype))
            for _ in range(300):
                with torch.autocast("cpu", dtype=torch.bfloat16, enabled=dtype == torch.float32):
                    loss = F.linear(torch.ones(1, 1, dtype=dtype), w)
                loss.sum().backward()
            assert w.grad.dtype == dtype and w.grad.item() == total
