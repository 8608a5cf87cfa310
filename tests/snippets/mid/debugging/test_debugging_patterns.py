"""What docs/mid/debugging/debugging-patterns.md claims, proven beyond the example shown."""

import copy
import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from warmup.testing import load_snippet

patterns = load_snippet("mid/debugging/debugging_patterns_curves.py")
patterns_reaches = load_snippet("mid/debugging/debugging_patterns_reaches.py")
patterns_trace = load_snippet("mid/debugging/debugging_patterns_trace.py")


class TestDebuggingPatterns:
    @pytest.mark.parametrize(
        ("fault", "all_data", "one_batch"),
        [("none", True, True), ("A", False, True), ("B", False, True), ("C", False, False)],
    )
    def test_one_batch_separates_a_copied_optimizer_from_shuffled_labels_and_mixed_samples(
        self, fault, all_data, one_batch
    ):
        for one, falls in ((False, all_data), (True, one_batch)):
            last = sum(patterns.losses(fault, one, seed=1)[-50:]) / 50
            assert last < 0.1 if falls else 0.6 < last < 0.8

    def test_the_mixing_model_reads_other_samples_and_the_others_do_not(self):
        x = torch.randn(8, 4, 5)
        assert patterns_reaches.reaches(patterns.Net("none"), x, sample=3) == [3]
        assert patterns_reaches.reaches(patterns.Net("A"), x, sample=3) == [3]
        assert patterns_reaches.reaches(patterns.Net("B"), x, sample=0) == [0, 1, 2, 3]

    def test_the_mixed_output_has_the_right_shape(self):
        x = torch.randn(8, 4, 5)
        assert patterns.Net("B")(x).shape == patterns.Net("none")(x).shape == (8, 2)

    def test_batch_norm_mixes_in_train_mode_only(self):
        model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Tanh(), nn.Linear(4, 1))
        x = torch.randn(5, 3, generator=torch.Generator().manual_seed(0))
        assert patterns_reaches.reaches(model, x, sample=2) == [0, 1, 2, 3, 4]
        assert patterns_reaches.reaches(model.eval(), x, sample=2) == [2]

    def test_a_forgotten_batch_first_shows_on_the_last_sample_and_not_on_the_first(self):
        class Last(nn.Module):
            def __init__(self):
                super().__init__()
                self.lstm = nn.LSTM(5, 8)

            def forward(self, x):
                return self.lstm(x)[0][:, -1]

        x = torch.randn(6, 4, 5)
        assert patterns_reaches.reaches(Last(), x, sample=0) == [0]
        assert patterns_reaches.reaches(Last(), x) == [0, 1, 2, 3, 4, 5]

    def test_the_gradient_check_misses_a_dependency_behind_a_relu_that_is_off(self):
        class Mix(nn.Module):
            def forward(self, x):
                return x + F.relu(x.flip(0) - 10)

        assert patterns_reaches.reaches(Mix(), torch.zeros(4, 2), sample=0) == [0]
        assert patterns_reaches.reaches(Mix(), torch.full((4, 2), 20.0), sample=0) == [0, 3]

    def test_the_gradient_check_refuses_an_output_of_another_length(self):
        with pytest.raises(ValueError, match="4 samples in, 8 out"):
            patterns_reaches.reaches(nn.Flatten(0), torch.zeros(4, 2))

    @pytest.mark.parametrize("classes", [2, 10, 100])
    def test_the_first_loss_is_near_log_c_for_any_labels_and_far_above_for_large_inputs(self, classes):
        generator = torch.Generator().manual_seed(0)
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, classes))
        pixels = torch.randint(256, (512, 64), generator=generator).float()
        for labels in (torch.randint(classes, (512,), generator=generator), torch.zeros(512).long()):
            assert F.cross_entropy(net(pixels / 255), labels).item() == pytest.approx(math.log(classes), abs=0.2)
            softmax = net(pixels / 255).softmax(dim=1)
            assert F.cross_entropy(softmax, labels).item() == pytest.approx(math.log(classes), abs=0.2)
        labels = torch.randint(classes, (512,), generator=generator)
        assert F.cross_entropy(net(pixels), labels).item() > 2 * math.log(classes)

    @pytest.mark.parametrize("negatives", [9, 99])
    def test_pos_weight_nearly_doubles_the_first_loss_and_class_weights_do_not(self, negatives):
        y = torch.zeros(10 * (negatives + 1))
        y[:10] = 1
        weighted = F.binary_cross_entropy_with_logits(0 * y, y, pos_weight=torch.tensor(float(negatives)))
        assert weighted.item() == pytest.approx(2 * negatives / (negatives + 1) * math.log(2), rel=1e-4)
        by_class = F.cross_entropy(torch.zeros(len(y), 2), y.long(), weight=torch.tensor([1.0, float(negatives)]))
        assert by_class.item() == pytest.approx(math.log(2), rel=1e-4)

    def test_equal_inputs_with_different_labels_cannot_be_fitted(self):
        logits = nn.Parameter(torch.zeros(1, 2))
        optimizer = torch.optim.Adam([logits], lr=0.1)
        for _ in range(100):
            loss = F.cross_entropy(logits.expand(2, 2), torch.tensor([0, 1]))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        assert loss.item() == pytest.approx(math.log(2), abs=1e-4)

    def test_the_trace_names_the_layer_of_the_first_value_that_is_not_finite(self):
        model = nn.Sequential(nn.Sequential(nn.Linear(4, 4), patterns_trace.Log()), nn.ReLU(), nn.Linear(4, 1))
        rows = patterns_trace.trace(model, torch.full((2, 4), 1e30) * torch.tensor([1.0, -1.0, 1.0, -1.0]))
        assert [row[0] for row in rows] == ["0.0", "0.1", "0", "1", "2", "model"]
        assert [row[0] for row in rows if not row[3]][0] == "0.1"
        assert [row[1:3] for row in rows][3] == ("ReLU", (2, 4))

    @pytest.mark.parametrize("function", [torch.log, torch.sqrt])
    def test_the_trace_names_the_next_module_if_code_between_two_modules_made_the_value(self, function):
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

            def forward(self, x):
                return self.b(function(-self.a(x).square() - 1))

        rows = patterns_trace.trace(Net(), torch.randn(8, 4))
        assert [(row[0], row[3]) for row in rows] == [("a", True), ("b", False), ("model", False)]

    @pytest.mark.parametrize("model", [nn.ReLU(inplace=True), nn.Tanh()])
    @pytest.mark.parametrize("shape", [(5,), (5, 4), (5, 4, 3)])
    def test_the_gradient_check_takes_one_number_per_sample_and_a_first_layer_in_place(self, model, shape):
        assert patterns_reaches.reaches(model, torch.rand(shape) + 0.1, sample=2) == [2]

    @pytest.mark.parametrize(("between", "fits"), [(nn.Identity(), False), (nn.ReLU(), True)])
    def test_a_network_without_nonlinear_layers_does_not_memorize_any_labels(self, between, fits):
        torch.manual_seed(0)
        x, y = torch.randn(32, 2), torch.arange(32) % 2
        model = nn.Sequential(nn.Linear(2, 200), between, nn.Linear(200, 200), between, nn.Linear(200, 2))
        optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
        for _ in range(600):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        assert loss.item() < 0.15 if fits else loss.item() > 0.5

    @pytest.mark.parametrize("training", [True, False])
    def test_a_trace_in_train_mode_leaves_nan_in_the_running_statistics(self, training):
        model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4)).train(training)
        patterns_trace.trace(copy.deepcopy(model), torch.full((8, 4), torch.nan))
        assert model[1].running_mean.isfinite().all()
        patterns_trace.trace(model, torch.full((8, 4), torch.nan))
        assert model[1].running_mean.isnan().any().item() is training

    def test_the_trace_sees_tuples_and_functions_in_a_forward(self):
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.lstm, self.attention = nn.LSTM(4, 4), nn.MultiheadAttention(4, 2)

            def forward(self, x):
                h, _ = self.lstm(x)
                return self.attention(h, h, h, need_weights=False)[0].abs().neg().log()

        rows = patterns_trace.trace(Net(), torch.randn(3, 2, 4))
        assert [row[0] for row in rows if row[3]] == ["lstm", "attention"]
        assert [row for row in rows if not row[3]] == [("model", "Net", (3, 2, 4), False)]

    @pytest.mark.parametrize("last", [nn.Softmax(dim=-1), nn.LogSoftmax(dim=-1), nn.LayerNorm(4), nn.Identity()])
    def test_the_gradient_check_sees_mixing_before_a_softmax(self, last):
        class Mix(nn.Module):
            def forward(self, x):
                return last(x + x.flip(0))

        x = torch.randn(6, 4, dtype=torch.float64, requires_grad=True)
        last.double()
        assert patterns_reaches.reaches(Mix(), x, sample=0) == [0, 5]
        assert patterns_reaches.reaches(last, x, sample=0) == [0]
        plain = torch.autograd.grad(Mix()(x)[0].sum(), x)[0]
        assert plain.abs().max().lt(1e-3).item() is isinstance(last, (nn.Softmax, nn.LayerNorm))

    @pytest.mark.parametrize(("smoothing", "lowest"), [(0.0, 0.0), (0.1, 0.15)])
    def test_label_smoothing_keeps_the_loss_of_one_batch_above_zero(self, smoothing, lowest):
        torch.manual_seed(0)
        x, y = torch.randn(32, 20), torch.randint(2, (32,))
        model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 2))
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        for _ in range(150):
            loss = F.cross_entropy(model(x), y, label_smoothing=smoothing)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        assert lowest < loss.item() < lowest + 0.1

    def test_the_trace_removes_its_hooks_even_if_forward_raises(self):
        model = nn.Sequential(nn.Linear(4, 4), nn.Linear(3, 1))
        with pytest.raises(RuntimeError, match="cannot be multiplied"):
            patterns_trace.trace(model, torch.zeros(2, 4))
        assert not any(module._forward_hooks for module in model.modules())

    @pytest.mark.filterwarnings("ignore:Anomaly Detection", "ignore:Error detected")
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    @pytest.mark.parametrize(
        ("function", "finite_loss", "raises"),
        [
            (lambda w: (w - 1).log(), False, False),
            (lambda w: 1 / w, False, False),
            (lambda w: w + torch.nan, False, False),
            (lambda w: (w - 1).sqrt(), False, True),
            (lambda w: 0 * w.sqrt(), True, True),
            (lambda w: torch.where(w > 0, w.sqrt(), 0), True, True),
        ],
    )
    def test_anomaly_mode_raises_for_nan_in_backward_only(self, function, finite_loss, raises, dtype):
        w = torch.zeros(1, dtype=dtype, requires_grad=True)
        with torch.autograd.set_detect_anomaly(True):
            loss = function(w).sum()
            assert loss.isfinite().item() is finite_loss
            if raises:
                with pytest.raises(RuntimeError, match="returned nan values in its"):
                    loss.backward()
            else:
                loss.backward()

    def test_a_nan_made_in_backward_is_not_in_any_output(self):
        layer = nn.Linear(2, 2)
        output = layer(torch.zeros(3, 2) * 1.0)
        loss = (output[0] - output[1]).square().sum().sqrt()
        assert output.isfinite().all() and loss.isfinite()
        with torch.autograd.set_detect_anomaly(True), pytest.raises(RuntimeError, match="nan"):
            loss.backward()
