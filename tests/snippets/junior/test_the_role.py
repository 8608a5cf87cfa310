"""Every claim that the pages of docs/junior/the-role make, proven beyond the example shown."""

import dataclasses
import io
import math
import pickle
import statistics
import sys
import types
import warnings

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.autograd.gradcheck import GradcheckError, gradcheck

from warmup.testing import load_snippet

expect = load_snippet("junior/the-role/what_interviewers_expect_self_test.py")
dl_vs_ml = load_snippet("junior/the-role/dl_vs_ml_engineer_tuned.py")
research = load_snippet("junior/the-role/research_vs_engineering_seeds.py")
research_loss = load_snippet("junior/the-role/research_vs_engineering_loss.py")
framework = load_snippet("junior/the-role/pytorch_or_tensorflow_process.py")
styles = load_snippet("junior/the-role/pytorch_or_tensorflow_styles.py")
maths = load_snippet("junior/the-role/math_depth_batch.py")
maths_broken = load_snippet("junior/the-role/math_depth_broken.py")
maths_float32 = load_snippet("junior/the-role/math_depth_float32.py")
cuda = load_snippet("junior/the-role/need_cuda_traffic.py")
portfolio = load_snippet("junior/the-role/portfolio_project_harness.py")
checks = load_snippet("junior/the-role/portfolio_project_checks.py")


@dataclasses.dataclass
class Data:
    values: torch.Tensor


torch.export.register_dataclass(Data, serialized_type_name="test_the_role.Data")


class TestWhatInterviewersExpect:
    TRUTH = "nyynnnynyn"

    def test_the_truth_of_the_ten_statements(self):
        assert "".join("yn"[not probe()] for _, _, probe in expect.PROBES) == self.TRUTH

    def test_the_right_answers_score_full_marks(self):
        assert expect.scorecard(self.TRUTH)[-3:] == ["junior  4 of 4", "mid     3 of 3", "senior  3 of 3"]

    def test_saying_yes_to_everything_scores_four_of_ten(self):
        assert expect.scorecard("y" * 10)[-3:] == ["junior  2 of 4", "mid     1 of 3", "senior  1 of 3"]

    def test_without_answers_there_is_no_score(self):
        assert len(expect.scorecard("")) == 10

    @pytest.mark.parametrize("answers", ["yn", "nyynnnnyy", "nyynnnnyxx"])
    def test_a_wrong_number_of_answers_and_other_letters_are_refused(self, answers):
        with pytest.raises(ValueError, match="10 letters"):
            expect.scorecard(answers)

    def test_upper_case_counts_as_well(self):
        assert expect.scorecard(self.TRUTH.upper()) == expect.scorecard(self.TRUTH)

    def test_a_second_backward_on_the_same_loss_raises(self):
        loss = expect.loss(expect.make(), expect.ALL)
        loss.backward()
        with pytest.raises(RuntimeError, match="second time"):
            loss.backward()

    @pytest.mark.parametrize(
        ("layer", "changes"),
        [(nn.BatchNorm1d(8), True), (nn.BatchNorm1d(8, track_running_stats=False), False), (nn.Dropout(), False)],
    )
    def test_validating_in_train_mode_changes_a_model_with_running_statistics_only(self, layer, changes):
        assert expect.changes(expect.make(layer), expect.validate) is changes

    def test_spectral_norm_changes_in_train_mode_as_well(self):
        layer = nn.utils.parametrizations.spectral_norm(nn.Linear(8, 8))
        assert expect.changes(expect.make(layer), expect.validate)
        assert not expect.changes(expect.make(layer).eval(), expect.validate)

    @pytest.mark.parametrize(("p", "holds"), [(0.5, False), (0.0, True)])
    def test_dropout_breaks_the_halves_in_train_mode(self, p, holds):
        model = expect.make(nn.Dropout(p))
        whole = expect.gradient(model, expect.ALL).clone()
        model.zero_grad()
        halves = expect.gradient(model, expect.LEFT, expect.RIGHT) / 2
        assert torch.allclose(halves, whole, atol=1e-6) is holds

    @pytest.mark.parametrize(("weights", "holds"), [((1.0, 1.0, 1.0), True), ((1.0, 2.0, 9.0), False)])
    def test_class_weights_break_the_halves(self, weights, holds, monkeypatch):
        weight = torch.tensor(weights)
        monkeypatch.setattr(
            expect, "loss", lambda model, rows: F.cross_entropy(model(expect.X[rows]), expect.Y[rows], weight=weight)
        )
        assert expect.halves_are_the_whole() is holds

    def test_a_second_backward_raises_only_if_the_graph_saved_a_tensor(self):
        weight = torch.ones(3, requires_grad=True)
        total = (weight + 1).sum()
        total.backward()
        total.backward()
        assert torch.equal(weight.grad, torch.full((3,), 2.0))

    def test_layers_that_treat_each_sample_alone_keep_the_halves(self):
        assert expect.halves_are_the_whole(nn.LayerNorm(8)) and expect.halves_are_the_whole(nn.GELU())

    @pytest.mark.parametrize("ignored", [[0, 1, 7], [0, 6], []])
    def test_ignored_targets_break_the_halves_if_their_number_differs(self, ignored, monkeypatch):
        targets = expect.Y.clone()
        targets[ignored] = -100  # the default of ignore_index
        monkeypatch.setattr(expect, "Y", targets)
        assert expect.halves_are_the_whole() is (ignored != [0, 1, 7])

    def test_adamw_moves_a_weight_without_gradient_by_weight_decay_alone(self):
        model = expect.make()
        for parameter in model.parameters():
            parameter.grad = torch.zeros_like(parameter)
        before = model[0].weight.detach().clone()
        torch.optim.AdamW(model.parameters(), lr=0.1, weight_decay=0.0).step()
        assert torch.equal(model[0].weight, before)
        torch.optim.AdamW(model.parameters(), lr=0.1, weight_decay=0.5).step()
        torch.testing.assert_close(model[0].weight, before * 0.95)

    def test_the_mean_of_batch_losses_is_right_when_sizes_agree(self):
        halves = expect.mean_of_losses(expect.LEFT, expect.RIGHT)
        torch.testing.assert_close(halves, expect.loss(expect.make(), expect.ALL))

    def test_in_eval_mode_batch_norm_no_longer_breaks_the_halves(self):
        halves = expect.gradient(expect.make(nn.BatchNorm1d(8)).eval(), expect.LEFT, expect.RIGHT) / 2
        whole = expect.gradient(expect.make(nn.BatchNorm1d(8)).eval(), expect.ALL)
        torch.testing.assert_close(halves, whole)

    def test_the_step_uses_the_slope_and_validation_records_nothing(self):
        model = expect.make()
        expect.step(model, 0.25)
        assert all((parameter.grad == 0.25).all() for parameter in model.parameters())
        assert not any(output.requires_grad for output in expect.validate(model))

    def test_copies_of_a_state_dict_are_a_snapshot(self):
        model = expect.make()
        kept = {name: value.clone() for name, value in model.state_dict().items()}
        assert not expect.snapshot(model)
        assert any(not torch.equal(kept[name], value) for name, value in model.state_dict().items())
        model.state_dict = lambda: {name: value.detach().clone() for name, value in model.named_parameters()}
        assert expect.snapshot(model)

    def test_validating_in_eval_mode_changes_nothing(self):
        assert not expect.changes(expect.make(nn.BatchNorm1d(8)).eval(), expect.validate)


class TestDlVsMlEngineer:
    @pytest.mark.parametrize("splits", [range(10, 12), range(20, 22)])
    def test_tuned_logistic_regression_ties_on_the_table_for_other_splits_too(self, splits):
        found = dl_vs_ml.compare(*dl_vs_ml.load()["table"], True, splits)
        gains = torch.tensor(found["network"]) - torch.tensor(found["linear"])
        assert gains.mean().abs() < 2 and min(found["linear"]) > 90

    @pytest.mark.parametrize("splits", [range(10, 12)])
    def test_the_network_wins_by_ten_points_on_moved_digits_for_other_splits_too(self, splits):
        found = dl_vs_ml.compare(*dl_vs_ml.load()["moved digits"], False, splits)
        assert all(deep > shallow + 10 for deep, shallow in zip(found["network"], found["linear"], strict=True))

    @pytest.mark.parametrize("seed", [0, 1])
    def test_weights_of_the_table_can_have_the_opposite_sign_of_the_correlation(self, seed):
        torch.manual_seed(seed)
        x, y = dl_vs_ml.load()["table"]
        x = ((x - x.mean(0)) / x.std(0)).float()
        model = dl_vs_ml.build("linear", 30, 2)
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.03)
        for _ in range(200):
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        weight = model.weight[1] - model.weight[0]
        correlation = (x * (y - y.float().mean()).unsqueeze(1)).mean(0)
        clear = (weight.abs() > 0.5) & (correlation.abs() > 0.1)
        assert ((weight * correlation < 0) & clear).any()
        assert (model(x).argmax(dim=1) == y).float().mean() > 0.95

    @pytest.mark.parametrize("steps", [50, 200])
    def test_longer_training_does_not_help_the_linear_model_on_moved_digits(self, steps):
        torch.manual_seed(0)
        x, y = dl_vs_ml.load()["moved digits"]
        rows = torch.randperm(len(y))
        assert dl_vs_ml.score("linear", x[rows], y[rows], False, steps) < 65

    @pytest.mark.parametrize("half", [slice(400), slice(400, 800)])
    def test_a_single_pixel_says_less_about_a_moved_digit(self, half):
        found = {}
        for name in ("digits", "moved digits"):
            x, y = (of[half] for of in dl_vs_ml.load()[name])
            counts = F.one_hot(x.long(), 17).flatten(1).T.double() @ F.one_hot(y).double()
            # Accuracy of the best rule that reads one pixel, for each pixel.
            found[name] = counts.amax(1).view(-1, 17).sum(1) / len(y)
        assert found["digits"].max() > found["moved digits"].max() > 0.12
        assert found["digits"].median() > found["moved digits"].median()

    def test_moving_changes_no_pixel_but_its_place(self):
        images = torch.rand(5, 64) + 0.1
        moved = dl_vs_ml.moved(images)
        assert moved.shape == (5, 100)
        for before, after in zip(images, moved, strict=True):
            assert torch.equal(before.sort().values, after[after > 0].sort().values)

    @pytest.mark.parametrize("flip", [False, True])
    def test_a_linear_model_cannot_represent_the_sign_of_a_product(self, flip):
        torch.manual_seed(0)
        x = torch.randn(400, 2)
        y = ((x.prod(dim=1) > 0) ^ flip).long()
        assert dl_vs_ml.score("network", x, y, False, 100) > 90
        assert dl_vs_ml.score("linear", x, y, False, 100) < 75

    @pytest.mark.parametrize("per_column", [False, True])
    def test_neither_scaling_nor_training_looks_at_the_test_rows(self, per_column, monkeypatch):
        monkeypatch.setattr(dl_vs_ml, "RATES", (0.03,))
        models = []
        build = dl_vs_ml.build
        monkeypatch.setattr(dl_vs_ml, "build", lambda *shape: models.append(build(*shape)) or models[-1])
        x, y = torch.randn(40, 3), torch.tensor([0, 1] * 20)
        shifted = x.clone()
        shifted[20:] += 1000
        for features in (x, shifted):
            torch.manual_seed(1)
            dl_vs_ml.score("linear", features, y, per_column)
        assert torch.equal(models[0].weight, models[1].weight)


class TestResearchVsEngineering:
    def test_the_interval_is_that_of_student(self):
        mean, half = research.interval([1.0, 2.0, 3.0, 4.0, 5.0])
        assert mean == 3 and half == pytest.approx(2.776 * math.sqrt(2.5) / math.sqrt(5))

    def test_the_t_value_gives_95_percent_coverage_for_five_normal_values(self):
        torch.manual_seed(0)
        values = torch.randn(40_000, 5, dtype=torch.float64)
        half = research.STUDENT_T[5] * values.std(dim=1) / math.sqrt(5)
        assert (values.mean(dim=1).abs() < half).double().mean().item() == pytest.approx(0.95, abs=0.005)

    def test_the_same_seed_is_the_same_run_and_another_seed_is_not(self):
        first = research.accuracies(0, 0.0, 0.1)
        assert research.accuracies(0, 0.0, 0.1) == first != research.accuracies(1, 0.0, 0.1)

    def test_training_validation_and_test_digits_are_disjoint(self):
        parts = research.TRAINING, research.VALIDATION, research.TEST
        assert [int(part.sum()) for part in parts] == [200, 200, 1397]
        assert (sum(part.int() for part in parts) == 1).all()

    @pytest.mark.parametrize("best", [0.05, 0.2])
    def test_the_rate_is_chosen_on_validation_and_not_on_test(self, best, monkeypatch):
        monkeypatch.setattr(
            research, "accuracies", lambda seed, smoothing, rate: (90.0 + (rate == best), 100 * rate + seed + smoothing)
        )
        assert research.tuned(0.5, range(2)) == pytest.approx([100 * best + 0.5, 100 * best + 1.5])

    @pytest.mark.parametrize(("n", "t"), [(3, 4.303), (10, 2.262), (20, 2.093)])
    def test_the_interval_takes_the_t_of_its_number_of_values(self, n, t):
        values = [float(i % 2) for i in range(n)]
        assert research.interval(values)[1] == pytest.approx(t * statistics.stdev(values) / math.sqrt(n))

    @pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0]])
    def test_the_interval_refuses_another_number_of_values(self, values):
        with pytest.raises(KeyError):
            research.interval(values)

    def test_fifteen_seeds_have_less_than_half_the_width_of_five_with_the_same_spread(self):
        t = 2.145  # 14 degrees of freedom
        assert t / math.sqrt(15) < 0.5 * research.STUDENT_T[5] / math.sqrt(5)

    def test_gradcheck_passes_a_gradient_that_is_wrong_elsewhere(self):
        class Clipped(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x**2

            @staticmethod
            def backward(ctx, grad):
                (x,) = ctx.saved_tensors
                return grad * 2 * x.clamp(-3, 3)

        moderate = torch.tensor([-1.0, 0.5, 2.0], dtype=torch.float64, requires_grad=True)
        assert gradcheck(Clipped.apply, moderate)
        with pytest.raises(GradcheckError):
            gradcheck(Clipped.apply, torch.tensor([5.0], dtype=torch.float64, requires_grad=True))

    @pytest.mark.parametrize("power", [1, 3])
    def test_gradcheck_passes_a_loss_with_the_wrong_formula(self, power):
        logits = torch.randn(6, dtype=torch.float64, requires_grad=True)
        targets = torch.tensor([0.0, 1.0, 0.0, 1.0, 1.0, 0.0], dtype=torch.float64)

        def wrong(logits):  # the sign of the logits is flipped
            return research_loss.focal_loss(-logits, targets, power)

        assert gradcheck(wrong, logits)
        assert not torch.allclose(wrong(logits), research_loss.focal_loss(logits, targets, power))

    @pytest.mark.parametrize(("logit", "finite"), [(1e4, True), (-1e4, True), (6e4, False), (-6e4, False)])
    def test_focal_loss_is_finite_unless_gamma_times_a_logit_overflows(self, logit, finite):
        x = torch.tensor([logit], dtype=torch.float16, requires_grad=True)
        research_loss.focal_loss(x, torch.tensor([float(logit < 0)], dtype=torch.float16), 2.0).backward()
        assert x.grad.isfinite().all().item() is finite

    def test_adding_seeds_until_zero_is_excluded_finds_an_effect_in_noise(self):
        torch.manual_seed(0)
        t = torch.tensor([12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262], dtype=torch.float64)
        runs = torch.randn(4000, 10, dtype=torch.float64)
        found = torch.zeros(4000, dtype=torch.bool)
        for n in range(2, 11):
            found |= runs[:, :n].mean(dim=1).abs() > t[n - 2] * runs[:, :n].std(dim=1) / math.sqrt(n)
        assert found.double().mean() > 0.12  # instead of 0.05

    @pytest.mark.parametrize("gamma", [0.0, 1.0, 2.0, 5.0])
    def test_both_focal_losses_are_one_function(self, gamma):
        logits, targets = torch.randn(50, dtype=torch.float64) * 3, torch.randint(2, (50,)).double()
        torch.testing.assert_close(
            research_loss.focal_loss(logits, targets, gamma),
            research_loss.focal_loss_as_published(logits, targets, gamma),
        )

    def test_gamma_zero_is_binary_cross_entropy(self):
        logits, targets = torch.randn(50), torch.randint(2, (50,)).float()
        torch.testing.assert_close(
            research_loss.focal_loss(logits, targets, gamma=0.0), F.binary_cross_entropy_with_logits(logits, targets)
        )

    @pytest.mark.parametrize(("logit", "target"), [(20.0, 0.0), (80.0, 0.0), (-120.0, 1.0)])
    def test_one_confident_mistake_ruins_the_published_form_and_not_the_other(self, logit, target):
        for loss, finite in ((research_loss.focal_loss_as_published, False), (research_loss.focal_loss, True)):
            x = torch.tensor([logit, 0.5], requires_grad=True)
            loss(x, torch.tensor([target, 1.0])).backward()
            assert x.grad.isfinite().all().item() is finite

    def test_a_nan_gradient_turns_the_weights_into_nan(self):
        layer = nn.Linear(1, 1, bias=False)
        with torch.no_grad():
            layer.weight.fill_(20.0)
        research_loss.focal_loss_as_published(layer(torch.ones(1, 1)).squeeze(1), torch.zeros(1)).backward()
        torch.optim.SGD(layer.parameters(), lr=0.1).step()
        assert layer.weight.isnan().all()

    @pytest.mark.parametrize("gamma", [0.0, 0.5, 1.0, 2.0])
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
    def test_loss_and_gradient_from_logits_are_finite_for_any_finite_logit(self, gamma, dtype):
        logits = torch.tensor([-1000.0, -200.0, -20.0, 0.0, 20.0, 200.0, 1000.0], dtype=dtype, requires_grad=True)
        for target in (0.0, 1.0):
            loss = research_loss.focal_loss(logits, torch.full_like(logits, target), gamma)
            (gradient,) = torch.autograd.grad(loss, logits)
            assert loss.isfinite() and gradient.isfinite().all()

    def test_the_sigmoid_rounds_to_one_at_20_in_float32_and_at_40_in_float64(self):
        assert torch.sigmoid(torch.tensor(20.0)) == 1
        assert torch.sigmoid(torch.tensor(20.0, dtype=torch.float64)) < 1
        x = torch.tensor([40.0], dtype=torch.float64, requires_grad=True)
        assert torch.sigmoid(x) == 1
        research_loss.focal_loss_as_published(x, torch.zeros(1, dtype=torch.float64)).backward()
        assert x.grad.isnan().all()


class TestPytorchOrTensorflow:
    # torch 2.11 warns of its own buffer while it loads.
    @pytest.mark.filterwarnings("ignore:The given buffer is not writable:UserWarning")
    def test_an_exported_program_needs_no_class_and_takes_any_batch(self, tmp_path):
        model = framework.Model().eval()
        shapes = {"x": {0: torch.export.Dim("batch")}}
        torch.export.save(torch.export.export(model, (torch.ones(2, 3),), dynamic_shapes=shapes), tmp_path / "p.pt2")
        loaded = torch.export.load(tmp_path / "p.pt2").module()
        assert not isinstance(loaded, framework.Model)
        for batch in (2, 5, 64):
            x = torch.randn(batch, 3)
            torch.testing.assert_close(loaded(x), model(x))

    @pytest.mark.filterwarnings("ignore:The given buffer is not writable:UserWarning")
    @pytest.mark.parametrize("side", ["input", "output", None])
    def test_a_program_needs_the_class_that_forward_takes_or_returns(self, side, monkeypatch):
        class Model(nn.Linear):
            def forward(self, data):
                values = super().forward(data.values if side == "input" else data)
                return Data(values) if side == "output" else values

        x, file = torch.ones(4, 3), io.BytesIO()
        torch.export.save(torch.export.export(Model(3, 2), (Data(x) if side == "input" else x,)), file)
        assert (b"test_the_role.Data" in file.getvalue()) is (side is not None)
        if side == "input":
            return  # torch logs a faulty record while it loads one, which pytest does not let pass
        file.seek(0)
        with monkeypatch.context() as other_process:
            other_process.delitem(torch.utils._pytree.SERIALIZED_TYPE_TO_PYTHON_TYPE, "test_the_role.Data")
            if side == "output":
                with pytest.raises(RuntimeError):
                    torch.export.load(file)
            else:
                torch.export.load(file)
        file.seek(0)
        assert isinstance(torch.export.load(file).module()(x), Data if side == "output" else torch.Tensor)

    def test_shapes_are_fixed_unless_declared_free(self):
        fixed = torch.export.export(framework.Model().eval(), (torch.ones(2, 3),)).module()
        fixed(torch.ones(2, 3))
        with pytest.raises(Exception, match="(?i)guard|expected"):
            fixed(torch.ones(5, 3))

    def test_pickling_a_model_saves_the_name_of_its_class_and_not_its_code(self):
        module = types.ModuleType("vanishing")
        exec("import torch\nclass Net(torch.nn.Linear):\n    secret_method_name = 1\n", module.__dict__)
        sys.modules["vanishing"] = module
        module.Net.__module__ = "vanishing"
        data = pickle.dumps(module.Net(2, 2))
        assert b"Net" in data and b"secret_method_name" not in data
        del sys.modules["vanishing"]
        with pytest.raises(ModuleNotFoundError):
            pickle.loads(data)

    def test_a_module_that_fx_generated_pickles_its_own_code(self):
        generated = torch.fx.symbolic_trace(framework.Model())
        file = io.BytesIO()
        torch.save(generated, file)
        assert b"def forward" in file.getvalue()
        file = io.BytesIO()
        torch.save(framework.Model(), file)
        assert b"def forward" not in file.getvalue()

    @pytest.mark.filterwarnings("ignore:The given buffer is not writable:UserWarning")
    def test_an_if_on_a_value_does_not_export_and_where_does(self):
        class Branch(nn.Module):
            def forward(self, x):
                return x if x.sum() > 0 else -x

        class OnShape(nn.Module):
            def forward(self, x):
                return x if x.shape[0] > 1 else -x

        class Where(nn.Module):
            def forward(self, x):
                return torch.where(x.sum() > 0, x, -x)

        with pytest.raises(Exception, match="(?i)data-dependent"):
            torch.export.export(Branch(), (torch.ones(2, 3),))
        torch.export.export(OnShape(), (torch.ones(2, 3),))
        program = torch.export.export(Where(), (torch.ones(2, 3),)).module()
        for sign in (1, -1):
            assert torch.equal(program(sign * torch.ones(2, 3)), torch.ones(2, 3))

    @pytest.mark.parametrize("clone", [False, True])
    def test_cond_exports_if_no_branch_returns_its_input_itself(self, clone):
        class Cond(nn.Module):
            def forward(self, x):
                return torch.cond(x.sum() > 0, torch.clone if clone else lambda x: x, lambda x: -x, (x,))

        if not clone:
            with pytest.raises(torch._dynamo.exc.UncapturedHigherOrderOpError):
                torch.export.export(Cond(), (torch.ones(2, 3),))
            return
        program = torch.export.export(Cond(), (torch.ones(2, 3),)).module()
        for sign in (1, -1):
            assert torch.equal(program(sign * torch.ones(2, 3)), torch.ones(2, 3))

    @pytest.mark.parametrize(("free", "exports"), [(False, True), (True, False)])
    def test_an_if_on_a_shape_does_not_export_if_the_dimension_is_declared_free(self, free, exports):
        class OnShape(nn.Module):
            def forward(self, x):
                return 2 * x if x.shape[0] > 4 else 3 * x

        shapes = {"x": {0: torch.export.Dim("batch") if free else None}}
        if exports:
            program = torch.export.export(OnShape(), (torch.ones(6, 2),), dynamic_shapes=shapes).module()
            assert torch.equal(program(torch.ones(6, 2)), torch.full((6, 2), 2.0))
        else:
            with pytest.raises(Exception, match="Constraints violated"):
                torch.export.export(OnShape(), (torch.ones(6, 2),), dynamic_shapes=shapes)

    def test_with_an_automatic_dimension_the_program_refuses_the_sizes_of_the_other_branch(self):
        class OnShape(nn.Module):
            def forward(self, x):
                return 2 * x if x.shape[0] > 4 else 3 * x

        shapes = {"x": {0: torch.export.Dim.AUTO}}
        program = torch.export.export(OnShape(), (torch.ones(6, 2),), dynamic_shapes=shapes).module()
        assert torch.equal(program(torch.ones(9, 2)), torch.full((9, 2), 2.0))
        with pytest.raises(Exception, match="(?i)guard|expected"):
            program(torch.ones(3, 2))

    @pytest.mark.parametrize("training", [True, False])
    def test_the_mode_at_export_decides_whether_the_program_drops(self, training):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 64), nn.Dropout(0.5)).train(training)
        program = torch.export.export(model, (torch.ones(2, 3),)).module()
        assert (program(torch.ones(2, 3)) == 0).any().item() is training

    def test_torchscript_runs_a_program_without_its_class(self):
        file = io.BytesIO()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            model = framework.Model().eval()
            torch.jit.save(torch.jit.script(model), file)
            file.seek(0)
            loaded = torch.jit.load(file)
        x = torch.randn(4, 3)
        assert not isinstance(loaded, framework.Model)
        torch.testing.assert_close(loaded(x), model(x))

    def test_both_styles_give_one_gradient(self):
        assert torch.allclose(styles.returned["weight"], styles.model.weight.grad)
        assert torch.allclose(styles.returned["bias"], styles.model.bias.grad)

    def test_the_functional_style_has_nothing_to_zero(self):
        again = styles.grad(styles.loss)(styles.parameters, styles.x, styles.y)
        assert torch.equal(again["weight"], styles.returned["weight"])


class TestMathDepth:
    @pytest.mark.parametrize(("n", "inputs", "hidden", "classes"), [(1, 2, 3, 2), (7, 3, 4, 5), (16, 6, 2, 3)])
    def test_by_hand_equals_autograd_for_any_shape(self, n, inputs, hidden, classes):
        x, y = torch.randn(n, inputs, dtype=torch.float64), torch.randint(classes, (n,))
        w1 = torch.randn(inputs, hidden, dtype=torch.float64, requires_grad=True)
        w2 = torch.randn(hidden, classes, dtype=torch.float64, requires_grad=True)
        automatic = torch.autograd.grad(F.cross_entropy((x @ w1).relu() @ w2, y), (w1, w2))
        for left, right in zip(maths.backpropagate(x, y, w1, w2), automatic, strict=True):
            torch.testing.assert_close(left, right)

    def test_the_sum_of_outer_products_is_a_matrix_product(self):
        x, delta = torch.randn(9, 4), torch.randn(9, 3)
        torch.testing.assert_close(sum(map(torch.outer, x, delta)), x.T @ delta)

    @pytest.mark.parametrize(("dtype", "right"), [(torch.float16, False), (torch.float32, True), (torch.float64, True)])
    def test_the_softmax_by_hand_is_not_for_float16(self, dtype, right):
        z = torch.zeros(70_000, dtype=dtype)
        assert torch.allclose(maths.softmax(z), z.softmax(0), atol=0) is right

    @pytest.mark.parametrize("shift", [0.0, 50.0, 5000.0, -5000.0])
    def test_a_constant_changes_softmax_not_and_log_sum_exp_by_itself(self, shift):
        z = torch.randn(4, 6, dtype=torch.float64)
        torch.testing.assert_close(maths.softmax(z + shift), maths.softmax(z))
        torch.testing.assert_close(maths.log_sum_exp(z + shift), maths.log_sum_exp(z) + shift)
        torch.testing.assert_close(maths.softmax(z + shift), (z + shift).softmax(-1))

    @pytest.mark.parametrize("logits", [(-math.inf, -math.inf), (math.inf, 0.0), (-math.inf, 2.0), (3e38, -3e38)])
    def test_log_sum_exp_treats_infinite_logits_as_pytorch_does(self, logits):
        z = torch.tensor([logits, (1.0, 2.0)])
        torch.testing.assert_close(maths.log_sum_exp(z), z.logsumexp(-1))
        if math.inf not in logits:
            torch.testing.assert_close(maths.softmax(z), z.softmax(-1), equal_nan=True)

    @pytest.mark.parametrize(("terms", "finite"), [(1000, True), (70_000, False)])
    def test_the_sum_of_log_sum_exp_can_overflow_in_float16(self, terms, finite):
        z = torch.zeros(terms, dtype=torch.float16)
        assert maths.log_sum_exp(z).isfinite().item() is finite
        assert maths.log_sum_exp(z.float()).isfinite()

    @pytest.mark.parametrize("mean", [0.0, 3.0])
    def test_variance_one_over_n_keeps_the_mean_square_and_not_the_spread(self, mean):
        torch.manual_seed(0)
        x = torch.randn(2000, 400) + mean
        after = x @ (torch.randn(400, 4000) / 20)
        torch.testing.assert_close(after.square().mean(), x.square().mean(), rtol=0.1, atol=0)
        assert (after.std() > 2 * x.std()).item() is (mean > 0)

    def test_variance_one_over_n_keeps_the_spread_and_two_over_n_does_with_relu(self):
        torch.manual_seed(0)
        for relu, gain in ((False, 1.0), (True, 2.0)):
            x = torch.randn(2000, 256)
            for _ in range(5):
                w = torch.randn(256, 256) * math.sqrt(gain / 256)
                x = (x.relu() if relu else x) @ w
            assert x.std().item() == pytest.approx(1.0, abs=0.15)

    @pytest.mark.parametrize("seed", range(8))
    def test_the_wrong_gradient_trains_and_ends_higher(self, seed):
        right, wrong = maths_broken.losses(True, seed), maths_broken.losses(False, seed)
        assert right[0] == wrong[0]
        assert 1.1 * right[-1] < wrong[-1] < 0.35 * wrong[0]

    @pytest.mark.parametrize("seed", range(3))
    @pytest.mark.parametrize(
        ("optimizer", "rate", "depth", "trains"),
        [(torch.optim.SGD, 0.05, 3, True), (torch.optim.SGD, 0.05, 6, False), (torch.optim.AdamW, 0.01, 6, True)],
    )
    def test_the_wrong_gradient_fails_deep_with_sgd_and_not_with_adamw(self, optimizer, rate, depth, trains, seed):
        torch.manual_seed(seed)
        points = torch.randn(256, 2)
        y = (points.norm(dim=1) > 1.2).long()
        sizes = [3, *[16] * depth, 2]
        weights = [
            (torch.randn(i, o) * (2 / i) ** 0.5).requires_grad_() for i, o in zip(sizes, sizes[1:], strict=False)
        ]
        step = optimizer(weights, lr=rate)
        for _ in range(200):
            hidden = torch.cat([points, torch.ones(256, 1)], dim=1)
            for weight in weights[:-1]:
                hidden = maths_broken.Relu.apply(hidden @ weight, False)
            loss = F.cross_entropy(hidden @ weights[-1], y)
            step.zero_grad()
            loss.backward()
            step.step()
        assert (loss.item() < 0.3) is trains

    @pytest.mark.parametrize("n", [1, 6])
    def test_the_gradients_of_a_linear_layer_by_hand(self, n):
        layer, x, d = nn.Linear(5, 3), torch.randn(n, 5, requires_grad=True), torch.randn(n, 3)
        layer(x).backward(d)
        torch.testing.assert_close(layer.weight.grad, d.T @ x.detach())
        torch.testing.assert_close(layer.bias.grad, d.sum(0))
        torch.testing.assert_close(x.grad, d @ layer.weight.detach())
        torch.testing.assert_close(layer.weight.grad, sum(map(torch.outer, d, x.detach())))

    @pytest.mark.parametrize("x, w1, w2, y", [(2.0, 0.5, 3.0, 1.0), (2.0, -0.5, 3.0, 1.0), (-1.0, -2.0, 0.5, 4.0)])
    def test_the_chain_rule_of_the_picture_holds_for_other_numbers(self, x, w1, w2, y):
        w1, w2 = (torch.tensor(w, requires_grad=True) for w in (w1, w2))
        hidden = torch.relu(w1 * x)
        output = w2 * hidden
        ((output - y) ** 2).backward()
        d_output = 2 * (output - y)
        torch.testing.assert_close(w2.grad, d_output * hidden)
        torch.testing.assert_close(w1.grad, d_output * w2 * (w1 * x > 0) * x)

    @pytest.mark.parametrize(
        ("optimizer", "options", "hidden"),
        [
            (torch.optim.Adam, {}, True),
            (torch.optim.AdamW, {"weight_decay": 0.1}, True),
            (torch.optim.Adam, {"weight_decay": 0.1}, False),
        ],
    )
    def test_adam_hides_a_factor_unless_decay_is_added_to_the_gradient(self, optimizer, options, hidden):
        weights = []
        for factor in (1, 64):
            torch.manual_seed(0)
            layer, x, y = nn.Linear(3, 1), torch.randn(64, 3), torch.randn(64, 1)
            step = optimizer(layer.parameters(), lr=0.01, **options)
            for _ in range(100):
                step.zero_grad()
                (factor * F.mse_loss(layer(x), y)).backward()
                step.step()
            weights.append(layer.weight.detach())
        assert torch.allclose(*weights, atol=1e-5) is hidden

    @staticmethod
    def hides_a_factor_from_clipping(optimizer_class, steps: int, clip: float) -> bool:
        """Whether 64 times the loss trains the same weights, if each gradient is clipped."""
        weights = []
        for factor in (1, 64):
            torch.manual_seed(0)
            layer, x, y = nn.Linear(3, 1), torch.randn(64, 3), torch.randn(64, 1)
            optimizer = optimizer_class(layer.parameters(), lr=0.01)
            for _ in range(steps):
                optimizer.zero_grad()
                (factor * F.mse_loss(layer(x), y)).backward()
                nn.utils.clip_grad_norm_(layer.parameters(), clip)
                optimizer.step()
            weights.append(layer.weight.detach())
        return torch.allclose(*weights, atol=1e-5)

    @pytest.mark.parametrize(("clip", "hidden"), [(1.0, False), (1e9, True)])
    def test_adam_does_not_hide_a_factor_from_clipping(self, clip, hidden):
        assert self.hides_a_factor_from_clipping(torch.optim.Adam, 50, clip) is hidden

    @pytest.mark.parametrize(("clip", "hidden"), [(0.01, True), (10.0, False), (1e9, False)])
    def test_clipping_hides_a_factor_from_sgd_if_both_gradients_are_clipped(self, clip, hidden):
        assert self.hides_a_factor_from_clipping(torch.optim.SGD, 20, clip) is hidden

    @pytest.mark.parametrize("p", [0.0, 0.5])
    def test_gradcheck_can_fail_with_dropout_although_the_gradient_is_right(self, p):
        torch.manual_seed(0)
        x = torch.randn(8, dtype=torch.float64, requires_grad=True)
        assert gradcheck(lambda x: F.dropout(x, p), x, raise_exception=False) is (p == 0)

    @pytest.mark.parametrize("kink", [True, False])
    def test_gradcheck_can_fail_at_a_kink_although_the_gradient_is_right(self, kink):
        x = torch.tensor([0.0 if kink else 1.0], dtype=torch.float64, requires_grad=True)
        assert gradcheck(torch.relu, x, raise_exception=False) is not kink

    def test_gradcheck_tells_the_two_apart(self):
        x = torch.tensor([-2.0, -0.3, 0.7], dtype=torch.float64, requires_grad=True)
        assert gradcheck(lambda x: maths_broken.Relu.apply(x, True), x)
        with pytest.raises(GradcheckError, match="Jacobian mismatch"):
            gradcheck(lambda x: maths_broken.Relu.apply(x, False), x)

    @pytest.mark.parametrize("x", [0.0, 1.0, 3.0])
    def test_a_smaller_step_makes_float32_worse(self, x):
        errors = [abs(maths_float32.slope(x, step, torch.float32) - math.exp(x)) for step in (1e-3, 1e-7)]
        assert errors[1] > 10 * errors[0]
        assert abs(maths_float32.slope(x, 1e-5, torch.float64) - math.exp(x)) < 1e-8

    @pytest.mark.parametrize("function", [torch.sin, torch.tanh])
    def test_at_zero_a_smaller_step_need_not_make_float32_worse(self, function):
        for at, worse in ((0.0, False), (1.0, True)):
            x = torch.tensor(at, dtype=torch.float64, requires_grad=True)
            (right,) = torch.autograd.grad(function(x), x)
            errors = []
            for step in (torch.tensor(1e-3), torch.tensor(1e-7)):
                slope = (function(at + step) - function(at - step)) / (2 * step)
                errors.append(abs(slope.item() - right.item()))
            assert (errors[1] > errors[0]) == worse

    @pytest.mark.parametrize("pair", [(100.0, 101.0), (30.0, 31.0)])
    def test_the_softmax_by_hand_is_not_for_bfloat16(self, pair):
        for dtype, right in ((torch.float32, True), (torch.float64, True), (torch.bfloat16, False)):
            z = torch.tensor(pair, dtype=dtype)
            assert torch.allclose(maths.softmax(z), z.softmax(0), atol=0.01) == right

    def test_forgetting_the_mean_is_a_learning_rate_times_n_and_adam_hides_it(self):
        x, y = torch.randn(8, 3), torch.randn(8, 1)
        moves = {}
        for optimizer in (torch.optim.SGD, torch.optim.Adam):
            for reduction in ("mean", "sum"):
                torch.manual_seed(0)
                layer = nn.Linear(3, 1)
                before = layer.weight.detach().clone()
                F.mse_loss(layer(x), y, reduction=reduction).backward()
                optimizer(layer.parameters(), lr=0.01).step()
                moves[optimizer.__name__, reduction] = layer.weight.detach() - before
        torch.testing.assert_close(moves["SGD", "sum"], 8 * moves["SGD", "mean"])
        torch.testing.assert_close(moves["Adam", "sum"], moves["Adam", "mean"])


class TestNeedCuda:
    @pytest.mark.parametrize("device", ["cpu", "meta"])
    @pytest.mark.parametrize("rows", [3, 64])
    def test_gelu_by_hand_is_eight_kernels_and_nine_times_the_bytes_anywhere(self, device, rows):
        x = torch.ones(rows, 16, device=device)
        kernels, moved = cuda.measure(cuda.gelu_by_hand, x)
        assert (kernels, moved) == (8, 18 * x.nbytes)
        assert cuda.measure(lambda x: F.gelu(x, approximate="tanh"), x) == (1, 2 * x.nbytes)

    def test_both_gelus_are_one_function(self):
        x = torch.randn(1000, dtype=torch.float64) * 3
        torch.testing.assert_close(cuda.gelu_by_hand(x), F.gelu(x, approximate="tanh"))

    def test_counting_changes_no_result(self):
        x = torch.randn(4, 3)
        with cuda.Traffic():
            counted = x.sum(dim=0, dtype=torch.float64)
        assert torch.equal(counted, x.sum(dim=0, dtype=torch.float64)) and counted.dtype == torch.float64

    def test_views_move_nothing(self):
        assert cuda.measure(lambda x: x.T.unsqueeze(0)[:, 1:], torch.ones(4, 4)) == (0, 0)

    @pytest.mark.parametrize("n", [128, 512])
    def test_intensity_of_a_square_product_grows_with_n_and_that_of_one_row_does_not(self, n):
        weight, one = torch.ones(n, n, device="meta"), torch.ones(1, n, device="meta")
        assert 2 * n**3 / cuda.measure(torch.mm, weight, weight)[1] == pytest.approx(n / 6)
        assert 2 * n**2 / cuda.measure(torch.mm, one, weight)[1] == pytest.approx(0.5, rel=0.05)

    @pytest.mark.parametrize("device", ["cpu", "meta"])
    def test_lists_tuples_and_expanded_tensors_count_what_they_hold(self, device):
        x = torch.ones(64, 64, device=device)
        assert cuda.measure(lambda x: torch.cat([x, x]), x) == (1, 4 * x.nbytes)
        assert cuda.measure(lambda x: torch.std_mean(x, dim=1), x) == (1, x.nbytes + 2 * 64 * 4)
        assert cuda.measure(torch.empty_like, x) == (0, 0)
        assert cuda.measure(lambda row: row.expand(1000, 64).sum(), x[:1].clone()) == (1, 64 * 4 + 4)

    def test_full_float32_precision_is_the_default_of_matrix_products(self):
        assert torch.get_float32_matmul_precision() == "highest"


class TestPortfolioProject:
    @pytest.mark.parametrize(("n", "p"), [(450, 0.95), (2000, 0.6)])
    def test_the_bootstrap_agrees_with_the_standard_error(self, n, p):
        values = (torch.arange(n) < round(p * n)).double()
        mean, low, high = portfolio.interval(values)
        error = math.sqrt(p * (1 - p) / n)
        assert mean == pytest.approx(p, abs=1 / n)
        assert (high - low) / 2 == pytest.approx(1.96 * error, rel=0.12)
        assert low < mean < high

    def test_the_interval_covers_the_truth_about_95_times_in_100(self):
        torch.manual_seed(0)
        samples = (torch.rand(200, 300) < 0.8).double()
        inside = [low <= 0.8 <= high for _, low, high in (portfolio.interval(row, resamples=300) for row in samples)]
        assert 0.9 < sum(inside) / len(inside) < 0.99

    def test_the_interval_is_deterministic(self):
        values = torch.rand(100, dtype=torch.float64)
        assert portfolio.interval(values) == portfolio.interval(values)
        assert portfolio.interval(values, seed=1) != portfolio.interval(values)

    def test_pairs_are_sharper_than_two_separate_intervals(self):
        torch.manual_seed(0)
        old = (torch.rand(400) < 0.9).double()
        new = old.clone()
        new[:8] = 1.0
        _, low, high = portfolio.interval(new - old)
        widths = [ends[2] - ends[1] for ends in (portfolio.interval(old), portfolio.interval(new))]
        assert high - low < min(widths) / 2

    @pytest.mark.parametrize("mended", [4, 5])
    def test_the_bootstrap_claims_a_gain_from_few_images_and_the_sign_test_does_not(self, mended):
        gain = torch.cat([torch.ones(mended), torch.zeros(450 - mended)]).double()
        assert portfolio.interval(gain)[1] > 0
        assert 2 * 0.5**mended > 0.05

    @pytest.mark.parametrize(("mended", "broken", "share"), [(4, 0, 0.8), (9, 2, 1.0)])
    def test_the_bootstrap_claims_a_gain_with_most_seeds_where_a_coin_is_as_one_sided(self, mended, broken, share):
        gain = torch.cat([torch.ones(mended), -torch.ones(broken), torch.zeros(450 - mended - broken)]).double()
        above = [portfolio.interval(gain, seed=seed)[1] > 0 for seed in range(20)]
        assert sum(above) >= share * len(above)
        n = mended + broken
        p = 2 * sum(math.comb(n, k) for k in range(broken + 1)) / 2**n
        assert 1 / p == pytest.approx(8 if broken == 0 else 15, abs=0.5)

    def test_the_bootstrap_and_the_sign_test_agree_when_more_images_differ(self):
        for mended, broken in ((12, 6), (30, 8)):
            gain = torch.cat([torch.ones(mended), -torch.ones(broken), torch.zeros(400)]).double()
            n = mended + broken
            p = 2 * sum(math.comb(n, k) for k in range(broken + 1)) / 2**n
            assert (portfolio.interval(gain)[1] > 0) is (p < 0.05)

    def test_the_untuned_baseline_gains_by_longer_training_as_well(self):
        accuracies = []
        for steps in (80, 800):
            torch.manual_seed(0)
            rows = portfolio.TRAINING
            model = portfolio.train(portfolio.build(0), portfolio.X[rows], portfolio.Y[rows], 0.01, steps)
            right = model(portfolio.X).argmax(dim=1) == portfolio.Y
            accuracies.append(right[portfolio.TEST].double().mean().item())
        assert accuracies[1] > accuracies[0] + 0.015

    def test_no_difference_gives_an_interval_of_zero(self):
        assert portfolio.interval(torch.zeros(50, dtype=torch.float64)) == (0.0, 0.0, 0.0)

    def test_training_learns_and_returns_a_model_in_eval_mode(self):
        torch.manual_seed(0)
        x = torch.randn(60, 4)
        y = (x[:, 0] > 0).long()
        model = portfolio.train(nn.Linear(4, 2), x, y, 0.05)
        assert not model.training
        assert (model(x).argmax(dim=1) == y).float().mean() > 0.95

    def test_training_validation_and_test_digits_are_disjoint(self):
        parts = portfolio.TEST, portfolio.VALIDATION, portfolio.TRAINING
        assert [int(part.sum()) for part in parts] == [450, 350, 997]
        assert (sum(part.int() for part in parts) == 1).all()

    def test_the_gain_over_an_untuned_baseline_vanishes_with_a_tuned_one(self):
        rate, network = portfolio.tuned(64, (0.01,))
        assert rate == 0.01
        _, untuned = portfolio.tuned(0, (0.01,))
        rate, tuned = portfolio.tuned(0, (0.01, 0.3))
        assert rate == 0.3
        assert portfolio.interval(network - untuned)[1] > 0
        mean, low, high = portfolio.interval(network - tuned)
        assert low <= 0 <= high and abs(mean) < 0.01

    @pytest.fixture
    def batches(self):
        torch.manual_seed(3)
        return [(torch.randn(8, 20), torch.randint(5, (8,))) for _ in range(10)]

    def test_resuming_is_exact_with_the_optimizer_and_not_without(self, batches):
        straight = checks.make(0)
        checks.train(*straight, batches)
        assert checks.same(straight[0], checks.resumed(batches, with_optimizer=True))
        assert not checks.same(straight[0], checks.resumed(batches, with_optimizer=False))

    def test_plain_sgd_has_no_state_to_forget(self):
        layer = nn.Linear(2, 1)
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
        layer(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        assert all(not any(v is not None for v in s.values()) for s in optimizer.state_dict()["state"].values())

    @pytest.mark.parametrize("seed", range(5))
    def test_the_untrained_loss_is_near_the_logarithm_of_the_classes(self, seed):
        model, _ = checks.make(seed)
        loss = F.cross_entropy(model(torch.randn(200, 20)), torch.randint(5, (200,)))
        assert loss.item() == pytest.approx(math.log(5), abs=0.15)

    def test_one_batch_is_memorized_and_a_model_without_gradients_does_not(self, batches):
        model, optimizer = checks.make(0)
        assert checks.train(model, optimizer, batches[:1] * 150) < 0.01
        model, _ = checks.make(0)
        other = torch.optim.AdamW(checks.make(1)[0].parameters())
        assert checks.train(model, other, batches[:1] * 150) > 1.0

    @pytest.mark.parametrize("seed", [0, 1])
    def test_an_optimizer_with_the_old_head_memorizes_one_batch_and_one_with_another_model_does_not(self, seed):
        x, y = torch.randn(16, 20), torch.randint(5, (16,))
        model, optimizer = checks.make(seed)
        model[2] = nn.Linear(64, 5)
        head = model[2].weight.detach().clone()
        assert checks.train(model, checks.make(seed + 1)[1], [(x, y)] * 300) > 1.0
        assert checks.train(model, optimizer, [(x, y)] * 300) < 0.05
        assert torch.equal(model[2].weight, head)

    @pytest.mark.parametrize("bug", ["plain list", "detached"])
    def test_a_head_alone_memorizes_one_batch(self, bug):
        torch.manual_seed(0)
        x, y = torch.randn(16, 20), torch.randint(5, (16,))
        body, head = nn.Linear(20, 64), nn.Linear(64, 5)

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = [body] if bug == "plain list" else nn.ModuleList([body])
                self.head = head

            def forward(self, x):
                hidden = self.body[0](x).relu()
                return self.head(hidden if bug == "plain list" else hidden.detach())

        model, before = Net(), body.weight.detach().clone()
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        assert checks.train(model, optimizer, [(x, y)] * 300) < 0.05
        assert torch.equal(body.weight, before)

    @pytest.mark.parametrize("seed", range(5))
    def test_the_untrained_loss_shows_large_logits_and_no_softmax_and_no_shifted_labels(self, seed):
        model, _ = checks.make(seed)
        x, y = torch.randn(200, 20), torch.randint(5, (200,))
        for logits, labels in ((model(x).softmax(dim=1), y), (model(x), (y + 1) % 5)):
            assert F.cross_entropy(logits, labels).item() == pytest.approx(math.log(5), abs=0.15)
        assert F.cross_entropy(model(100 * x), y) > 5

    @pytest.mark.parametrize("dropout", [False, True])
    def test_with_dropout_resuming_is_not_exact_without_the_random_state(self, dropout, batches, monkeypatch):
        make = checks.make

        def with_dropout(seed):
            model, _ = make(seed)
            model.insert(2, nn.Dropout(0.5 if dropout else 0.0))
            return model, torch.optim.AdamW(model.parameters(), lr=0.01)

        monkeypatch.setattr(checks, "make", with_dropout)
        straight = checks.make(0)
        checks.train(*straight, batches)
        assert checks.same(straight[0], checks.resumed(batches, with_optimizer=True)) is not dropout

    def test_same_notices_one_changed_weight(self):
        left, right = checks.make(0)[0], checks.make(0)[0]
        assert checks.same(left, right)
        with torch.no_grad():
            right[2].bias[4] += 1e-4
        assert not checks.same(left, right)
