"""The claims of docs/mid/modeling/stochastic-depth.md, proven beyond the examples shown."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from warmup.testing import load_snippet

DropPath = load_snippet("mid/modeling/stochastic_depth.py").DropPath
active_blocks = load_snippet("mid/modeling/stochastic_depth_count.py").active_blocks


class TestStochasticDepth:
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
    @pytest.mark.parametrize("size", [(64,), (64, 3), (64, 2, 5, 7), (1, 4), (0, 4)])
    def test_a_sample_is_dropped_whole_or_scaled(self, size, dtype):
        path, x = DropPath(0.75), torch.rand(size).add(1).to(dtype)
        y = path(x)
        assert y.shape == x.shape and y.dtype == dtype
        for before, after in zip(x, y, strict=True):
            assert torch.equal(after, before * 4) or (after == 0).all()

    @pytest.mark.parametrize("drop", [0.1, 0.5, 0.9])
    def test_expectation_is_the_input(self, drop):
        factors = DropPath(drop)(torch.ones(100_000, 1, dtype=torch.float64))
        error = (drop / (1 - drop) / 100_000) ** 0.5
        assert abs(factors.mean() - 1) < 5 * error
        assert factors.unique().tolist() == [0, pytest.approx(1 / (1 - drop))]

    def test_eval_mode_and_rate_zero_are_the_identity(self):
        x = torch.randn(5, 3)
        assert torch.equal(DropPath(0.9).eval()(x), x)
        assert torch.equal(DropPath(0.0)(x), x)

    @pytest.mark.parametrize("drop", [-0.1, 1.0, 2.0])
    def test_other_rates_raise(self, drop):
        with pytest.raises(ValueError, match=r"\[0, 1\)"):
            DropPath(drop)

    @pytest.mark.parametrize("drop", [0.2, 0.6])
    def test_agrees_with_torchs_dropout_of_whole_channels(self, drop):
        x = torch.randn(40, 7)
        torch.manual_seed(5)
        ours = DropPath(drop)(x)
        torch.manual_seed(5)
        theirs = F.dropout1d(x[None], drop, training=True)[0]
        torch.testing.assert_close(ours, theirs)

    def test_gradient_is_zero_from_dropped_samples_and_not_none(self):
        path, layer = DropPath(0.5), nn.Linear(3, 3)
        x = torch.randn(32, 3, requires_grad=True)
        factor = path(torch.ones(32, 1))
        (layer(x) * factor).sum().backward()
        assert ((x.grad == 0).all(dim=1) == (factor[:, 0] == 0)).all()
        layer.zero_grad()
        (layer(x) * torch.zeros(32, 1)).sum().backward()
        assert layer.weight.grad is not None and not layer.weight.grad.any()

    @pytest.mark.parametrize("make", [lambda p: torch.optim.SGD(p, 0.1, momentum=0.9), torch.optim.Adam])
    def test_earlier_steps_move_a_dropped_block_and_decay_moves_it_at_once(self, make):
        layer = nn.Linear(3, 3)
        optimizer = make(layer.parameters())
        for used in (1.0, 0.0):
            before = layer.weight.detach().clone()
            optimizer.zero_grad()
            (layer(torch.ones(4, 3)) * used).sum().backward()
            optimizer.step()
            assert not torch.equal(layer.weight, before)
        decay = torch.optim.AdamW(layer.parameters(), lr=0.1, weight_decay=0.5)
        before = layer.weight.detach().clone()
        optimizer.zero_grad()
        (layer(torch.ones(4, 3)) * 0).sum().backward()
        decay.step()
        torch.testing.assert_close(layer.weight, before * 0.95)

    @pytest.mark.parametrize("drops", [[0.5] * 6, [0.0, 0.3, 0.9], [0.1, 0.2, 0.3, 0.4]])
    def test_number_of_active_blocks(self, drops):
        drops = torch.tensor(drops, dtype=torch.float64)
        chance = active_blocks(drops)
        assert chance.sum() == pytest.approx(1)
        assert (chance * torch.arange(len(chance))).sum() == pytest.approx((1 - drops).sum().item())
        draws = (torch.rand(50_000, len(drops)).double() >= drops).sum(dim=1)
        drawn = torch.bincount(draws, minlength=len(chance)) / 50_000
        assert (drawn - chance).abs().max() < 0.02

    @pytest.mark.parametrize("drop", [0.3, 0.6])
    def test_a_third_of_the_seeds_miss_one_standard_error_and_none_of_these_misses_four(self, drop):
        torch.manual_seed(0)
        path, ones = DropPath(drop), torch.ones(1000, 1, dtype=torch.float64)
        factors = torch.stack([path(ones) for _ in range(500)])
        errors = (factors.mean(dim=1) - 1).abs() / (factors.std(dim=1) / 1000**0.5)
        assert 0.25 < (errors > 1).double().mean() < 0.4 and errors.max() < 4

    @pytest.mark.parametrize("norm", [nn.Identity(), nn.LayerNorm(3), nn.BatchNorm1d(3), nn.BatchNorm1d(3).eval()])
    def test_a_dropped_sample_has_a_gradient_only_through_batch_norm_in_train_mode(self, norm):
        branch = nn.Sequential(nn.Linear(3, 3), norm).double()
        x = torch.randn(6, 3, dtype=torch.float64, requires_grad=True)
        factor = torch.tensor([2.0, 2.0, 2.0, 2.0, 0.0, 0.0], dtype=torch.float64)[:, None]
        (branch(x) * factor).square().sum().backward()
        through_statistics = isinstance(norm, nn.BatchNorm1d) and norm.training
        assert bool(x.grad[4:].any()) is through_statistics and x.grad[:4].any()

    @pytest.mark.parametrize("kept", [[0, 2, 3], [5], []])
    def test_the_branch_can_be_called_with_the_kept_samples_alone(self, kept):
        branch, x = nn.Linear(3, 3).double(), torch.randn(6, 3, dtype=torch.float64)
        kept = torch.tensor(kept, dtype=torch.long)
        factor = torch.zeros(6, 1, dtype=torch.float64).index_fill(0, kept, 2.0)
        torch.testing.assert_close(x.index_add(0, kept, 2.0 * branch(x[kept])), x + factor * branch(x))

    def test_expectation_of_a_network_is_exact_only_if_it_is_linear(self):
        x, path = torch.full((200_000, 1), -0.5, dtype=torch.float64), DropPath(0.5)
        h = x + path(torch.full_like(x, 0.4))
        assert h.mean() == pytest.approx(-0.1, abs=0.01)
        assert h.relu().mean() == pytest.approx(0.15, abs=0.01)

    @pytest.mark.parametrize("rows", [6, 64])
    def test_running_the_kept_rows_alone_gives_the_numbers_of_the_mask(self, rows):
        torch.manual_seed(0)
        branch = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8))
        x, keep = torch.randn(rows, 8), 0.5
        mask = (torch.rand(rows) < keep).float()
        kept = mask.nonzero()[:, 0]
        masked = x + mask[:, None] * branch(x) / keep
        torch.testing.assert_close(x.index_add(0, kept, branch(x[kept]) / keep), masked)
