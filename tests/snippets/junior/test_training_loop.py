"""Every claim that the pages of docs/junior/training-loop make, proven beyond the example shown."""

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


def blobs(count: int, classes: int = 10) -> TensorDataset:
    y = torch.arange(count) % classes
    return TensorDataset(torch.randn(count, 64) + 4 * F.one_hot(y, 64), y)


def small_model() -> nn.Sequential:
    return nn.Sequential(nn.Linear(64, 16), nn.BatchNorm1d(16), nn.Dropout(0.5), nn.Linear(16, 10))


@pytest.fixture(scope="module")
def result():
    return {dropped: ablation.run(dropped, epochs=3) for dropped in
            ("nothing", "model.train()", "model.eval()", "zero_grad()", "step()", "inference_mode()", "* len(y)",
             "+ softmax")}


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

    def test_without_eval_the_report_is_wrong_and_the_model_fine(self, result):
        row = result["model.eval()"]
        assert row["loss"] > result["nothing"]["loss"] + 0.05
        assert row["true accuracy"] > row["accuracy"] + 0.02

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
