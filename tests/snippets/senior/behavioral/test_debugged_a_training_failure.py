"""What docs/senior/behavioral/debugged-a-training-failure.md claims, proven beyond the example shown."""

import copy
import math
import warnings

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from warmup.testing import load_snippet

failure = load_snippet("senior/behavioral/debugged_a_training_failure.py")


def first_meeting(seed, batch):
    """The first step whose batch has both records of item 100, without any training."""
    job = failure.Job(seed, batch=batch)
    step = 1
    while not {100, 300} <= set(job.rows()):
        step += 1
    return step


def dies(job, steps=300):
    """Log, first step with a NaN in the gradient, first step with a NaN in the loss."""
    log = job.run(steps)
    return log, failure.first_nan(log, failure.GRADIENT), failure.first_nan(log, failure.LOSS)


class TestDebuggedATrainingFailureStep:
    @pytest.mark.parametrize(("seed", "lr", "batch"), [(2, 0.3, 64), (2, 1e-4, 64), (4, 0.03, 32)])
    def test_the_gradient_is_nan_when_the_two_records_meet_whatever_the_rate(self, seed, lr, batch):
        log, gradient, loss = dies(failure.Job(seed, lr, batch))
        assert gradient == first_meeting(seed, batch) < loss
        assert math.isfinite(log[gradient - 1][1])

    @pytest.mark.parametrize("seed", [0, 3])
    def test_the_nan_is_seen_when_the_item_is_drawn_again_and_nothing_shows_it_between(self, seed):
        log, gradient, loss = dies(failure.Job(seed))
        between = log[gradient : loss - 1]
        assert between and all(math.isfinite(step[1]) and math.isfinite(step[2]) for step in between)
        assert not any({100, 300} & set(step[0]) for step in between)
        assert len({100, 300} & set(log[loss - 1][0])) == 1  # the batch that shows it has no pair

    def test_one_row_of_the_table_is_nan_after_the_bad_step(self):
        job = failure.Job(seed=0)
        job.run(18)
        bad = job.model.weight.isnan()
        assert bad.any(dim=1).nonzero().flatten().tolist() == [100]

    @pytest.mark.parametrize("batch", [32, 64, 128])
    def test_the_pair_meets_in_that_share_of_the_epochs(self, batch):
        generator = torch.Generator().manual_seed(0)
        epochs = 4000
        place = torch.rand(epochs, 512, generator=generator).argsort(dim=1)
        share = (place[:, 0] // batch == place[:, 1] // batch).float().mean().item()
        expected = (batch - 1) / 511
        assert share == pytest.approx(expected, abs=4 * math.sqrt(expected / epochs))

    @pytest.mark.parametrize("seed", [0, 5])
    def test_with_pdist_or_without_the_duplicate_nothing_is_nan(self, seed, monkeypatch):
        steps = first_meeting(seed, 64) + 10
        log = failure.Job(seed, distances=F.pdist).run(steps)
        assert all(math.isfinite(number) for step in log for number in step[1:])
        monkeypatch.setattr(failure, "ITEMS", torch.arange(512))
        log = failure.Job(seed).run(steps)
        assert all(math.isfinite(number) for step in log for number in step[1:])

    def test_with_clipping_the_next_loss_is_nan_because_every_gradient_is(self):
        job = failure.Job(seed=0)
        log = job.run(17)
        job.backward(job.rows())
        nn.utils.clip_grad_norm_(job.model.parameters(), 1.0)
        assert len(log) == 17 and job.model.weight.grad.isnan().all()
        job.optimizer.step()
        assert math.isnan(job.run(1)[0][1])

    @pytest.mark.parametrize("seed", [0, 1])
    def test_with_a_shared_layer_the_next_loss_is_nan(self, seed):
        torch.manual_seed(seed)
        model = nn.Sequential(nn.Embedding(50, 8), nn.Tanh())
        scale = nn.Parameter(torch.ones(8))  # shared, and no matrix product that could round two rows differently
        optimizer = torch.optim.AdamW([*model.parameters(), scale], lr=0.01)
        losses = []
        for items in (torch.tensor([1, 2, 1]), torch.tensor([3, 4, 5])):
            loss = failure.contrastive(failure.by_hand(model(items) * scale), items % 4)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        assert math.isfinite(losses[0]) and math.isnan(losses[1])

    def test_the_scaler_skips_the_step_and_halves_the_scale_and_the_pair_fails_at_any_scale(self):
        scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
        for scale in (1024.0, 512.0, 256.0):
            job = failure.Job(seed=0)
            before = copy.deepcopy(job.model.weight.data)
            items = failure.ITEMS[[100, 300]]
            loss = failure.contrastive(job.distances(job.model(items)), items % 8)
            assert scaler.get_scale() == scale
            scaler.scale(loss).backward()
            scaler.step(job.optimizer)
            scaler.update()
            assert torch.equal(before, job.model.weight)
        assert scaler.get_scale() == 128.0

    def test_a_pair_that_meets_every_65_steps_halves_the_scale_each_time(self):
        scaler = torch.amp.GradScaler("cpu", init_scale=65536.0)
        weight = nn.Parameter(torch.ones(1))
        optimizer = torch.optim.SGD([weight], lr=0.0)
        for step in range(1300):
            optimizer.zero_grad()
            scaler.scale((weight * (math.nan if step % 65 == 0 else 1.0)).sum()).backward()
            scaler.step(optimizer)
            scaler.update()
        assert scaler.get_scale() == 65536 / 2**20 == 0.0625 and scaler.get_growth_interval() == 2000


class TestDebuggedATrainingFailureSearch:
    @pytest.mark.parametrize(("guilty", "size"), [({3}, 16), ({3, 40}, 64), ({0, 1, 31}, 32)])
    def test_leaving_out_rows_ends_with_the_rows_that_the_failure_needs(self, guilty, size):
        tried = []

        def fails(rows):
            tried.append(rows)
            return guilty <= set(rows)

        found = failure.needed(list(range(size)), fails)
        assert set(found) == guilty and len(tried) == size

    def test_halving_finds_one_bad_row_of_64_in_six_runs(self):
        for bad in range(64):
            rows, runs = list(range(64)), 0
            while len(rows) > 1:
                half = rows[: len(rows) // 2]
                runs += 1
                rows = half if bad in half else rows[len(rows) // 2 :]
            assert rows == [bad] and runs == 6

    @pytest.mark.parametrize("seed", [0, 1])
    def test_both_halves_pass_if_the_pair_is_split(self, seed):
        job = failure.Job(seed)
        rows = [100, *range(10), 300, *range(20, 30)]
        norms = [job.backward(part)[1] for part in (rows, rows[:11], rows[11:])]
        assert [math.isnan(norm) for norm in norms] == [True, False, False]

    @pytest.mark.parametrize(("same", "name"), [(True, "SqrtBackward0"), (False, "PowBackward0")])
    def test_anomaly_mode_names_the_root_for_one_class_and_the_square_for_two(self, same, name):
        z = torch.ones(2, 5, requires_grad=True)
        y = torch.tensor([0, 0 if same else 1])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with torch.autograd.set_detect_anomaly(True), pytest.raises(RuntimeError, match=name):
                failure.contrastive(failure.by_hand(z), y).backward()

    def test_dropout_makes_equal_rows_differ(self):
        torch.manual_seed(0)
        z = F.dropout(torch.ones(2, 64, requires_grad=True), 0.5)
        failure.by_hand(z).square().sum().backward()
        assert failure.by_hand(z).item() > 0


class TestDebuggedATrainingFailureGradient:
    @pytest.mark.parametrize("margin", [0, 1])
    @pytest.mark.parametrize(
        ("distance", "finite"),
        [
            (failure.by_hand, False),
            (lambda z: failure.by_hand(z).clamp(min=1e-6), False),
            (lambda z: ((z[0] - z[1]).square().sum() + 1e-12).sqrt(), True),
            (F.pdist, True),
            (lambda z: torch.cdist(z[:1], z[1:]), True),
            (lambda z: torch.linalg.vector_norm(z[0] - z[1]), True),
        ],
    )
    def test_the_gradient_of_two_equal_rows(self, distance, finite, margin):
        z = torch.full((2, 4), 0.3, requires_grad=True)
        (margin - distance(z)).square().sum().backward()
        assert z.grad.isfinite().all().item() is finite
        if finite:
            assert z.grad.abs().max() == 0

    @pytest.mark.parametrize(("dtype", "finite"), [(torch.float16, False), (torch.bfloat16, True)])
    def test_in_float16_1e_12_inside_the_root_is_zero(self, dtype, finite):
        z = torch.ones(2, 3, dtype=dtype, requires_grad=True)
        (1 - ((z[0] - z[1]).square().sum() + 1e-12).sqrt()).square().backward()
        assert z.grad.isfinite().all().item() is finite

    @pytest.mark.parametrize("rows", [3, 20])
    def test_pdist_is_the_distance_by_hand_in_value_and_gradient(self, rows):
        torch.manual_seed(0)
        z = torch.randn(rows, 5, dtype=torch.float64, requires_grad=True)
        y = torch.arange(rows) % 3
        gradients = [torch.autograd.grad(failure.contrastive(f(z), y), z)[0] for f in (F.pdist, failure.by_hand)]
        assert torch.allclose(F.pdist(z), failure.by_hand(z))
        assert torch.allclose(*gradients)
