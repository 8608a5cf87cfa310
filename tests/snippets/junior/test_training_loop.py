"""Every claim that the pages of docs/junior/training-loop make, proven beyond the example shown."""

import math

import pytest
import torch
import torch.nn.functional as F
from sklearn.metrics import average_precision_score, f1_score
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from warmup.testing import load_snippet

write_a_loop = load_snippet("junior/training-loop/write_a_loop.py")
accuracy = load_snippet("junior/training-loop/accuracy.py")
ablation = load_snippet("junior/training-loop/write_a_loop_ablation_broken.py")
optimizers = load_snippet("junior/training-loop/optimizers_steps.py")
optimizers_paths = load_snippet("junior/training-loop/optimizers_paths.py")
optimizers_learning_rate = load_snippet("junior/training-loop/optimizers_learning_rate.py")
optimizers_broken = load_snippet("junior/training-loop/optimizers_broken.py")
optimizers_state = load_snippet("junior/training-loop/optimizers_state.py")
loss_functions_broken = load_snippet("junior/training-loop/loss_functions_broken.py")
loss_functions_bce = load_snippet("junior/training-loop/loss_functions_bce.py")
cross_entropy_logits = load_snippet("junior/training-loop/cross_entropy_logits.py")
cross_entropy_logits_broken = load_snippet("junior/training-loop/cross_entropy_logits_broken.py")
loss_functions_curves = load_snippet("junior/training-loop/loss_functions_curves.py")
overfitting = load_snippet("junior/training-loop/overfitting_remedies.py")
overfitting_turn = load_snippet("junior/training-loop/overfitting_turn.py")
overfitting_broken = load_snippet("junior/training-loop/overfitting_broken.py")
overfitting_confidence = load_snippet("junior/training-loop/overfitting_confidence.py")

CPU = torch.device("cpu")


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
        first = write_a_loop.evaluate(model, held_out_loader, CPU)
        losses = [write_a_loop.train_epoch(model, loader, optimizer, CPU) for _ in range(6)]
        last = write_a_loop.evaluate(model, held_out_loader, CPU)
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
        loss, accuracy = write_a_loop.evaluate(model, DataLoader(data, batch_size), CPU)
        logits = model(data.tensors[0])
        assert loss == pytest.approx(F.cross_entropy(logits, data.tensors[1]).item(), rel=1e-5)
        assert accuracy == pytest.approx((logits.argmax(1) == data.tensors[1]).float().mean().item())

    def test_evaluation_changes_nothing_in_the_model_but_its_mode(self):
        model = small_model().train()
        before = {key: value.clone() for key, value in model.state_dict().items()}
        write_a_loop.evaluate(model, DataLoader(blobs(50), 20), CPU)
        assert all(torch.equal(value, before[key]) for key, value in model.state_dict().items())
        assert not any(module.training for module in model.modules())
        assert all(parameter.grad is None for parameter in model.parameters())

    def test_a_training_pass_follows_an_evaluation(self):
        model = small_model().eval()
        write_a_loop.train_epoch(model, DataLoader(blobs(50), 25), torch.optim.SGD(model.parameters(), lr=0.1), CPU)
        assert all(module.training for module in model.modules())
        assert model[1].num_batches_tracked.item() == 2

    def test_the_training_loss_is_the_mean_over_samples(self):
        data = blobs(70)
        model = nn.Linear(64, 10)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
        loss = write_a_loop.train_epoch(model, DataLoader(data, 32), optimizer, CPU)
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
        write_a_loop.train_epoch(model, loader, torch.optim.SGD(model.parameters(), lr=0.1), CPU)
        write_a_loop.evaluate(model, loader, CPU)
        assert moves == [CPU] * 12

    @pytest.mark.parametrize("inputs", [(8, 64), (8, 5, 64)])
    def test_both_passes_refuse_labels_of_another_shape_and_an_empty_loader(self, inputs):
        model = nn.Linear(64, 10)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        before = model.weight.detach().clone()
        x = torch.randn(inputs)
        many = x.movedim(-1, 1)  # (n, C, T) are logits that cross_entropy takes with labels (n, T)
        for labels in (torch.zeros(8, 5).long(), torch.zeros(8, 1).long(), torch.rand(8, 10)):
            for data in ([(x, labels)], DataLoader(TensorDataset(many, labels), 4)):
                with pytest.raises(ValueError, match=r"^labels of shape \(\d, \d+\) instead of \(n,\)$"):
                    write_a_loop.train_epoch(model, data, optimizer, CPU)
                with pytest.raises(ValueError, match=r"^labels of shape"):
                    write_a_loop.evaluate(model, data, CPU)
        assert torch.equal(model.weight, before)
        for empty in ([], DataLoader(blobs(20), 64, drop_last=True)):
            with pytest.raises(ValueError, match="^the loader is empty$"):
                write_a_loop.train_epoch(model, empty, optimizer, CPU)
            with pytest.raises(ValueError, match="^the loader is empty$"):
                write_a_loop.evaluate(model, empty, CPU)

    def test_an_epoch_is_plain_sgd_by_hand(self):
        data, model, copy = blobs(40), nn.Linear(64, 10), nn.Linear(64, 10)
        copy.load_state_dict(model.state_dict())
        write_a_loop.train_epoch(model, DataLoader(data, 20), torch.optim.SGD(model.parameters(), lr=0.5), CPU)
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
                seen.append((super().forward(x).requires_grad, torch.is_inference_mode_enabled()))
                return super().forward(x)

        write_a_loop.evaluate(Spy(64, 10), DataLoader(blobs(10), 5), CPU)
        assert seen == [(False, True)] * 2

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
            training_loss = write_a_loop.train_epoch(model, loader, optimizer, CPU)
            loss, accuracy = write_a_loop.evaluate(model, held_out_loader, CPU)
        assert training_loss == pytest.approx(result["nothing"]["training loss"], rel=1e-5)
        assert loss == pytest.approx(result["nothing"]["loss"], rel=1e-5)
        assert accuracy == result["nothing"]["accuracy"] == pytest.approx(result["nothing"]["true accuracy"])

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
            training_loss = write_a_loop.train_epoch(model, loader, optimizer, CPU)
        fair, _ = write_a_loop.evaluate(model, loader, CPU)
        held_out_loss, _ = write_a_loop.evaluate(model, DataLoader(held_out, 256), CPU)
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

    @pytest.mark.filterwarnings("ignore::UserWarning")
    def test_inference_mode_gives_this_model_the_same_numbers_and_a_padded_encoder_others(self):
        model, x = write_a_loop.build_model().eval(), torch.randn(5, 64)
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        encoder, tokens = nn.TransformerEncoder(layer, 1).eval(), torch.randn(2, 4, 8)
        padding = torch.tensor([[False, False, False, True], [False, False, True, True]])
        recorded = model(x), encoder(tokens, src_key_padding_mask=padding)
        with torch.inference_mode():
            torch.testing.assert_close(model(x), recorded[0].detach())
            fast = encoder(tokens, src_key_padding_mask=padding)
        torch.testing.assert_close(fast[~padding], recorded[1].detach()[~padding])
        assert not fast[padding].any() and recorded[1][padding].any()

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

    @pytest.mark.parametrize("build", [torch.optim.SGD, torch.optim.Adam])
    def test_a_residual_branch_that_starts_at_zero_has_not_changed_after_one_step(self, build):
        body, scale, head = nn.Linear(8, 8), nn.Parameter(torch.zeros(8)), nn.Linear(8, 3)
        optimizer = build([*body.parameters(), scale, *head.parameters()], lr=0.1)
        before, x, y = body.weight.detach().clone(), torch.randn(32, 8), torch.arange(32) % 3
        changed = []
        for _ in range(3):
            loss = F.cross_entropy(head(x + scale * body(x)), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            changed.append((not torch.equal(before, body.weight), bool(scale.any())))
        assert changed == [(False, True), (True, True), (True, True)]

    @pytest.mark.parametrize(("dtype", "stops"), [(torch.float32, 1000), (torch.bfloat16, 256)])
    def test_a_sum_of_detached_losses_stops_in_bfloat16_unless_it_is_float32(self, dtype, stops):
        model, x = nn.Linear(4, 3).to(dtype), torch.randn(2, 4, dtype=dtype)
        assert F.cross_entropy(model(x), torch.tensor([0, 1])).dtype == dtype
        total = safe = 0.0
        for _ in range(1000):
            loss = torch.ones((), dtype=dtype, requires_grad=True)
            total += loss.detach()
            safe += loss.detach().float()
        assert total.item() == stops and safe.item() == 1000

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

    @pytest.mark.parametrize("heads", [1, 2])
    def test_the_bias_of_attentions_keys_has_no_effect_and_that_of_the_queries_has(self, heads):
        attention, x = nn.MultiheadAttention(8, heads, batch_first=True), torch.randn(4, 5, 8)
        nn.init.normal_(attention.in_proj_bias)
        attention(x, x, x)[0].square().sum().backward()
        queries, keys, values = attention.in_proj_bias.grad.abs().split(8)
        assert keys.max() < 1e-4 * queries.max() and values.max() > queries.max() / 100

    @pytest.mark.parametrize("norm", [nn.BatchNorm1d(16), nn.Identity()])
    def test_a_bias_right_before_batch_norm_has_no_effect(self, norm):
        first = nn.Linear(8, 16)
        model = nn.Sequential(first, norm, nn.ReLU(), nn.Linear(16, 3))
        F.cross_entropy(model(torch.randn(32, 8)), torch.arange(32) % 3).backward()
        assert (first.bias.grad.abs().max() < 1e-6) == isinstance(norm, nn.BatchNorm1d)

    def test_evaluating_twice_in_another_order_differs_by_rounding(self):
        data, model = blobs(300), small_model()
        shuffled = DataLoader(data, 64, shuffle=True)
        first, second = (write_a_loop.evaluate(model, shuffled, CPU) for _ in range(2))
        assert first == pytest.approx(second, rel=1e-5)
        in_order = DataLoader(data, 64)
        assert write_a_loop.evaluate(model, in_order, CPU) == write_a_loop.evaluate(model, in_order, CPU)

    @pytest.mark.parametrize("classes", [3, 10])
    def test_four_checks_before_a_long_run(self, classes):
        data = TensorDataset(torch.randn(30, 64), torch.arange(30) % classes)
        model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, classes))
        loader = DataLoader(data, 30)
        first = write_a_loop.evaluate(model, loader, CPU)
        assert first[0] == pytest.approx(math.log(classes), abs=0.2)
        assert first == write_a_loop.evaluate(model, loader, CPU)
        before = [parameter.detach().clone() for parameter in model.parameters()]
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        write_a_loop.train_epoch(model, loader, optimizer, CPU)
        assert not any(map(torch.equal, before, model.parameters()))
        for _ in range(60):
            last = write_a_loop.train_epoch(model, loader, optimizer, CPU)
        assert last < 0.02


class TestOptimizers:
    def test_the_step_by_hand_is_sgd_for_any_model_and_rate(self):
        for lr in (0.01, 0.7):
            library, by_hand = small_model(), small_model()
            by_hand.load_state_dict(library.state_dict())
            optimizer = torch.optim.SGD(library.parameters(), lr=lr)
            gradients = [torch.randn_like(parameter) for parameter in library.parameters()]
            for model in (library, by_hand):
                for parameter, gradient in zip(model.parameters(), gradients, strict=True):
                    parameter.grad = gradient.clone()
            before = by_hand[0].weight.detach().clone()
            optimizer.step()
            optimizers.sgd_step(by_hand.parameters(), lr)
            for ours, theirs in zip(by_hand.parameters(), library.parameters(), strict=True):
                assert torch.equal(ours, theirs) and ours.requires_grad
            torch.testing.assert_close(by_hand[0].weight, before - lr * gradients[0])

    def test_the_step_by_hand_skips_a_parameter_without_gradient(self):
        used, unused = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))
        used.grad = torch.ones(2)
        optimizers.sgd_step([unused, used], lr=0.5)
        assert unused.tolist() == [1, 1] and used.tolist() == [0.5, 0.5]

    @pytest.mark.parametrize("lr", [0.001, 0.1])
    @pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
    def test_adamw_moves_by_the_learning_rate_whatever_the_gradient(self, lr, scale):
        gradient = scale * torch.tensor([3.0, -0.5])
        for step in optimizers.moves(optimizers.OPTIMIZERS["AdamW"], lr, gradient, 10):
            torch.testing.assert_close(step, torch.tensor([-lr, lr]), rtol=0.02, atol=0)

    def test_adamw_falls_short_of_the_rate_by_weight_decay(self):
        gradient = torch.tensor([2.0, 0.02])
        with_decay = optimizers.moves(torch.optim.AdamW, 0.1, gradient, 10)
        without = optimizers.moves(lambda w, lr: torch.optim.AdamW(w, lr=lr, weight_decay=0.0), 0.1, gradient, 10)
        torch.testing.assert_close(without, torch.full((10, 2), -0.1), rtol=1e-4, atol=0)
        pull = 0.1 * 0.01 * with_decay[:9].sum(dim=0)
        torch.testing.assert_close(with_decay[9], -0.1 - pull, rtol=1e-4, atol=0)

    @pytest.mark.parametrize("momentum", [0.0, 0.5, 0.9])
    def test_momentum_adds_up_to_one_over_one_minus_mu(self, momentum):
        steps = optimizers.moves(
            lambda w, lr: torch.optim.SGD(w, lr=lr, momentum=momentum), 0.1, torch.tensor([2.0, 0.02]), 200
        )
        torch.testing.assert_close(steps[0], torch.tensor([-0.2, -0.002]))
        torch.testing.assert_close(steps[-1], torch.tensor([-0.2, -0.002]) / (1 - momentum), rtol=1e-3, atol=0)

    def test_the_three_optimizers_are_what_they_are_called(self):
        gradient = torch.tensor([2.0, 0.02])
        for module in (optimizers, optimizers_learning_rate):
            tenth = {
                name: optimizers.moves(build, 0.1, gradient, 10)[9, 0].item()
                for name, build in module.OPTIMIZERS.items()
            }
            grown = -0.2 * (1 - 0.9**10) / (1 - 0.9)
            expected = {"SGD": -0.2, "SGD, momentum 0.9": grown, "AdamW": -0.0991}
            assert tenth == pytest.approx(expected, rel=1e-3)

    def test_the_first_at_one_rate_is_the_last_at_another(self):
        def order(rate):
            return sorted(
                optimizers_learning_rate.OPTIMIZERS,
                key=lambda name: optimizers_learning_rate.final_loss(name, rate, steps=60),
            )

        assert order(0.03)[0] == "AdamW" and order(1.0)[-1] == "AdamW"

    def test_a_sum_is_a_larger_rate_for_sgd_and_nothing_for_adamw(self):
        loss = optimizers_learning_rate.final_loss
        for name in ("SGD", "SGD, momentum 0.9"):
            summed, scaled = loss(name, 0.0005, "sum", steps=20), loss(name, 0.0005 * 64, steps=20)
            assert summed == pytest.approx(scaled, rel=1e-3)
        assert loss("AdamW", 0.01, "sum", steps=20) == pytest.approx(loss("AdamW", 0.01, steps=20), rel=1e-3)

    def test_an_optimizer_needs_a_new_rate_for_the_sum(self):
        assert not optimizers_learning_rate.final_loss("SGD", 0.3, "sum", steps=60) < 2
        assert optimizers_learning_rate.final_loss("SGD", 0.3, steps=60) < 0.5

    @pytest.mark.parametrize("first", [True, False])
    def test_only_an_optimizer_built_after_the_head_trains_it(self, first):
        losses, body_moved, head_moved = optimizers_broken.fine_tune(first, steps=30)
        assert body_moved and head_moved is not first
        assert losses[-1] < losses[0]

    def test_a_random_head_costs_loss(self):
        late, early = (optimizers_broken.fine_tune(first, steps=60)[0] for first in (False, True))
        assert late[0] == early[0] and late[-1] < early[-1] - 0.1

    def test_the_replaced_head_is_skipped_and_the_new_one_is_never_cleared(self):
        model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
        optimizer, old = torch.optim.AdamW(model.parameters()), model[1]
        model[1] = nn.Linear(4, 3)
        for count in (1, 2):
            optimizer.zero_grad()
            model(torch.ones(1, 4)).sum().backward()
            assert old.weight.grad is None and model[1].bias.grad.tolist() == [count] * 3

    def test_add_param_group_keeps_the_momentum_and_trains_the_head(self):
        model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
        model(torch.ones(1, 4)).sum().backward()
        optimizer.step()
        memory = optimizer.state[model[0].weight]["exp_avg"].clone()
        model[1] = nn.Linear(4, 3)
        optimizer.add_param_group({"params": model[1].parameters(), "lr": 0.01})
        assert torch.equal(optimizer.state[model[0].weight]["exp_avg"], memory)
        held = {id(parameter) for group in optimizer.param_groups for parameter in group["params"]}
        assert {id(parameter) for parameter in model.parameters()} < held
        before = model[1].bias.detach().clone()
        optimizer.zero_grad()
        model(torch.ones(1, 4)).sum().backward()
        optimizer.step()
        torch.testing.assert_close(model[1].bias, before - 0.01, rtol=0, atol=2e-4)

    def test_state_per_parameter(self):
        build = torch.optim
        assert optimizers_state.state_per_parameter(build.SGD, lr=0.1) == 0
        assert optimizers_state.state_per_parameter(build.SGD, lr=0.1, momentum=0.5) == 1
        assert optimizers_state.state_per_parameter(build.AdamW) == pytest.approx(2, abs=1e-4)

    def test_the_state_is_allocated_in_the_first_step(self):
        w = nn.Parameter(torch.ones(3))
        optimizer = torch.optim.AdamW([w])
        w.sum().backward()
        assert not optimizer.state
        optimizer.step()
        assert optimizer.state[w]["exp_avg_sq"].shape == (3,)

    def test_the_paths_of_the_picture_are_near_the_best_rate_of_each(self):
        def steps_until_solved(name, lr):
            a, b = optimizers_paths.path(optimizers_paths.PATHS[name][0], lr, 130).T
            bad = ((a**2 + 30 * b**2) / 2 > 0.01).nonzero()
            return bad.max().item() + 1

        for name, rates in (("SGD, lr 0.06", (0.02, 0.04, 0.065)), ("AdamW, lr 0.3", (0.05, 0.1, 0.2, 0.5))):
            chosen = steps_until_solved(name, optimizers_paths.PATHS[name][1])
            assert chosen < 80
            assert all(chosen <= steps_until_solved(name, rate) + 2 for rate in rates)

    def test_sgd_jumps_across_the_valley_and_adamw_moves_both_weights_alike(self):
        sgd, adamw = (optimizers_paths.path(*optimizers_paths.PATHS[name][:2], 5) for name in optimizers_paths.PATHS)
        assert sgd[:, 1].sign().tolist() == [1, -1, 1, -1, 1, -1]
        torch.testing.assert_close(adamw[1] - adamw[0], torch.tensor([0.3, -0.3]), rtol=0.05, atol=0)

    def test_the_first_step_needs_a_gradient_far_above_epsilon(self):
        gradient = torch.tensor([1e-4, 1e-8, 1e-10])
        first = optimizers.moves(torch.optim.AdamW, 0.1, gradient, 1)[0] / -0.1
        torch.testing.assert_close(first, torch.tensor([1.0, 0.5, 0.01]), rtol=0.02, atol=0)

    @pytest.mark.parametrize("before_the_drop", [10, 20, 50, 1000])
    def test_the_step_shrinks_after_the_gradient_with_a_delay(self, before_the_drop):
        w = nn.Parameter(torch.zeros(1))
        optimizer = torch.optim.AdamW([w], lr=0.1, weight_decay=0.0)
        steps = []
        for step in range(before_the_drop + 30):
            w.grad = torch.tensor([2.0 if step < before_the_drop else 0.02])
            w.data.zero_()
            optimizer.step()
            steps.append(-w.item() / 0.1)
        assert steps[before_the_drop - 1] == pytest.approx(1, rel=1e-3)
        assert 0.35 <= steps[before_the_drop + 9] < 0.41
        assert steps[-1] == pytest.approx({10: 1 / 13, 20: 1 / 13, 50: 1 / 15, 1000: 1 / 19}[before_the_drop], rel=0.05)

    def test_a_lambda_scheduler_built_before_the_new_group_raises(self):
        body, head = nn.Linear(2, 2), nn.Linear(2, 2)

        def rates(scheduler_first):
            optimizer = torch.optim.SGD(body.parameters(), lr=0.1)
            if scheduler_first:
                scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.5**epoch)
            optimizer.add_param_group({"params": head.parameters()})
            if not scheduler_first:
                scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.5**epoch)
            optimizer.step()
            scheduler.step()
            return [group["lr"] for group in optimizer.param_groups]

        assert rates(scheduler_first=False) == [0.05, 0.05]
        with pytest.raises(ValueError):
            rates(scheduler_first=True)

    @pytest.mark.parametrize(("norm", "dimensions"), [(nn.LayerNorm(8), 1), (nn.LayerNorm((8, 4, 4)), 3)])
    def test_the_weight_of_a_norm_has_one_dimension_or_more(self, norm, dimensions):
        assert norm.weight.ndim == norm.bias.ndim == dimensions

    @pytest.mark.parametrize("frozen", [False, True])
    def test_with_a_frozen_body_the_old_optimizer_trains_nothing(self, frozen):
        x, y = torch.randn(64, 8), torch.arange(64) % 3
        model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 10))
        model[0].requires_grad_(not frozen)
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        model[2] = nn.Linear(16, 3)
        losses = []
        for _ in range(20):
            losses.append(F.cross_entropy(model(x), y))
            optimizer.zero_grad()
            losses[-1].backward()
            optimizer.step()
        assert losses[-1] == losses[0] if frozen else losses[-1] < losses[0]

    @pytest.mark.parametrize("noise", [1e-4, 1.0, 100.0])
    def test_with_noise_alone_the_step_stays_at_a_quarter_of_the_rate(self, noise):
        w = nn.Parameter(torch.zeros(1000))
        optimizer = torch.optim.AdamW([w], lr=0.1, weight_decay=0.0)
        for _ in range(300):
            w.grad = noise * torch.randn(1000)
            before = w.detach().clone()
            optimizer.step()
        assert (w.detach() - before).square().mean().sqrt() / 0.1 == pytest.approx(0.23, abs=0.02)

    @pytest.mark.parametrize("noise", [1e-9, 1e-10])
    def test_noise_below_epsilon_takes_smaller_steps(self, noise):
        w = nn.Parameter(torch.zeros(1000))
        optimizer = torch.optim.AdamW([w], lr=0.1, weight_decay=0.0)
        for _ in range(300):
            w.grad = noise * torch.randn(1000)
            before = w.detach().clone()
            optimizer.step()
        assert (w.detach() - before).square().mean().sqrt() / 0.1 < 0.03

    def test_without_bias_correction_the_first_step_is_three_times_the_rate(self):
        w = nn.Parameter(torch.zeros(1))
        optimizer = torch.optim.AdamW([w], lr=0.1)
        w.grad = torch.tensor([5.0])
        optimizer.step()
        m, s = (optimizer.state[w][key].item() for key in ("exp_avg", "exp_avg_sq"))
        assert m / s**0.5 == pytest.approx(3.16, abs=0.01)
        assert w.item() == pytest.approx(-0.1, rel=1e-4)

    def test_decay_is_scaled_by_the_gradient_in_adam_and_not_in_adamw(self):
        for size in (100.0, 0.01):
            kept = {}
            for build in (torch.optim.Adam, torch.optim.AdamW):
                w = nn.Parameter(torch.ones(1))
                optimizer = build([w], lr=0.001, weight_decay=0.1)
                for step in range(400):
                    w.grad = torch.tensor([(-1) ** step * size])
                    optimizer.step()
                kept[build] = w.item()
            assert kept[torch.optim.AdamW] == pytest.approx(0.9999**400, abs=5e-3)
            assert (kept[torch.optim.Adam] > 0.99) == (size == 100.0)

    def test_lbfgs_asks_for_the_loss(self):
        w = nn.Parameter(torch.ones(1))
        with pytest.raises(TypeError, match="closure"):
            torch.optim.LBFGS([w]).step()

    def test_with_tuned_rates_the_ranges_overlap(self):
        loss = optimizers_learning_rate.final_loss
        tuned = {"SGD": 1.0, "SGD, momentum 0.9": 0.2, "AdamW": 0.03}
        ranges = [[loss(name, rate, seed=seed) for seed in range(4)] for name, rate in tuned.items()]
        assert max(map(min, ranges)) < min(map(max, ranges))

    @pytest.mark.parametrize("name, rate, others", [("SGD", 1.0, (0.3, 3.0)), ("AdamW", 0.03, (0.003, 0.1))])
    def test_the_rates_of_the_five_seeds_are_tuned(self, name, rate, others):
        def mean(lr):
            return sum(optimizers_learning_rate.final_loss(name, lr, seed=seed) for seed in range(4))

        assert all(mean(rate) < mean(other) for other in others)

    def test_the_default_rate_is_too_small_for_a_hundred_steps(self):
        loss = optimizers_learning_rate.final_loss
        for seed in (0, 1):
            assert loss("AdamW", 0.001, seed=seed) > 3 * loss("AdamW", 0.03, seed=seed)

    def test_adamw_starts_at_a_thousandth(self):
        assert torch.optim.AdamW([nn.Parameter(torch.ones(1))]).defaults["lr"] == 1e-3


class TestLossFunctions:
    @pytest.mark.parametrize("loss_function", [F.cross_entropy, F.binary_cross_entropy_with_logits])
    def test_the_right_dtypes_and_the_wrong_ones(self, loss_function):
        logits, label = torch.randn(5, 4), torch.tensor([3, 0, 1, 2, 2])
        hot = F.one_hot(label, 4)
        loss_function(logits, hot.float())
        with pytest.raises(RuntimeError):
            loss_function(logits, hot)
        if loss_function is F.cross_entropy:
            loss_function(logits, label)
            for wrong in (label.float(), label.double(), label.int(), label.short(), label.unsqueeze(1)):
                with pytest.raises(RuntimeError):
                    loss_function(logits, wrong)
            with pytest.raises(IndexError, match="out of bounds"):
                loss_function(logits, label + 1)
        else:
            with pytest.raises(ValueError, match="must be the same"):
                loss_function(logits, label)

    def test_each_loss_is_a_negative_log_likelihood(self):
        value, target = torch.randn(6, 3), torch.randn(6, 3)
        normal = torch.exp(-(value - target).square() / 2) / math.sqrt(2 * math.pi)
        torch.testing.assert_close(F.mse_loss(value, target) / 2 + math.log(2 * math.pi) / 2, -normal.log().mean())
        tags, p = torch.randint(2, (6, 3)).float(), 1 / (1 + torch.exp(-value))
        bernoulli = torch.where(tags == 1, p, 1 - p)
        torch.testing.assert_close(F.binary_cross_entropy_with_logits(value, tags), -bernoulli.log().mean())
        label = torch.randint(3, (6,))
        categorical = (value.exp() / value.exp().sum(dim=1, keepdim=True))[range(6), label]
        torch.testing.assert_close(F.cross_entropy(value, label), -categorical.log().mean())

    def test_a_float_one_hot_target_is_the_index(self):
        logits, label = 5 * torch.randn(20, 7), torch.randint(7, (20,))
        one_hot = F.one_hot(label, 7).float()
        torch.testing.assert_close(F.cross_entropy(logits, one_hot), F.cross_entropy(logits, label))

    def test_labels_one_and_two_have_no_finite_best_prediction(self):
        assert F.binary_cross_entropy_with_logits(torch.full((4,), 1e4), torch.tensor([1.0, 2.0, 2.0, 1.0])) < -1000

    def test_probabilities_as_logits_cannot_reach_zero(self):
        perfect = torch.tensor([1.0, 0.0, 1.0])
        assert F.binary_cross_entropy_with_logits(perfect, perfect) > 0.4
        assert F.binary_cross_entropy_with_logits(1000 * (perfect - 0.5), perfect) == 0

    def test_the_class_dimension_is_dimension_one(self):
        tokens, label = torch.randn(2, 5, 7), torch.randint(7, (2, 5))
        with pytest.raises(RuntimeError):
            F.cross_entropy(tokens, label)
        transposed = F.cross_entropy(tokens.transpose(1, 2), label)
        torch.testing.assert_close(transposed, F.cross_entropy(tokens.flatten(0, 1), label.flatten()))
        assert F.cross_entropy(torch.randn(2, 3, 8, 8), torch.zeros(2, 8, 8, dtype=torch.int64)).ndim == 0

    def test_a_column_is_one_class_and_trains_nothing(self):
        column = torch.randn(30, 1, requires_grad=True)
        loss = loss_functions_broken.cross_entropy_of_a_column(column, torch.randint(2, (30,)).float())
        loss.backward()
        assert loss.item() == 0 and not column.grad.any()
        assert loss_functions_broken.train(loss_functions_broken.cross_entropy_of_a_column, 5)[:2] == (0, 0)

    def test_a_vector_is_one_sample_whose_classes_are_the_batch(self):
        z, y = torch.randn(30, 1), torch.randint(2, (30,)).float()
        loss = loss_functions_broken.cross_entropy_of_a_vector
        torch.testing.assert_close(loss(z, y), -(y * F.log_softmax(z[:, 0], dim=0)).sum())
        torch.testing.assert_close(loss(z, y), loss(z + 3, y))  # zero means nothing to it

    @pytest.mark.parametrize("steps", [200, 400])
    def test_the_softmax_over_the_batch_falls_and_does_not_know_where_zero_is(self, steps):
        _, y = loss_functions_broken.data()
        first, last, changes = loss_functions_broken.train(loss_functions_broken.cross_entropy_of_a_vector, steps)
        assert last < 0.8 * first and not changes
        assert last > y.sum() * y.sum().log()
        first, last, changes = loss_functions_broken.train(loss_functions_broken.bce, steps)
        assert last < first / 3 and changes

    def test_the_softmax_over_the_batch_gives_the_bias_rounding_noise_for_a_gradient(self):
        x, y = loss_functions_broken.data()
        for dtype, bound in ((torch.float32, 1e-3), (torch.float64, 1e-11)):
            model = nn.Linear(5, 1).to(dtype)
            loss_functions_broken.cross_entropy_of_a_vector(model(x.to(dtype)), y.to(dtype)).backward()
            assert model.bias.grad.abs() < bound * model.weight.grad.norm()

    def test_the_softmax_over_the_batch_learns_to_rank(self, monkeypatch):
        models = []
        monkeypatch.setattr(
            loss_functions_broken.nn, "Linear", lambda *sizes, make=nn.Linear: models.append(make(*sizes)) or models[-1]
        )
        loss_functions_broken.train(loss_functions_broken.cross_entropy_of_a_vector)
        x, y = loss_functions_broken.data()
        z = models[0](x).squeeze(1)
        assert (z[y == 1].unsqueeze(1) > z[y == 0]).float().mean() > 0.98

    @pytest.mark.parametrize("logit", [17.0, 20.0, 60.0])
    def test_sigmoid_then_bce_loses_the_gradient_of_the_worst_mistake(self, logit):
        loss, gradient = loss_functions_bce.loss_and_gradient(loss_functions_bce.two_steps, logit, 0.0)
        assert (loss, gradient) == (100, 0)
        fused = loss_functions_bce.loss_and_gradient(F.binary_cross_entropy_with_logits, logit, 0.0)
        assert fused == pytest.approx((logit, 1))

    @pytest.mark.parametrize("logit", [-4.0, -0.3, 0.0, 2.0, 8.0])
    @pytest.mark.parametrize("target", [0.0, 0.3, 1.0])
    def test_at_moderate_logits_both_are_the_same(self, logit, target):
        split = loss_functions_bce.loss_and_gradient(loss_functions_bce.two_steps, logit, target)
        fused = loss_functions_bce.loss_and_gradient(F.binary_cross_entropy_with_logits, logit, target)
        assert split == pytest.approx(fused, rel=1e-3, abs=1e-6)
        assert fused[1] == pytest.approx(1 / (1 + math.exp(-logit)) - target, abs=1e-6)

    def test_the_sigmoid_of_20_is_exactly_one(self):
        assert torch.sigmoid(torch.tensor(20.0)) == 1

    def test_two_logits_are_one_logit(self):
        z, y = 10 * torch.randn(50), torch.randint(2, (50,))
        bce = F.binary_cross_entropy_with_logits(z, y.float())
        torch.testing.assert_close(F.cross_entropy(torch.stack([torch.zeros(50), z], dim=1), y), bce)
        torch.testing.assert_close(F.cross_entropy(torch.stack([-z / 2, z / 2], dim=1), y), bce)
        assert torch.equal(torch.stack([torch.zeros(50), z], dim=1).argmax(1), (z > 0).long())

    @pytest.mark.parametrize("k", [2, 3])
    def test_cross_entropy_of_k_tags_has_a_floor(self, k):
        target = torch.zeros(1, 6)
        target[0, :k] = 1
        floor = k * math.log(k)
        assert F.cross_entropy(1000 * target, target).item() == pytest.approx(floor, rel=1e-5)
        assert all(F.cross_entropy(5 * torch.randn(1, 6), target) >= floor for _ in range(100))
        assert F.binary_cross_entropy_with_logits(1000 * (target - 0.5), target) == 0

    def test_what_the_mean_divides_by(self):
        p, t, label = torch.randn(4, 5), torch.rand(4, 5), torch.tensor([0, 4, 2, 2])
        for loss in (F.mse_loss, F.binary_cross_entropy_with_logits):
            torch.testing.assert_close(loss(p, t), loss(p, t, reduction="sum") / 20)
        total = F.cross_entropy(p, label, reduction="sum")
        torch.testing.assert_close(F.cross_entropy(p, label), total / 4)
        weight = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0])
        weighted = F.cross_entropy(p, label, weight, reduction="sum")
        torch.testing.assert_close(F.cross_entropy(p, label, weight), weighted / (1 + 5 + 3 + 3))
        left = F.cross_entropy(p[:2], label[:2], reduction="sum") / 2
        torch.testing.assert_close(F.cross_entropy(p, label, ignore_index=2), left)
        left_weighted = F.cross_entropy(p[:2], label[:2], weight, reduction="sum") / (1 + 5)
        torch.testing.assert_close(F.cross_entropy(p, label, weight, ignore_index=2), left_weighted)

    def test_float_targets_divide_by_the_count_and_know_no_ignore_index(self):
        logits, label, weight = torch.randn(4, 3), torch.tensor([2, 0, 1, 1]), torch.tensor([1.0, 2.0, 5.0])
        one_hot = F.one_hot(label, 3).float()
        total = F.cross_entropy(logits, label, weight, reduction="sum")
        torch.testing.assert_close(F.cross_entropy(logits, one_hot, weight), total / 4)
        torch.testing.assert_close(F.cross_entropy(logits, label, weight), total / (5 + 1 + 2 + 2))
        with pytest.raises(RuntimeError, match="ignore_index is not supported"):
            F.cross_entropy(logits, one_hot, ignore_index=1)

    @pytest.mark.parametrize("shape", [(), (3, 2)])
    def test_with_probabilities_as_targets_and_class_weights_the_mean_divides_by_the_targets(self, shape):
        logits, weight = torch.randn(4, 5, *shape), torch.arange(1.0, 6.0)
        target = torch.softmax(torch.randn(4, 5, *shape), dim=1)
        total = F.cross_entropy(logits, target, weight, reduction="sum")
        torch.testing.assert_close(F.cross_entropy(logits, target, weight), total / (logits.numel() / 5))

    def test_an_index_or_an_amount_is_a_rule_for_the_two_classification_losses(self):
        loss = F.mse_loss(torch.randn(3, requires_grad=True), torch.tensor([1, 2, 3]))
        if tuple(map(int, torch.__version__.split(".")[:2])) < (2, 12):  # there the forward pass alone takes it
            with pytest.raises(RuntimeError, match="Found dtype Long but expected Float"):
                loss.backward()
        else:
            loss.backward()

    def test_two_outputs_move_the_difference_twice_as_far(self):
        z = torch.tensor([0.7], requires_grad=True)
        F.binary_cross_entropy_with_logits(z, torch.ones(1)).backward()
        two = torch.tensor([[-0.35, 0.35]], requires_grad=True)
        F.cross_entropy(two, torch.tensor([1])).backward()
        torch.testing.assert_close(two.grad[0, 1] - two.grad[0, 0], 2 * z.grad[0])

    @pytest.mark.parametrize("activation", [torch.relu, torch.tanh])
    def test_two_outputs_double_the_step_of_the_last_layer_and_not_of_the_body(self, activation):
        x, y, w = torch.randn(8, 4), torch.arange(8) % 2, torch.randn(1, 3)
        body, one, two = torch.randn(3, 4), w.clone().requires_grad_(), torch.cat([-w / 2, w / 2]).requires_grad_()
        body.requires_grad_()
        hidden = activation(x @ body.T)
        bce = F.binary_cross_entropy_with_logits((hidden @ one.T).squeeze(1), y.float())
        body_one, head_one = torch.autograd.grad(bce, [body, one], retain_graph=True)
        body_two, head_two = torch.autograd.grad(F.cross_entropy(hidden @ two.T, y), [body, two])
        torch.testing.assert_close(head_two[1] - head_two[0], 2 * head_one[0])
        torch.testing.assert_close(body_two, body_one)

    @pytest.mark.parametrize("shape", [(), (3, 2)])
    def test_cross_entropy_averages_over_every_pixel_or_token_and_not_over_the_classes(self, shape):
        logits, label = torch.randn(4, 5, *shape), torch.randint(5, (4, *shape))
        total = F.cross_entropy(logits, label, reduction="sum")
        torch.testing.assert_close(F.cross_entropy(logits, label), total / label.numel())

    @pytest.mark.parametrize("targets", [torch.rand(10_001).log().neg(), torch.rand(10_001) ** 4])
    def test_with_skewed_targets_only_mse_keeps_the_mean(self, targets):
        best = {}
        for loss in (F.mse_loss, F.l1_loss, F.huber_loss):
            constants = torch.linspace(0, 2, 401)
            best[loss] = min(constants, key=lambda c: loss(c.expand_as(targets), targets, reduction="mean")).item()
        assert best[F.mse_loss] == pytest.approx(targets.mean().item(), abs=0.01)
        assert best[F.l1_loss] < 0.85 * best[F.mse_loss]

    def test_the_squared_error_of_a_probability_loses_the_gradient_of_a_confident_mistake(self):
        for logit in (-8.0, -15.0):
            at = torch.tensor(logit, requires_grad=True)
            (bce,) = torch.autograd.grad(loss_functions_curves.bce(at, torch.tensor(1.0)), at)
            (square,) = torch.autograd.grad(loss_functions_curves.squared_error(at, torch.tensor(1.0)), at)
            assert bce == pytest.approx(-1, abs=1e-3) and abs(square) < 1e-3

    def test_mse_wants_the_mean_l1_the_median_and_huber_bounds_the_gradient(self):
        y = torch.tensor([1.0, 2.0, 3.0, 4.0, 1000.0])
        grid = torch.linspace(0, 1000, 1001)
        best = {
            f: grid[torch.stack([f(g.expand(5), y) for g in grid]).argmin()].item() for f in (F.mse_loss, F.l1_loss)
        }
        assert best == {F.mse_loss: 202, F.l1_loss: 3}
        guess = torch.zeros(5, requires_grad=True)
        F.huber_loss(guess, y, reduction="sum", delta=2.0).backward()
        assert guess.grad.abs().max() == 2

    @pytest.mark.parametrize("factor", [2, 5])
    def test_pos_weight_counts_a_positive_several_times(self, factor):
        z, y = torch.randn(6), torch.tensor([1.0, 0, 0, 1, 0, 0])
        drawn = torch.cat([z, *[z[y == 1]] * (factor - 1)]), torch.cat([y, *[y[y == 1]] * (factor - 1)])
        weighted = F.binary_cross_entropy_with_logits(z, y, pos_weight=torch.tensor(float(factor)), reduction="sum")
        torch.testing.assert_close(weighted, F.binary_cross_entropy_with_logits(*drawn, reduction="sum"))


class TestCrossEntropyLogits:
    def test_the_loss_is_finite_as_long_as_the_difference_fits(self):
        for dtype, most in ((torch.float16, 4e4), (torch.float32, 3e38)):
            logits = torch.tensor([[most, 0.0], [most, -most]], dtype=dtype)
            small, large = F.cross_entropy(logits, torch.tensor([1, 1]), reduction="none")
            assert math.isfinite(small) and large == math.inf

    def test_softmax_keeps_the_order_up_to_rounding(self):
        logits = torch.randn(1000, 10)
        assert torch.equal(logits.argmax(1), logits.softmax(1).argmax(1))
        for logits in (torch.randn(100, 1000), 50 * torch.randn(100, 1000)):
            p = logits.softmax(1).gather(1, logits.argsort(1))
            assert (p.diff(dim=1) >= 0).all()
        logits = torch.tensor([1e-3, 1e-3 + 1e-8])  # not equal in float32
        assert logits[0] < logits[1] and logits.softmax(0).unique().numel() == 1
        p = torch.tensor([120.0, 17.0, 15.0, -5.0]).softmax(0)
        assert p[1] > 0 and p[2] == p[3] == 0

    @pytest.mark.parametrize("smoothing", [0.0, 0.1])
    def test_with_label_smoothing_one_batch_does_not_go_to_zero(self, smoothing):
        logits, label = torch.zeros(8, 5, requires_grad=True), torch.arange(8) % 5
        optimizer = torch.optim.AdamW([logits], lr=0.3)
        for _ in range(200):
            loss = F.cross_entropy(logits, label, label_smoothing=smoothing)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        right, wrong = 1 - smoothing * 4 / 5, smoothing / 5
        least = -right * math.log(right) - (4 * wrong * math.log(wrong) if wrong else 0)
        assert loss.item() == pytest.approx(least, abs=0.01)

    @pytest.mark.parametrize(("largest", "equal"), [(1.0000005, False), (20.0, True), (60.0, True)])
    def test_softmax_merges_close_logits_more_easily_far_below_the_largest(self, largest, equal):
        logits = torch.tensor([largest, 1.0, 1.0000005])
        assert logits[1] < logits[2]
        p = logits.softmax(0)
        assert p[1] > 0 and (p[1] == p[2]).item() is equal

    def test_smoothing_weights_and_ignored_targets(self):
        logits, label = torch.randn(4, 3), torch.tensor([2, 0, 1, 1])
        target = 0.9 * F.one_hot(label, 3) + 0.1 / 3
        torch.testing.assert_close(F.cross_entropy(logits, label, label_smoothing=0.1), F.cross_entropy(logits, target))
        sure = [
            F.cross_entropy(torch.tensor([[z, 0.0, 0.0]]), torch.tensor([0]), label_smoothing=0.1) for z in (4.0, 100.0)
        ]
        assert 0.1 < sure[0] < sure[1]
        rest = F.cross_entropy(logits[1:], label[1:])
        label[0] = -100
        torch.testing.assert_close(F.cross_entropy(logits, label), rest)
        assert F.cross_entropy(logits, torch.full((4,), -100)).isnan()

    @pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.5])
    def test_weight_multiplies_the_term_of_each_class_and_the_mean_divides_by_the_weights_of_the_labels(
        self, smoothing
    ):
        logits, label, weight = torch.randn(6, 3), torch.arange(6) % 3, torch.tensor([1.0, 5.0, 0.5])
        options = {"weight": weight, "label_smoothing": smoothing}
        target = (1 - smoothing) * F.one_hot(label, 3) + smoothing / 3
        expected = -(weight * target * logits.log_softmax(1)).sum(1)
        losses = F.cross_entropy(logits, label, reduction="none", **options)
        torch.testing.assert_close(losses, expected)
        torch.testing.assert_close(F.cross_entropy(logits, label, **options), losses.sum() / weight[label].sum())
        plain = F.cross_entropy(logits, label, reduction="none", label_smoothing=smoothing)
        assert torch.allclose(losses, weight[label] * plain) is (smoothing == 0)

    @pytest.mark.parametrize("classes", [3, 10])
    def test_smoothing_punishes_a_growing_logit_only_past_the_best_answer(self, classes):
        best = math.log((0.9 + 0.1 / classes) / (0.1 / classes))
        logits = torch.zeros(3, classes)
        for half, falls in ((torch.tensor([0.0, 0.5, 1.0]), True), (torch.tensor([1.0, 1.5, 2.0]), False)):
            logits[:, 0] = half * best
            losses = F.cross_entropy(logits, torch.zeros(3).long(), reduction="none", label_smoothing=0.1)
            assert ((losses.diff() < 0).all() if falls else (losses.diff() > 0).all()).item()

    @pytest.mark.parametrize("classes", [2, 10, 1000])
    def test_cross_entropy_is_log_softmax_and_nll(self, classes):
        logits, label = 20 * torch.randn(8, classes), torch.randint(classes, (8,))
        expected = logits.logsumexp(dim=1) - logits[range(8), label]
        torch.testing.assert_close(F.cross_entropy(logits, label, reduction="none"), expected, rtol=1e-5, atol=1e-5)
        torch.testing.assert_close(F.nll_loss(logits.log_softmax(1), label), F.cross_entropy(logits, label))

    @pytest.mark.parametrize("values", [(3.0, -1.0, 0.5), (0.0, 0.0, 0.0), (-2.0, 6.0, 1.0)])
    @pytest.mark.parametrize("label", [0, 1, 2])
    def test_five_of_the_eight_are_cross_entropy(self, values, label):
        expected = cross_entropy_logits.loss_and_gradient("logits", F.cross_entropy, values, label)
        p = math.exp(values[label]) / sum(math.exp(value) for value in values)
        assert expected == pytest.approx((-math.log(p), p - 1), rel=1e-4)
        right = {
            (end, loss_function.__name__)
            for end in cross_entropy_logits.ENDS
            for loss_function in (F.cross_entropy, F.nll_loss)
            if cross_entropy_logits.loss_and_gradient(end, loss_function, values, label)
            == pytest.approx(expected, rel=1e-3, abs=1e-6)
        }
        assert right == {
            ("logits", "cross_entropy"),
            ("log_softmax", "cross_entropy"),
            ("log_softmax", "nll_loss"),
            ("log of softmax", "cross_entropy"),
            ("log of softmax", "nll_loss"),
        }

    def test_three_are_left_where_a_probability_is_zero(self):
        for end, loss_function in (
            ("logits", F.cross_entropy),
            ("log_softmax", F.cross_entropy),
            ("log_softmax", F.nll_loss),
        ):
            result = cross_entropy_logits.loss_and_gradient(end, loss_function, (0.0, 300.0, 0.0), 0)
            assert result == (300, -1)
        for loss_function in (F.cross_entropy, F.nll_loss):
            loss, gradient = cross_entropy_logits.loss_and_gradient("log of softmax", loss_function, (300.0, 0.0), 1)
            assert loss == math.inf and math.isnan(gradient)

    @pytest.mark.parametrize("classes", [2, 3, 100])
    def test_a_softmax_before_the_loss_has_a_floor(self, classes):
        floor = math.log(1 + (classes - 1) / math.e)
        label = torch.arange(classes)
        sure = 1000 * F.one_hot(label).float()
        assert F.cross_entropy(sure.softmax(1), label).item() == pytest.approx(floor, rel=1e-5)
        for scale in (0.1, 1, 10, 100):
            assert F.cross_entropy((scale * torch.randn(classes, classes)).softmax(1), label) >= floor - 1e-5

    def test_the_gradient_through_two_softmaxes(self):
        z, label = torch.randn(6, dtype=torch.float64, requires_grad=True), 2
        (gradient,) = torch.autograd.grad(F.cross_entropy(z.softmax(0), torch.tensor(label)), z)
        p = z.detach().softmax(0)
        g = p.softmax(0) - F.one_hot(torch.tensor(label), 6)
        torch.testing.assert_close(gradient, p * (g - (p * g).sum()))

    def test_the_surer_the_mistake_the_weaker_the_push(self):
        pushes = [
            abs(cross_entropy_logits.loss_and_gradient("softmax", F.cross_entropy, (lead, 0.0), 1)[1])
            for lead in (1.0, 3.0, 6.0, 12.0)
        ]
        assert pushes == sorted(pushes, reverse=True) and pushes[-1] < 1e-4

    @pytest.mark.parametrize("classes", [10, 100, 1000])
    def test_at_the_start_the_push_falls_with_the_number_of_classes(self, classes):
        start = (0.0,) * classes
        _, right = cross_entropy_logits.loss_and_gradient("logits", F.cross_entropy, start, 0)
        _, wrong = cross_entropy_logits.loss_and_gradient("softmax", F.cross_entropy, start, 0)
        assert wrong / right == pytest.approx(1 / classes, rel=1e-2)

    @pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
    def test_a_second_log_softmax_changes_only_the_rounding(self, dtype):
        once = (10 * torch.randn(50, 9)).to(dtype).log_softmax(1)
        torch.testing.assert_close(once.log_softmax(1), once, rtol=0, atol=100 * torch.finfo(dtype).eps)

    @pytest.mark.parametrize("softmax", [False, True])
    @pytest.mark.parametrize("classes", [5, 40])
    def test_the_first_loss_is_log_c_either_way(self, classes, softmax):
        first, _, _ = cross_entropy_logits_broken.train(classes, "SGD", softmax, steps=1)
        assert first == pytest.approx(math.log(classes), rel=0.04)

    def test_ten_classes_hide_it_and_a_hundred_do_not(self):
        train = cross_entropy_logits_broken.train
        assert train(10, "SGD", softmax=True)[2] > 0.95
        first, last, accuracy = train(120, "SGD", softmax=True, steps=60)
        assert last == pytest.approx(first, rel=1e-2) and accuracy < 0.1
        assert train(120, "SGD", softmax=False, steps=60)[2] > 0.5
        assert train(120, "AdamW", softmax=True, steps=60)[2] > 0.5

    def test_the_last_loss_stands_at_the_floor(self):
        _, last, _ = cross_entropy_logits_broken.train(10, "AdamW", softmax=True)
        assert last == pytest.approx(math.log(1 + 9 / math.e), abs=0.02)

    @pytest.mark.parametrize("softmax", [False, True])
    def test_overfitting_one_batch_tells(self, softmax):
        x, y = torch.randn(16, 8), torch.arange(16) % 4
        model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 4))
        if softmax:
            model.append(nn.Softmax(dim=1))
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.03)
        for _ in range(100):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        assert loss.item() == pytest.approx(math.log(1 + 3 / math.e) if softmax else 0, abs=0.01)

    def test_the_rows_of_a_softmax_add_up_to_one(self):
        logits = torch.randn(7, 12)
        torch.testing.assert_close(logits.softmax(1).sum(1), torch.ones(7))
        assert not torch.allclose(logits.sum(1), torch.ones(7))

    def test_with_soft_targets_the_least_loss_is_their_entropy(self):
        target = torch.randn(20, 5).softmax(1)
        entropy = -(target * target.log()).sum(1).mean()
        torch.testing.assert_close(F.cross_entropy(target.log() + 3, target), entropy)
        assert F.cross_entropy(torch.randn(20, 5), target) > entropy > 0.1
        one_hot = F.one_hot(torch.arange(20) % 5, 5).float()
        assert F.cross_entropy(50 * one_hot, one_hot) < 1e-6

    def test_a_clamped_probability_gets_no_gradient(self):
        logits = torch.tensor([[120.0, 0.0]], requires_grad=True)
        loss = F.nll_loss(logits.softmax(1).clamp_min(torch.finfo(torch.float32).tiny).log(), torch.tensor([1]))
        loss.backward()
        assert math.isfinite(loss.item()) and not logits.grad.any()

    def test_a_hook_on_the_layer_before_has_the_logits(self):
        model, seen = nn.Sequential(nn.Linear(3, 4), nn.Softmax(1)), []
        model[0].register_forward_hook(lambda module, inputs, output: seen.append(output))
        probabilities = model(torch.ones(2, 3))
        torch.testing.assert_close(seen[0].softmax(1), probabilities)


class TestAccuracy:
    labels = torch.tensor([True] * 10 + [False] * 90)

    def test_confusion_counts_the_four_cases(self):
        predicted = torch.zeros(100, dtype=torch.bool)
        predicted[[0, 1, 2, 50, 51]] = True
        assert accuracy.confusion(predicted, self.labels) == (3, 2, 7, 88)

    def test_the_constant_answer_has_the_accuracy_of_the_class_balance(self, capsys):
        accuracy.report("always no", torch.zeros(100, dtype=torch.bool), self.labels)
        assert capsys.readouterr().out.split() == ["always", "no", "0.900", "-", "0.000"]

    def test_recall_and_precision_are_the_ratios_of_the_table(self, capsys):
        predicted = torch.zeros(100, dtype=torch.bool)
        predicted[:8] = True
        predicted[90:] = True
        accuracy.report("x", predicted, self.labels)
        assert capsys.readouterr().out.split() == ["x", "0.880", f"{8 / 18:.3f}", "0.800"]

    @pytest.mark.parametrize("positives", [0, 10])
    def test_a_report_without_positives_prints_a_dash(self, positives, capsys):
        labels = torch.arange(100) < positives
        accuracy.report("x", torch.ones(100, dtype=torch.bool), labels)
        assert capsys.readouterr().out.split()[-1] == ("1.000" if positives else "-")

    def test_the_roc_hides_false_alarms_among_many_negatives(self):
        sick, alarm = torch.arange(100_000) < 100, torch.arange(100_000) < 1000
        tp, fp, fn, tn = accuracy.confusion(alarm, sick)
        assert tp / (tp + fn) == 1 and fp / (fp + tn) < 0.01 and tp / (tp + fp) == 0.1

    def test_micro_f1_with_one_label_per_example_is_the_accuracy(self):
        truth, guess = torch.randint(4, (200,)), torch.randint(4, (200,))
        counts = torch.tensor([accuracy.confusion(guess == c, truth == c) for c in range(4)]).sum(dim=0)
        tp, fp, fn, _ = counts.tolist()
        assert 2 * tp / (2 * tp + fp + fn) == pytest.approx((guess == truth).float().mean().item())

    @pytest.mark.parametrize("labels", [[1, 2, 3], [0]])
    def test_micro_f1_over_some_classes_only_is_not_the_accuracy(self, labels):
        truth, guess = torch.arange(200) % 4, torch.arange(200) % 3
        score = f1_score(truth, guess, average="micro", labels=labels)
        assert abs(score - (guess == truth).float().mean().item()) > 0.005
        assert f1_score(truth, guess, average="micro") == pytest.approx((guess == truth).float().mean().item())

    @pytest.mark.parametrize("ratios", [(0.2, 0.8), (0.5, 0.6)])
    def test_f1_does_not_say_which_of_the_two_is_low(self, ratios):
        def f1(precision, recall):
            return 2 * precision * recall / (precision + recall)

        assert f1(*ratios) == f1(*reversed(ratios)) and ratios[0] != ratios[1]

    @pytest.mark.parametrize("positives", [200, 2000, 10_000])
    def test_a_random_ranking_has_the_share_of_positives_as_area(self, positives):
        score = average_precision_score(torch.arange(20_000) < positives, torch.rand(20_000))
        assert score == pytest.approx(positives / 20_000, rel=0.25)

    @pytest.mark.parametrize("samples", [100, 1000])
    def test_with_ten_positives_a_random_ranking_gets_more_than_their_share_on_average(self, samples):
        labels = torch.arange(samples) < 10
        scores = [average_precision_score(labels, torch.rand(samples)) for _ in range(300)]
        assert sum(scores) / 300 > 1.2 * 10 / samples

    @pytest.mark.parametrize("rank", [0, 3])
    def test_a_false_alarm_near_the_top_costs_area(self, rank):
        clean = torch.arange(100, 0, -1).float()
        worse = clean.clone()
        worse[50] = clean[rank] + 0.5
        assert average_precision_score(self.labels, worse) < average_precision_score(self.labels, clean) - 0.05

    @pytest.mark.parametrize("seed", [0, 1])
    def test_rare_positives_all_get_a_no_for_hundreds_of_steps(self, seed):
        torch.manual_seed(seed)
        train, test = write_a_loop.digits()
        x, y = train.tensors[0], train.tensors[1] == 8
        model = nn.Linear(64, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        losses = []
        for step in range(251):
            logits = model(x).squeeze(1)
            losses.append(F.binary_cross_entropy_with_logits(logits, y.float()))
            if step >= 10:
                assert (model(test.tensors[0]) < (-1 if step == 10 else 0)).all()
            optimizer.zero_grad()
            losses[-1].backward()
            optimizer.step()
        assert losses[250] < 0.75 * losses[10]

    def test_loss_can_fall_while_no_decision_changes(self):
        losses = [F.binary_cross_entropy(torch.where(self.labels, p, 0.02), self.labels.float()) for p in (0.05, 0.4)]
        assert losses[1] < losses[0]

    def test_a_lower_threshold_never_loses_a_positive_and_never_a_false_alarm(self):
        p = torch.rand(100)
        counts = [accuracy.confusion(p > threshold, self.labels) for threshold in (0.8, 0.5, 0.2, 0.0)]
        found, alarms = [c[0] for c in counts], [c[1] for c in counts]
        assert found == sorted(found)
        assert alarms == sorted(alarms)

    def test_precision_depends_on_how_rare_positives_are_and_recall_does_not(self):
        p_given = {True: torch.rand(10_000) ** 0.5, False: torch.rand(10_000) ** 2}
        ratios = []
        for positives in (5000, 500):
            p = torch.cat([p_given[True][:positives], p_given[False]])
            labels = torch.arange(len(p)) < positives
            tp, fp, fn, _ = accuracy.confusion(p > 0.5, labels)
            ratios.append((tp / (tp + fp), tp / (tp + fn)))
        assert ratios[0][0] - ratios[1][0] > 0.2
        assert abs(ratios[0][1] - ratios[1][1]) < 0.05


@pytest.fixture(scope="module")
def fitted():
    """Histories for other points than the page's, by remedy."""
    remedies = {
        "nothing": {},
        "default": {"weight_decay": 0.01},
        "decay": {"weight_decay": 1.0},
        "strong decay": {"weight_decay": 10.0},
        "data": {"points": 200},
    }
    return {name: overfitting.fit(seed=4, **options) for name, options in remedies.items()}


@pytest.fixture(scope="module")
def curves():
    """Training loss, held-out loss and distance to the sine over the steps, for four seeds."""
    return [list(zip(*overfitting_turn.losses(seed), strict=True)) for seed in range(4)]


class TestOverfitting:
    def test_the_noise_has_variance_a_quarter_and_nothing_beats_it(self):
        x, y = overfitting.noisy_sine(100_000, seed=9)
        assert x.dtype == y.dtype == torch.float32 and x.shape == y.shape == (100_000, 1)
        assert x.min() >= -1 and x.max() <= 1 and x.std().item() == pytest.approx(2 / 12**0.5, rel=1e-2)
        assert F.mse_loss(torch.sin(3 * x), y).item() == pytest.approx(0.25, rel=2e-2)
        for other in (torch.sin(3.3 * x), torch.sin(3 * x) + 0.1, 0.9 * torch.sin(3 * x)):
            assert F.mse_loss(other, y) > F.mse_loss(torch.sin(3 * x), y)

    def test_error_on_new_points_is_the_distance_to_the_signal_plus_the_noise(self):
        x, y = overfitting.noisy_sine(200_000, seed=8)
        bent = torch.sin(3 * x) + 0.3 * torch.cos(20 * x)
        expected = F.mse_loss(bent, torch.sin(3 * x)).item() + 0.25
        assert F.mse_loss(bent, y).item() == pytest.approx(expected, rel=1e-2)

    def test_the_held_out_points_are_not_the_training_points(self):
        assert not torch.isin(overfitting.noisy_sine(20, seed=2)[0], overfitting.noisy_sine(500, seed=0)[0]).any()

    def test_the_training_loss_falls_below_the_noise_and_the_held_out_loss_turns(self, fitted):
        history = fitted["nothing"]
        best = min(history, key=lambda row: row[2])
        assert history[-1][1] < 0.15 < history[0][1]
        assert best[0] < 150 and history[-1][2] > 1.1 * best[2]
        assert history[-1][1] < best[1]  # and training improved all the while

    def test_the_default_weight_decay_does_next_to_nothing(self, fitted):
        assert torch.optim.AdamW([nn.Parameter(torch.ones(1))]).defaults["weight_decay"] == 0.01
        for (_, _, without), (_, _, decayed) in zip(fitted["nothing"], fitted["default"], strict=True):
            assert decayed == pytest.approx(without, abs=0.03)

    def test_without_a_gradient_what_counts_is_rate_times_decay_times_steps(self):
        def size(lr, decay, steps):
            w = nn.Parameter(torch.ones(1))
            optimizer = torch.optim.AdamW([w], lr=lr, weight_decay=decay)
            for _ in range(steps):
                w.grad = torch.zeros(1)
                optimizer.step()
            return w.item()

        assert size(0.01, 0.01, 300) == pytest.approx(0.97, abs=1e-3)
        assert size(0.01, 1.0, 300) == pytest.approx(0.99**300, rel=1e-3)
        assert size(0.02, 0.01, 150) == pytest.approx(size(0.01, 0.02, 150), rel=1e-4)

    @pytest.mark.parametrize("decay", [0.01, 1.0])
    def test_a_weight_without_a_gradient_tensor_is_not_decayed(self, decay):
        zero, none = nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(1))
        optimizer = torch.optim.AdamW([zero, none], lr=0.01, weight_decay=decay)
        for _ in range(300):
            zero.grad = torch.zeros(1)
            optimizer.step()
        assert none.item() == 1 and zero.item() == pytest.approx((1 - 0.01 * decay) ** 300, rel=1e-3)

    def test_the_held_out_loss_turns_while_training_goes_on_with_every_seed(self, curves):
        for training, held_out, distance in curves:
            best = held_out.index(min(held_out))
            assert 20 < best < 200 and held_out[-1] > held_out[best]
            assert training[-1] < training[best] < 0.25 and training[-1] < 0.15
            assert distance[best] < distance[10] and distance[best] < distance[-1]  # nearest to the sine near the turn

    def test_a_short_patience_stops_at_the_first_bump(self, curves):
        def stop(held_out, patience):
            best = 0
            for step, loss in enumerate(held_out):
                if loss < held_out[best]:
                    best = step
                elif step - best >= patience:
                    return step, best
            return step, best

        for _, held_out, _ in curves:
            stopped, best = stop(held_out, 5)
            assert stopped <= 12 and held_out[best] > 1.2 * min(held_out)
            assert held_out[stop(held_out, 50)[1]] == min(held_out)

    @pytest.mark.parametrize(("outputs", "loss_of"), [(1, F.mse_loss), (2, F.cross_entropy)])
    def test_a_model_overfits_without_any_noise(self, outputs, loss_of):
        torch.manual_seed(0)
        x = torch.randn(1030, 20)
        signal = x[:, :2].sum(dim=1, keepdim=True)
        y = signal.sin() if outputs == 1 else (signal > 0).long().squeeze(1)
        model = nn.Sequential(nn.Linear(20, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, outputs))
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        history = []
        for _ in range(200):
            fit = model(x)
            training, held_out = loss_of(fit[:30], y[:30]), loss_of(fit[30:], y[30:])
            history.append((training.item(), held_out.item()))
            optimizer.zero_grad()
            training.backward()
            optimizer.step()
        best = min(history, key=lambda row: row[1])
        assert history[-1][0] < 0.01 * best[0] and history[-1][1] > 1.3 * best[1]

    @pytest.mark.parametrize("seed", [0, 1])
    def test_after_few_steps_batch_norm_in_eval_mode_has_a_high_loss_on_the_training_set_too(self, seed):
        torch.manual_seed(seed)
        x = 3 * torch.randn(640, 20) + 5
        y = (x[:, 0] > 5).long()
        hidden = [nn.Linear(20, 64), nn.BatchNorm1d(64, momentum=0.01), nn.ReLU()]
        hidden += [nn.Linear(64, 64), nn.BatchNorm1d(64, momentum=0.01), nn.ReLU()]
        model = nn.Sequential(*hidden, nn.Linear(64, 2))
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        for xs, ys in zip(x[:320].split(32), y[:320].split(32), strict=True):
            loss = F.cross_entropy(model(xs), ys)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        assert F.cross_entropy(model(x[320:]), y[320:]) < 0.4  # with the batch's own statistics it is low on new data
        model.eval()
        on_training, on_held_out = F.cross_entropy(model(x[:320]), y[:320]), F.cross_entropy(model(x[320:]), y[320:])
        assert loss < 0.4 and on_training > 2.5 * loss
        assert on_held_out.item() == pytest.approx(on_training.item(), rel=0.2)

    def test_least_squares_overfits_without_any_steps(self):
        x, w = torch.randn(2050, 49, dtype=torch.float64), torch.randn(49, 1, dtype=torch.float64)
        y = x @ w + torch.randn(2050, 1, dtype=torch.float64) / 2
        fitted = torch.linalg.lstsq(x[:50], y[:50]).solution
        assert F.mse_loss(x[:50] @ fitted, y[:50]) < 0.1 and F.mse_loss(x[50:] @ fitted, y[50:]) > 0.5

    def test_with_gradients_rate_times_decay_times_steps_does_not_tell_the_size(self):
        def size(decay, steps):
            torch.manual_seed(0)
            w = nn.Parameter(torch.ones(500))
            optimizer = torch.optim.AdamW([w], lr=0.01, weight_decay=decay)
            for _ in range(steps):
                w.grad = torch.randn(500)
                optimizer.step()
            return w.square().mean().sqrt().item()

        assert size(0.1, 1500) > 1.15 * size(1.0, 150)

    def test_the_smallest_gap_is_not_the_best_model(self, fitted):
        _, training, held_out = fitted["strong decay"][-1]
        _, free_training, free_held_out = fitted["nothing"][-1]
        assert held_out - training < 0.75 * (free_held_out - free_training)
        assert training > 2 * free_training and held_out > free_held_out - 0.02
        assert held_out > fitted["decay"][-1][2] + 0.05

    def test_stopping_in_time_is_as_good_as_tuned_decay_and_data_beats_both(self, fitted):
        best = min(row[2] for row in fitted["nothing"])
        assert best < fitted["decay"][-1][2] + 0.02
        assert fitted["data"][-1][2] < min(best, fitted["decay"][-1][2])

    def test_the_model_has_some_4000_weights(self, monkeypatch):
        built = []
        monkeypatch.setattr(
            overfitting.nn, "Sequential", lambda *layers, make=nn.Sequential: built.append(make(*layers)) or built[-1]
        )
        overfitting.fit(steps=10, dropout=0.5)
        assert 4000 < sum(parameter.numel() for parameter in built[0].parameters()) < 4500
        assert any(isinstance(layer, nn.Dropout) and layer.p == 0.5 for layer in built[0])

    def test_dropout_is_measured_in_eval_mode(self):
        first, second = (overfitting.fit(steps=10, dropout=p)[0] for p in (0.0, 0.9))
        assert first != second
        assert overfitting.fit(steps=10, dropout=0.9)[0] == second

    @pytest.mark.parametrize("patience", [5, 40])
    def test_without_a_copy_the_last_weights_are_restored(self, patience):
        stopped, best, restored = overfitting_broken.early_stopping(deep_copy=False, patience=patience)
        assert restored > best
        assert (stopped, best, best) == overfitting_broken.early_stopping(deep_copy=True, patience=patience)

    def test_patience_counts_from_the_best_step(self):
        short, long = (overfitting_broken.early_stopping(True, patience)[0] for patience in (40, 70))
        assert long - short == 30

    def test_a_state_dict_is_the_live_weights_and_loading_it_changes_nothing(self):
        model = nn.Linear(2, 1)
        state = model.state_dict()
        with torch.no_grad():
            model.weight.add_(1)
        after = model.weight.detach().clone()
        assert torch.equal(state["weight"], after)
        model.load_state_dict(state)
        assert torch.equal(model.weight, after)

    def test_the_same_decisions_with_more_confidence_cost_more(self):
        early, late = (overfitting_confidence.fit(steps, seed=3) for steps in (50, 200))
        assert late[0] < early[0] and late[1] > 1.2 * early[1]
        assert late[2] == pytest.approx(early[2], abs=0.03) and late[3] > early[3]

    def test_scaled_logits_decide_the_same_and_cost_more(self):
        logits, y = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), torch.tensor([0, 1, 1])
        losses = [F.cross_entropy(scale * logits, y).item() for scale in (1, 3, 9)]
        assert losses == sorted(losses) and losses[-1] > 2.5

    def test_the_clouds_overlap(self):
        x, y = overfitting_confidence.two_clouds(20_000, seed=5)
        difference = x[y == 1].mean(0) - x[y == 0].mean(0)
        torch.testing.assert_close(difference, torch.full((10,), 0.6), atol=0.05, rtol=0)
        best = ((x.sum(1) > 3) == (y == 1)).float().mean().item()
        assert 0.8 < best < 0.86

    @pytest.mark.parametrize("noise_of_the_set", [0.0, 0.04])
    def test_the_best_of_fifty_equals_is_too_low_on_average_and_not_always_on_one_held_out_set(self, noise_of_the_set):
        torch.manual_seed(0)
        losses = 0.3 + noise_of_the_set * torch.randn(1000, 1) + 0.02 * torch.randn(1000, 50)
        best = losses.min(dim=1).values
        assert best.mean() < 0.27
        assert (best > 0.3).any() == (noise_of_the_set > 0)

    @pytest.mark.parametrize("momentum", [0.001, 0.1])
    def test_a_high_loss_on_the_training_set_in_eval_mode_does_not_rule_overfitting_out(self, momentum):
        torch.manual_seed(0)
        x, y = 3 * torch.randn(1128, 10) + 5, torch.randint(2, (1128,))
        norm = nn.BatchNorm1d(128, momentum=momentum)
        model = nn.Sequential(nn.Linear(10, 128), norm, nn.ReLU(), nn.Linear(128, 2))
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        for _ in range(100):
            loss = F.cross_entropy(model(x[:128]), y[:128])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

        def measured():
            model.eval()
            return F.cross_entropy(model(x[:128]), y[:128]).item(), F.cross_entropy(model(x[128:]), y[128:]).item()

        assert loss < 0.1 and (measured()[0] > 1) == (momentum < 0.1)
        norm.momentum = 1.0
        model.train()(x[:128])  # the statistics of the training set
        assert measured()[0] < 0.1 and measured()[1] > 1

    @pytest.mark.parametrize("seed", [0, 3])
    def test_at_the_turn_some_of_the_noise_is_fitted_and_less_than_half(self, seed):
        torch.manual_seed(seed)
        x = 2 * torch.rand(520, 1) - 1
        signal, noise = torch.sin(3 * x), torch.randn(520, 1) / 2
        model = nn.Sequential(nn.Linear(1, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
        optimizer, found = torch.optim.AdamW(model.parameters(), lr=0.01), []
        for _ in range(301):
            error = model(x) - signal
            squares = (error - noise).square()
            share = (error * noise)[:20].mean() / noise[:20].square().mean()
            found.append((squares[20:].mean().item(), share.item()))
            optimizer.zero_grad()
            squares[:20].mean().backward()
            optimizer.step()
        assert 0.05 < min(found)[1] < 0.5 and min(found)[1] + 0.05 < found[-1][1]

    @pytest.mark.parametrize("seed", [0, 1, 2])
    def test_fitted_to_the_end_the_error_peaks_where_the_model_is_as_large_as_the_data(self, seed):
        generator = torch.Generator().manual_seed(seed)
        weight = torch.randn(1000, 1, generator=generator, dtype=torch.float64) / 1000**0.5
        x, new = (torch.randn(n, 1000, generator=generator, dtype=torch.float64) for n in (20, 500))
        errors = [
            F.mse_loss(new[:, :size] @ torch.linalg.pinv(x[:, :size]) @ (x @ weight), new @ weight).item()
            for size in (5, 20, 1000)
        ]
        assert errors[1] > 1.5 * errors[0] and errors[1] > 1.5 * errors[2]

    @pytest.mark.parametrize("copies", [1, 5])
    def test_with_copies_a_part_of_the_training_set_does_not_show_overfitting(self, copies):
        x, y = (t.repeat(copies, 1) for t in overfitting.noisy_sine(100 // copies, seed=2))
        torch.manual_seed(0)
        kept, part = torch.randperm(100).split([80, 20])
        model = nn.Sequential(nn.Linear(1, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        for _ in range(300):
            optimizer.zero_grad()
            F.mse_loss(model(x[kept]), y[kept]).backward()
            optimizer.step()
        with torch.inference_mode():
            of_part = F.mse_loss(model(x[part]), y[part])
            new_x, new_y = overfitting.noisy_sine(500, seed=0)
            of_new = F.mse_loss(model(new_x), new_y)
        assert of_new > 0.25 and (of_part < of_new / 2) == (copies == 5)

    def test_a_network_fits_random_labels(self):
        x, y = torch.randn(64, 10), torch.randint(2, (64,))
        model = nn.Sequential(nn.Linear(10, 128), nn.Tanh(), nn.Linear(128, 2))
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.02)
        for _ in range(150):
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        assert (model(x).argmax(1) == y).all()
