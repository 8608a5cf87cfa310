"""What docs/junior/training-loop/write-a-loop.md claims, proven beyond the example shown."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from warmup.testing import load_snippet

write_a_loop = load_snippet("junior/training-loop/write_a_loop.py")
ablation = load_snippet("junior/training-loop/write_a_loop_ablation_broken.py")

CPU = torch.device("cpu")
METRICS = {"loss": F.cross_entropy, "accuracy": write_a_loop.accuracy}


def train_epoch(model, loader, optimizer, device) -> float:
    return write_a_loop.train_epoch(model, loader, F.cross_entropy, optimizer, device)


def evaluate(model, loader, device) -> tuple[float, float]:
    """Loss and accuracy."""
    return tuple(write_a_loop.evaluate(model, loader, METRICS, device).values())


def blobs(count: int, classes: int = 10) -> TensorDataset:
    y = torch.arange(count) % classes
    return TensorDataset(torch.randn(count, 64) + 4 * F.one_hot(y, 64), y)


def small_model() -> nn.Sequential:
    return nn.Sequential(nn.Linear(64, 16), nn.BatchNorm1d(16), nn.Dropout(0.5), nn.Linear(16, 10))


@pytest.fixture(scope="module")
def result():
    return {
        dropped: ablation.run(dropped, epochs=3)
        for dropped in (
            "nothing",
            "model.train()",
            "model.eval()",
            "zero_grad()",
            "step()",
            "inference_mode()",
            "* len(y)",
            "+ softmax",
        )
    }


class TestWriteALoop:
    def test_loss_falls_and_accuracy_rises(self):
        train_set, held_out = blobs(600), blobs(300)
        model = small_model()
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
        loader, held_out_loader = DataLoader(train_set, 32, shuffle=True), DataLoader(held_out, 128)
        first = evaluate(model, held_out_loader, CPU)
        losses = [train_epoch(model, loader, optimizer, CPU) for _ in range(6)]
        last = evaluate(model, held_out_loader, CPU)
        assert losses[-1] < losses[0] / 2
        assert last[0] < first[0] / 2 and first[1] < 0.4 and last[1] > 0.8

    def test_the_digits_are_split_without_overlap(self):
        train_set, held_out = write_a_loop.digits()
        assert len(train_set) == 1200 and len(held_out) == 597
        x, y = train_set.tensors
        assert x.dtype == torch.float32 and y.dtype == torch.int64 and x.min() == 0 and x.max() == 1
        rows = torch.cat([x, held_out.tensors[0]])
        assert len(rows.unique(dim=0)) == 1797

    def test_the_model_holds_dropout_and_batch_norm(self):
        kinds = {type(module) for module in write_a_loop.build_model().modules()}
        assert {nn.Dropout, nn.BatchNorm1d} < kinds

    @pytest.mark.parametrize("batch_size", [1, 7, 64, 100])
    def test_the_evaluation_does_not_depend_on_the_batch_size(self, batch_size):
        data, model = blobs(100), small_model()
        model(data.tensors[0])  # running statistics
        loss, accuracy = evaluate(model, DataLoader(data, batch_size), CPU)
        logits = model(data.tensors[0])
        assert loss == pytest.approx(F.cross_entropy(logits, data.tensors[1]).item(), rel=1e-5)
        assert accuracy == pytest.approx((logits.argmax(1) == data.tensors[1]).float().mean().item())

    def test_evaluation_changes_nothing_in_the_model_but_its_mode(self):
        model = small_model().train()
        before = {key: value.clone() for key, value in model.state_dict().items()}
        evaluate(model, DataLoader(blobs(50), 20), CPU)
        assert all(torch.equal(value, before[key]) for key, value in model.state_dict().items())
        assert not any(module.training for module in model.modules())
        assert all(parameter.grad is None for parameter in model.parameters())

    def test_a_training_pass_follows_an_evaluation(self):
        model = small_model().eval()
        train_epoch(model, DataLoader(blobs(50), 25), torch.optim.SGD(model.parameters(), lr=0.1), CPU)
        assert all(module.training for module in model.modules())
        assert model[1].num_batches_tracked.item() == 2

    def test_the_training_loss_is_the_mean_over_samples(self):
        data = blobs(70)
        model = nn.Linear(64, 10)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
        loss = train_epoch(model, DataLoader(data, 32), optimizer, CPU)
        assert loss == pytest.approx(F.cross_entropy(model(data.tensors[0]), data.tensors[1]).item(), rel=1e-5)

    def test_both_passes_move_each_batch_to_the_device(self):
        class Elsewhere:
            def __init__(self, tensor):
                self.tensor = tensor

            def to(self, device):
                moves.append(device)
                return self.tensor

        moves, model = [], nn.Linear(64, 10)
        loader = [(Elsewhere(torch.randn(4, 64)), Elsewhere(torch.arange(4))) for _ in range(3)]
        train_epoch(model, loader, torch.optim.SGD(model.parameters(), lr=0.1), CPU)
        evaluate(model, loader, CPU)
        assert moves == [CPU] * 12

    @pytest.mark.parametrize("shape", [(8, 1), (8, 5)])
    def test_the_accuracy_refuses_labels_that_are_not_one_per_sample(self, shape):
        with pytest.raises(ValueError, match=r"^labels of shape \(8, \d\) instead of \(n,\)$"):
            write_a_loop.accuracy(torch.randn(8, 10), torch.zeros(shape).long())

    @pytest.mark.parametrize("empty", [[], DataLoader(range(20), 64, drop_last=True)])
    def test_both_passes_refuse_an_empty_loader(self, empty):
        model = nn.Linear(64, 10)
        with pytest.raises(ValueError, match="^the loader is empty$"):
            train_epoch(model, empty, torch.optim.SGD(model.parameters(), lr=0.1), CPU)
        with pytest.raises(ValueError, match="^the loader is empty$"):
            evaluate(model, empty, CPU)

    def test_fit_ends_with_the_weights_of_the_best_epoch(self):
        torch.manual_seed(0)
        train_set, held_out = blobs(40), blobs(90)
        train_set.tensors[1].random_(10)  # labels that cannot be learned: the held-out loss rises
        model, loader = small_model(), DataLoader(held_out, 32)
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.02)
        train_loader, metrics = DataLoader(train_set, 8, shuffle=True), {"accuracy": write_a_loop.accuracy}
        history = write_a_loop.fit(model, train_loader, loader, F.cross_entropy, optimizer, 8, metrics)
        losses = [row["held-out loss"] for row in history]
        assert len(losses) == 8 and min(losses) < losses[-1]
        best = history[losses.index(min(losses))]
        assert evaluate(model, loader, CPU) == pytest.approx((best["held-out loss"], best["accuracy"]))

    def test_fit_takes_a_regression_that_it_does_not_know(self):
        torch.manual_seed(0)
        x = torch.linspace(-3, 3, 150).unsqueeze(1)
        data = TensorDataset(x, x.sin())
        model = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        loaders = DataLoader(data, 32, shuffle=True), DataLoader(data, 64)
        metrics = {"worst in a batch": lambda prediction, y: (prediction - y).abs().max()}
        history = write_a_loop.fit(model, *loaders, nn.MSELoss(), optimizer, 40, metrics)
        assert history[0].keys() == {"training loss", "held-out loss", "worst in a batch"}
        assert (model(x) - x.sin()).square().mean() < 0.01 < history[0]["held-out loss"]

    def test_fit_with_a_loss_that_is_never_finite_keeps_the_last_weights(self):
        model = nn.Linear(64, 10)
        before = model.weight.detach().clone()
        broken = lambda logits, y: F.cross_entropy(logits, y) * torch.nan  # noqa: E731
        loader, optimizer = DataLoader(blobs(20), 10), torch.optim.SGD(model.parameters(), lr=0.1)
        (row,) = write_a_loop.fit(model, loader, loader, broken, optimizer, 1)
        assert math.isnan(row["held-out loss"]) and not torch.equal(model.weight, before)

    def test_fit_ends_in_eval_mode_and_without_an_epoch_changes_nothing(self):
        model, loader = small_model().train(), DataLoader(blobs(20), 10)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        assert write_a_loop.fit(model, loader, loader, F.cross_entropy, optimizer, 0) == [] and model.training
        write_a_loop.fit(model, loader, loader, F.cross_entropy, optimizer, 1)
        assert not any(module.training for module in model.modules())

    @pytest.mark.filterwarnings("error")
    @pytest.mark.parametrize("optimizer_type", [torch.optim.SGD, torch.optim.AdamW])
    def test_hooks_of_the_optimizer_clip_and_step_a_scheduler_in_each_batch(self, optimizer_type):
        def new():
            torch.manual_seed(0)
            model = nn.Linear(64, 10)
            optimizer = optimizer_type(model.parameters(), lr=0.1)
            return model, optimizer, torch.optim.lr_scheduler.LinearLR(optimizer, total_iters=9)

        loader = DataLoader(blobs(50), 10)
        model, optimizer, scheduler = new()
        optimizer.register_step_pre_hook(lambda *_: nn.utils.clip_grad_norm_(model.parameters(), 0.01) and None)
        optimizer.register_step_post_hook(lambda *_: scheduler.step())
        for _ in range(2):
            train_epoch(model, loader, optimizer, CPU)
        by_hand, optimizer, scheduler = new()
        for x, y in [*loader, *loader]:
            optimizer.zero_grad()
            F.cross_entropy(by_hand(x), y).backward()
            nn.utils.clip_grad_norm_(by_hand.parameters(), 0.01)
            optimizer.step()
            scheduler.step()
        assert torch.equal(model.weight, by_hand.weight) and scheduler.last_epoch == 10

    def test_an_epoch_is_plain_sgd_by_hand(self):
        data, model, copy = blobs(40), nn.Linear(64, 10), nn.Linear(64, 10)
        copy.load_state_dict(model.state_dict())
        train_epoch(model, DataLoader(data, 20), torch.optim.SGD(model.parameters(), lr=0.5), CPU)
        for x, y in DataLoader(data, 20):
            gradients = torch.autograd.grad(F.cross_entropy(copy(x), y), list(copy.parameters()))
            with torch.no_grad():
                for parameter, gradient in zip(copy.parameters(), gradients, strict=True):
                    parameter -= 0.5 * gradient
        torch.testing.assert_close(model.weight, copy.weight)

    def test_evaluation_records_no_graph(self):
        seen = []

        class Spy(nn.Linear):
            def forward(self, x):
                seen.append(super().forward(x).requires_grad)
                return super().forward(x)

        evaluate(Spy(64, 10), DataLoader(blobs(10), 5), CPU)
        assert seen == [False] * 2

    @pytest.mark.parametrize("keeps", ["a cache", "a buffer", "a lazy weight"])
    @pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
    def test_a_tensor_that_the_model_keeps_from_inference_mode_stops_training_and_one_from_no_grad_does_not(
        self, keeps, mode
    ):
        class Keeps(nn.Module):
            def __init__(self):
                super().__init__()
                self.first = nn.Linear(64, 8)
                self.layer = nn.LazyLinear(10) if keeps == "a lazy weight" else nn.Linear(8, 10)
                self.register_buffer("scale", None, persistent=keeps == "a buffer")

            def forward(self, x):
                if self.scale is None and not self.training and keeps != "a lazy weight":
                    self.scale = torch.ones(10)
                x = self.layer(self.first(x))
                return x if self.scale is None else x * self.scale

        model, loader = Keeps(), DataLoader(blobs(20), 10)
        with mode():
            evaluate(model, loader, CPU)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        if mode is torch.inference_mode:
            with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
                train_epoch(model, loader, optimizer, CPU)
        else:
            assert math.isfinite(train_epoch(model, loader, optimizer, CPU))

    @pytest.mark.parametrize(("mode", "trains"), [(torch.no_grad, True), (torch.inference_mode, False)])
    def test_a_first_layer_that_gets_its_shape_in_inference_mode_stays_untrained(self, mode, trains):
        model, loader = nn.LazyLinear(10), DataLoader(blobs(20), 10)
        with mode():
            evaluate(model, loader, CPU)
        before = model.weight.detach().clone()
        train_epoch(model, loader, torch.optim.SGD(model.parameters(), lr=0.1), CPU)
        assert torch.equal(model.weight, before) != trains

    def test_fit_trains_on_after_an_evaluation_that_fills_a_cache(self):
        class Cached(nn.Linear):
            scale = None

            def forward(self, x):
                if self.scale is None or len(self.scale) < len(x):
                    self.scale = torch.linspace(1, 2, len(x)).unsqueeze(1)
                return super().forward(x) * self.scale[: len(x)]

        model, data = Cached(64, 10), blobs(40)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        loaders = DataLoader(data, 10), DataLoader(data, 20)  # the larger batch fills it anew
        assert len(write_a_loop.fit(model, *loaders, F.cross_entropy, optimizer, epochs=2)) == 2

    def test_what_a_hook_before_the_step_returns_replaces_its_arguments(self):
        model = nn.Linear(64, 10)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        optimizer.register_step_pre_hook(lambda *_: nn.utils.clip_grad_norm_(model.parameters(), 1.0))
        with pytest.raises(RuntimeError, match="must return None or a tuple"):
            train_epoch(model, DataLoader(blobs(20), 10), optimizer, CPU)

    @pytest.mark.parametrize("classes", [50, 500])
    def test_an_embedding_that_is_the_output_layer_too_begins_far_above_log_c(self, classes):
        torch.manual_seed(0)
        tokens, embedding = torch.arange(classes), nn.Embedding(classes, 64)
        assert abs(embedding.weight.std().item() - 1) < 0.1
        h = F.layer_norm(torch.randn(classes, 64), (64,))
        assert F.cross_entropy(h @ embedding.weight.T, tokens) > 3 * math.log(classes)
        nn.init.normal_(embedding.weight, std=0.02)
        assert F.cross_entropy(h @ embedding.weight.T, tokens).item() == pytest.approx(math.log(classes), rel=0.05)

    def test_backward_changes_no_weight_and_step_needs_it(self):
        model = nn.Linear(64, 10)
        before = model.weight.detach().clone()
        optimizer = torch.optim.AdamW(model.parameters())
        optimizer.step()
        assert torch.equal(model.weight, before)
        F.cross_entropy(model(torch.randn(3, 64)), torch.tensor([0, 1, 2])).backward()
        assert torch.equal(model.weight, before)
        optimizer.step()
        assert not torch.equal(model.weight, before)

    def test_eval_does_not_stop_autograd_and_inference_mode_does_not_stop_dropout(self):
        model, x = small_model(), torch.randn(8, 64)
        assert model.eval()(x).requires_grad
        model.train()
        with torch.inference_mode():
            assert not torch.equal(model(x), model(x))

    def test_in_eval_mode_a_prediction_does_not_depend_on_its_neighbors(self):
        model, x = small_model(), torch.randn(8, 64)
        model(x)
        torch.testing.assert_close(model.eval()(x)[:1], model(x[:1]))
        with pytest.raises(ValueError, match="more than 1 value per channel"):
            model.train()(x[:1])

    def test_argmax_needs_no_softmax(self):
        logits = torch.randn(100, 10)
        assert torch.equal(logits.argmax(1), logits.softmax(1).argmax(1))

    def test_calling_the_model_runs_hooks_and_forward_does_not(self):
        model, calls = nn.Linear(2, 2), []
        model.register_forward_hook(lambda *_: calls.append(1))
        model.forward(torch.ones(1, 2))
        assert not calls
        model(torch.ones(1, 2))
        assert calls

    def test_no_omission_raises_and_only_step_is_obvious(self, result):
        assert result["step()"]["accuracy"] < 0.2
        for dropped, row in result.items():
            if dropped != "step()":
                assert row["accuracy"] > 0.75 and row["true accuracy"] > 0.85, dropped

    def test_without_step_the_loss_stays_where_it_began(self, result):
        assert result["step()"]["training loss"] > math.log(10) > result["nothing"]["training loss"]

    def test_the_ablated_loop_without_omission_is_the_loop_of_the_page(self, result):
        torch.manual_seed(0)
        train_set, held_out = write_a_loop.digits()
        loader, held_out_loader = DataLoader(train_set, 64, shuffle=True), DataLoader(held_out, 256)
        model = write_a_loop.build_model()
        optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
        for _ in range(3):
            training_loss = train_epoch(model, loader, optimizer, CPU)
            loss, accuracy = evaluate(model, held_out_loader, CPU)
        assert training_loss == pytest.approx(result["nothing"]["training loss"], rel=1e-5)
        assert loss == pytest.approx(result["nothing"]["loss"], rel=1e-5)
        assert accuracy == pytest.approx(result["nothing"]["accuracy"], rel=1e-6)
        assert accuracy == pytest.approx(result["nothing"]["true accuracy"], rel=1e-6)

    def test_without_train_the_training_loss_looks_better(self, result):
        assert result["model.train()"]["training loss"] < result["nothing"]["training loss"] - 0.1

    @pytest.mark.parametrize("p", [0.0, 0.5])
    def test_without_train_the_training_loss_looks_too_good_because_of_dropout(self, p, monkeypatch):
        monkeypatch.setattr(ablation.nn, "Dropout", lambda _, make=nn.Dropout: make(p))
        with_train, without = (
            ablation.run(dropped, epochs=4)["training loss"] for dropped in ("nothing", "model.train()")
        )
        assert (without < with_train) is (p > 0)

    def test_without_eval_the_report_is_wrong_and_the_model_fine(self, result):
        row = result["model.eval()"]
        assert row["loss"] > result["nothing"]["loss"] + 0.05
        assert row["true accuracy"] > row["accuracy"] + 0.02

    def test_without_eval_the_held_out_loss_depends_on_the_batch_size(self):
        data, model = blobs(100), small_model()
        model[2].p = 0.0  # batch norm alone
        losses = {}
        for mode in (True, False):
            model.train(mode)
            losses[mode] = [
                sum(F.cross_entropy(model(x), y, reduction="sum").item() for x, y in DataLoader(data, size)) / 100
                for size in (10, 100)
            ]
        assert abs(losses[True][0] - losses[True][1]) > 1e-3

    def test_without_eval_evaluating_changes_the_model(self):
        model = small_model().train()
        before = model[1].running_mean.clone()
        with torch.inference_mode():
            model(torch.randn(20, 64) + 3)
        assert not torch.equal(model[1].running_mean, before)

    def test_without_inference_mode_not_one_digit_changes(self, result):
        assert result["inference_mode()"] == result["nothing"]

    def test_without_weights_the_losses_are_off_and_the_accuracy_is_not(self, result):
        row = result["* len(y)"]
        assert row["loss"] != pytest.approx(result["nothing"]["loss"], rel=1e-3)
        assert row["training loss"] != result["nothing"]["training loss"]
        assert row["accuracy"] == result["nothing"]["accuracy"]

    def test_the_last_held_out_batch_has_85_samples(self):
        assert [len(y) for _, y in DataLoader(write_a_loop.digits()[1], batch_size=256)] == [256, 256, 85]

    def test_softmax_before_the_loss_has_a_floor(self, result):
        floor = math.log(math.e + 9) - 1
        sure = 1000 * F.one_hot(torch.arange(10)).float()
        assert F.cross_entropy(sure.softmax(1), torch.arange(10)).item() == pytest.approx(floor, rel=1e-5)
        assert F.cross_entropy(sure, torch.arange(10)).item() == 0
        assert result["+ softmax"]["loss"] > floor and result["+ softmax"]["accuracy"] > 0.8

    def test_without_zero_grad_momentum_ruins_what_adamw_survives(self, result, monkeypatch):
        assert result["zero_grad()"]["accuracy"] > 0.85
        monkeypatch.setattr(torch.optim, "AdamW", lambda p, lr: torch.optim.SGD(p, lr=0.1, momentum=0.9))
        assert ablation.run("nothing", epochs=3)["accuracy"] > 0.9
        assert ablation.run("zero_grad()", epochs=3)["accuracy"] < 0.5

    def test_adamw_does_not_see_the_size_of_the_gradient(self):
        weights = []
        for scale in (1.0, 1000.0):
            w = nn.Parameter(torch.tensor([1.0, -2.0]))
            optimizer = torch.optim.AdamW([w], lr=0.1)
            for gradient in torch.tensor([[1.0, 0.5], [-0.3, 2.0], [0.7, 0.1]]):
                w.grad = scale * gradient
                optimizer.step()
            weights.append(w.detach())
        torch.testing.assert_close(*weights)

    def test_the_training_set_in_eval_mode_is_below_the_held_out_loss(self):
        torch.manual_seed(1)
        train_set, held_out = write_a_loop.digits()
        loader, model = DataLoader(train_set, 64, shuffle=True), write_a_loop.build_model()
        optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
        for _ in range(5):
            training_loss = train_epoch(model, loader, optimizer, CPU)
        fair, _ = evaluate(model, loader, CPU)
        held_out_loss, _ = evaluate(model, DataLoader(held_out, 256), CPU)
        assert fair < held_out_loss < training_loss

    def test_a_sum_of_loss_tensors_keeps_the_graphs(self):
        w = nn.Parameter(torch.ones(1))
        kept, freed = 0.0, 0.0
        for _ in range(3):
            loss = (w * 2).sum()
            kept, freed = kept + loss, freed + loss.detach()
        assert kept.grad_fn is not None and freed.grad_fn is None
        assert torch.autograd.grad(kept, w)[0].item() == 6

    def test_batch_norm_raises_for_one_sample_of_one_value_per_channel_only(self):
        with pytest.raises(ValueError, match="more than 1 value per channel"):
            nn.BatchNorm1d(3)(torch.randn(1, 3))
        nn.BatchNorm1d(3)(torch.randn(1, 3, 4))
        nn.BatchNorm2d(3)(torch.randn(1, 3, 4, 4))

    @pytest.mark.parametrize("scale", [1.0, 255.0])
    @pytest.mark.parametrize("label", [None, 0])
    def test_the_first_loss_depends_on_the_scale_of_the_inputs_and_not_on_the_class_balance(self, scale, label):
        x, y = scale * torch.rand(500, 64), torch.arange(500) % 10 if label is None else torch.full((500,), label)
        torch.manual_seed(0)
        first = []
        for _ in range(10):
            model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
            first.append(F.cross_entropy(model(x), y).item())
        off = [abs(loss - math.log(10)) for loss in first]
        assert max(off) < 0.5 if scale == 1 else sum(off) / 10 > 5

    @pytest.mark.parametrize("count", ["samples", "weights", "ignored"])
    def test_a_mean_loss_is_weighted_by_what_it_was_divided_by(self, count):
        logits, label = torch.randn(100, 3), torch.randint(3, (100,))
        weight = torch.tensor([1.0, 5.0, 0.2]) if count == "weights" else None
        if count == "ignored":
            label[:20] = -100
        total = by_size = divisor = 0.0
        for rows, labels in zip(logits.split(32), label.split(32), strict=True):
            loss = F.cross_entropy(rows, labels, weight=weight).item()
            part = (labels != -100).sum().item() if weight is None else weight[labels].sum().item()
            total, by_size, divisor = total + loss * part, by_size + loss * len(labels), divisor + part
        expected = F.cross_entropy(logits, label, weight=weight).item()
        assert total / divisor == pytest.approx(expected, rel=1e-5)
        assert (by_size / 100 == pytest.approx(expected, rel=1e-5)) is (count == "samples")

    @pytest.mark.parametrize(("smoothing", "least"), [(0.0, 0.0), (0.1, 0.5003)])
    def test_one_batch_is_not_overfitted_to_zero_with_label_smoothing(self, smoothing, least):
        x, y = torch.randn(20, 16), torch.arange(20) % 10
        model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 10))
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        for _ in range(150):
            loss = F.cross_entropy(model(x), y, label_smoothing=smoothing)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        assert loss.item() == pytest.approx(least, abs=0.02)

    def test_evaluating_twice_in_another_order_differs_by_rounding(self):
        data, model = blobs(300), small_model()
        shuffled = DataLoader(data, 64, shuffle=True)
        first, second = (evaluate(model, shuffled, CPU) for _ in range(2))
        assert first == pytest.approx(second, rel=1e-5)
        in_order = DataLoader(data, 64)
        assert evaluate(model, in_order, CPU) == evaluate(model, in_order, CPU)

    @pytest.mark.parametrize("classes", [3, 10])
    def test_four_checks_before_a_long_run(self, classes):
        data = TensorDataset(torch.randn(30, 64), torch.arange(30) % classes)
        model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, classes))
        loader = DataLoader(data, 30)
        first = evaluate(model, loader, CPU)
        assert first[0] == pytest.approx(math.log(classes), abs=0.2)
        assert first == evaluate(model, loader, CPU)
        before = [parameter.detach().clone() for parameter in model.parameters()]
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        train_epoch(model, loader, optimizer, CPU)
        assert not any(map(torch.equal, before, model.parameters()))
        for _ in range(60):
            last = train_epoch(model, loader, optimizer, CPU)
        assert last < 0.02

    @pytest.mark.parametrize(("kind", "changed"), [(torch.optim.AdamW, True), (torch.optim.SGD, False)])
    def test_weight_decay_changes_a_dead_layer_that_gets_no_gradient(self, kind, changed):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
        nn.init.constant_(model[0].bias, -100)
        before = model[0].weight.detach().clone()
        optimizer = kind(model.parameters(), lr=0.01)
        model(torch.randn(16, 4)).square().mean().backward()
        optimizer.step()
        assert not model[0].weight.grad.any()
        assert torch.equal(before, model[0].weight) != changed
