"""Every claim that docs/mid/training-dynamics/information-bottleneck.md makes, proven beyond the example shown."""

import functools
import math

import pytest
import torch

from warmup.testing import load_snippet

training = load_snippet("mid/training-dynamics/information_bottleneck_training.py")


@functools.cache
def runs(name: str) -> tuple:
    """The trained networks and their curves, one training for all tests."""
    act, gain = (torch.tanh, 1.0) if name == "tanh" else (torch.relu, 2**0.5)
    run, accuracy = training.train(act, gain)
    low, top = (-1.0, 1.0) if name == "tanh" else (0.0, max(h.max().item() for h in run.values()))
    return run, accuracy, training.curves(run, low, top)


def inputs(n: int = 1024) -> torch.Tensor:
    return (torch.arange(n, dtype=torch.float64) + 0.5) * 2 / n - 1


def bits(values: torch.Tensor) -> float:
    return training.bits(values.reshape(len(values), -1))


BINNED = ["4 fixed bins", "30 fixed bins", "200 fixed bins", "30 scaled bins"]


class TestInformationBottleneck:
    @pytest.mark.parametrize("n", [256, 1024])
    def test_the_exact_value_of_one_unit_does_not_depend_on_its_weight(self, n):
        for w in (0.1, 1.0, 10.0):
            assert bits(torch.tanh(w * inputs(n))) == pytest.approx(math.log2(n))
            assert bits(torch.relu(w * inputs(n))) == pytest.approx(0.5 + math.log2(n) / 2)

    @pytest.mark.parametrize("bins", [4, 30, 200])
    def test_with_fixed_bins_a_unit_of_tanh_falls_and_one_of_relu_rises(self, bins):
        tanh = [bits(training.binned(torch.tanh(w * inputs()), -1, 1, bins)) for w in (0.1, 1, 10)]
        relu = [bits(training.binned(torch.relu(w * inputs()), 0, 10, bins)) for w in (0.1, 1, 10)]
        assert tanh[0] < tanh[1] > tanh[2]
        assert relu[0] < relu[2]
        assert relu == sorted(relu)
        scaled = [bits(training.binned(torch.relu(w * inputs()), 0, w, bins)) for w in (0.1, 1, 10)]
        assert scaled == pytest.approx([scaled[0]] * 3)

    def test_rounding_loses_information_of_a_very_large_weight(self):
        assert bits(torch.tanh(100 * inputs())) < 9

    def test_both_kinds_of_network_learn_the_labels(self):
        assert runs("tanh")[1] > 0.99
        assert runs("ReLU")[1] > 0.95

    @pytest.mark.parametrize("estimate", BINNED)
    def test_each_binned_estimate_of_tanh_falls_in_all_seeds(self, estimate):
        curve = runs("tanh")[2][estimate]
        assert (curve[-1] < curve[0] - 1).all()
        assert (curve.mean(dim=1).diff() < 0).all()

    @pytest.mark.parametrize("estimate", BINNED[:3])
    def test_each_estimate_of_relu_with_fixed_bins_rises_in_all_seeds(self, estimate):
        curve = runs("ReLU")[2][estimate]
        assert (curve[-1] > curve[0] + 0.1).all()

    @pytest.mark.parametrize("estimate", ["30 scaled bins", "exact values"])
    def test_with_scaled_or_without_bins_relu_falls_in_some_seeds_and_not_in_most(self, estimate):
        curve = runs("ReLU")[2][estimate]
        assert 1 <= (curve[-1] < curve[0] - 0.05).sum() <= 3
        fixed = runs("ReLU")[2]["30 fixed bins"]
        assert (curve[-1] - curve[0]).mean() < (fixed[-1] - fixed[0]).mean()

    def test_a_relu_layer_that_lost_information_maps_inputs_to_equal_vectors(self):
        run, _, found = runs("ReLU")
        seed = found["exact values"][-1].argmin()
        layer = run[320][seed]
        shared, back, count = torch.unique(layer, dim=0, return_inverse=True, return_counts=True)
        assert len(shared) < 200
        assert (layer[count[back] > 1] == 0).any(dim=1).all()

    def test_the_tanh_layer_saturates_and_all_its_vectors_differ(self):
        run = runs("tanh")[0]
        assert (run[0].abs() > 0.95).double().mean() < 0.2
        assert (run[320].abs() > 0.95).double().mean() > 0.8
        for layer in run[320]:
            table = {tuple(row.tolist()): i for i, row in enumerate(layer)}
            assert [table[tuple(row.tolist())] for row in layer] == list(range(256))

    @pytest.mark.parametrize(
        ("gain", "marks", "expected"),
        [(1.0, (15, 26, 40), (6.8, 7.2, 6.1)), (0.3, (0, 1, 9, 80), (2.7, 2.2, 5.6, 1.8))],
    )
    def test_the_mean_with_30_fixed_bins_of_tanh_also_rises_between_steps(self, monkeypatch, gain, marks, expected):
        monkeypatch.setattr(training, "MARKS", marks)
        means = training.curves(training.train(torch.tanh, gain)[0], -1.0, 1.0)["30 fixed bins"].mean(dim=1)
        assert means.tolist() == pytest.approx(expected, abs=0.06)

    def test_with_smaller_initial_weights_the_mean_with_scaled_bins_falls_at_once(self, monkeypatch):
        monkeypatch.setattr(training, "MARKS", tuple(range(21)))
        means = training.curves(training.train(torch.tanh, 0.3)[0], -1.0, 1.0)["30 scaled bins"].mean(dim=1)
        assert (means.diff()[:15] < 0).all()
        assert (means[0].item(), means[-1].item()) == pytest.approx((7.8, 4.7), abs=0.06)

    def test_the_exact_information_about_the_label_of_tanh_is_constant_and_the_binned_one_rises(self):
        _, y = training.data()

        def about_label(codes: torch.Tensor) -> float:
            both = torch.cat([codes, y.unsqueeze(1)], dim=1)
            return training.bits(y.unsqueeze(1)) + training.bits(codes) - training.bits(both)

        layers = runs("tanh")[0].values()
        exact = [about_label(h) for layer in layers for h in layer]
        assert exact == pytest.approx([1.0] * 56)
        means = [sum(about_label(training.binned(h, -1, 1, 4)) for h in layer) / 8 for layer in layers]
        assert means == pytest.approx(sorted(means))
        assert (round(means[0], 2), round(means[-1], 2)) == (0.11, 1.0)

    @pytest.mark.parametrize(("dtype", "w", "expected"), [(torch.float32, 10, 8.88), (torch.float64, 10, 10)])
    def test_rounding_in_float32_merges_values_of_tanh(self, dtype, w, expected):
        assert bits(torch.tanh(w * inputs().to(dtype))) == pytest.approx(expected, abs=0.005)

    @pytest.mark.parametrize("seed", [1, 2])
    @pytest.mark.parametrize("bins", [4, 30])
    def test_bins_that_are_scaled_for_each_unit_follow_each_factor(self, seed, bins):
        torch.manual_seed(seed)
        h = torch.relu(training.data()[0] @ torch.randn(8, 3).double())
        found = []
        for factors in ([1, 1, 1], [16, 16, 16], [1 / 16, 1 / 16, 1 / 16], [16, 1, 1 / 16]):
            scaled = h * torch.tensor(factors, dtype=torch.float64)
            found.append(bits((scaled / scaled.amax(0) * bins).floor().clamp(max=bins - 1)))
        assert found == [found[0]] * 4
        other = (h / h.amax(0) * 3).floor().clamp(max=2)
        assert bits(other) < found[0]

    @pytest.mark.parametrize("seed", [1, 2])
    @pytest.mark.parametrize("units", [3, 5])
    def test_rescaled_units_compute_the_same_function_with_another_estimate(self, seed, units):
        torch.manual_seed(seed)
        x, _ = training.data()
        first, last = torch.randn(8, units).double(), torch.randn(units, 1).double()
        found = {}
        for name, c in {
            "one": torch.ones(units),
            "all": torch.full((units,), 16.0),
            "small": torch.full((units,), 1 / 64),
            "each": 2.0 ** torch.linspace(4, -4, units).round(),
        }.items():
            h = torch.relu(x @ (first * c))
            torch.testing.assert_close(h @ (last / c.double().unsqueeze(1)), torch.relu(x @ first) @ last)
            found[name] = [bits(h.floor()), bits(training.binned(h, 0, h.max().item(), 30)), bits(h)]
        fixed, scaled, exact = zip(*found.values(), strict=True)
        assert fixed[1] > fixed[0] + 1 > fixed[2] + 1
        assert fixed[2] == 0
        assert scaled[:3] == pytest.approx([scaled[0]] * 3)
        assert scaled[3] < scaled[0] - 0.5
        assert exact[:3] == pytest.approx([exact[0]] * 3)

    def test_values_at_both_ends_and_equal_values_are_in_a_bin(self):
        t = torch.tensor([[-1.0], [0.0], [1.0]])
        assert training.binned(t, -1, 1, 4).flatten().tolist() == [0, 2, 3]
        assert training.binned(torch.tensor([-9.0, 9.0]), -1, 1, 4).tolist() == [0, 3]
        assert training.binned(torch.full((5, 2), 3.0), 3, 3, 30).unique().tolist() == [0]
        assert training.bits(torch.zeros(5, 2)) == 0

    def test_bits_is_the_entropy_of_rows(self):
        assert training.bits(torch.tensor([[0, 0], [0, 1], [1, 0], [1, 0]])) == pytest.approx(1.5)

    def test_the_labels_are_balanced(self):
        x, y = training.data()
        assert (x.shape, y.mean().item(), len(x.unique(dim=0))) == ((256, 8), 0.5, 256)

    @pytest.mark.parametrize("std", [0.05, 0.2])
    def test_with_noise_tanh_rises_and_falls_and_relu_follows_the_size_of_the_noise(self, std):
        def information(values: torch.Tensor, std: float) -> float:
            grid = torch.arange(values.min() - 7 * std, values.max() + 7 * std, std / 3, dtype=torch.float64)
            density = torch.exp(-(((grid.unsqueeze(1) - values) / std) ** 2) / 2).mean(dim=1) / (
                std * math.sqrt(2 * math.pi)
            )
            entropy = -torch.special.xlogy(density, density).sum().item() * std / 3
            return (entropy - math.log(std * math.sqrt(2 * math.pi * math.e))) / math.log(2)

        x = inputs(256)
        tanh = [information(torch.tanh(w * x), std) for w in (0.1, 2, 30)]
        assert tanh[0] + 0.2 < tanh[1] > tanh[2] + 0.2
        relu = [information(torch.relu(w * x), std) for w in (0.1, 1, 10)]
        assert relu[0] < relu[1] < relu[2]
        scaled = [information(torch.relu(w * x), std * w) for w in (0.1, 1, 10)]
        assert scaled == pytest.approx([scaled[0]] * 3, abs=1e-3)
