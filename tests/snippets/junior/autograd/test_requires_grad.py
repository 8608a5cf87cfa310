"""What docs/junior/autograd/requires-grad.md claims, proven beyond the example shown."""

import functools

import pytest
import torch
import torch.utils.checkpoint
from torch import nn

from warmup.testing import load_snippet

requires_grad = load_snippet("junior/autograd/requires_grad_attempts.py")
requires_grad_drift = load_snippet("junior/autograd/requires_grad_drift.py")
requires_grad_myth = load_snippet("junior/autograd/requires_grad_myth.py")


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


OPTIMIZERS = {
    "SGD": functools.partial(torch.optim.SGD, lr=0.1),
    "momentum": functools.partial(torch.optim.SGD, lr=0.1, momentum=0.9),
    "decay": functools.partial(torch.optim.SGD, lr=0.1, weight_decay=0.1),
    "Adam": functools.partial(torch.optim.Adam, lr=0.1),
    "AdamW": functools.partial(torch.optim.AdamW, lr=0.1),
}


class TestRequiresGrad:
    def test_freeze_switches_every_parameter_off_and_drops_its_gradient(self):
        model = nn.Sequential(nn.Linear(3, 3), nn.ModuleList([nn.LayerNorm(3)]))
        for parameter in model.parameters():
            parameter.grad = torch.ones_like(parameter)
        requires_grad.freeze(model)
        assert [(p.requires_grad, p.grad) for p in model.parameters()] == [(False, None)] * 4

    def test_only_a_real_freeze_freezes(self):
        free = requires_grad.train_after(lambda body: None)
        assert free[0] > 0.05 and free[1] == 2
        assert requires_grad.train_after(lambda body: setattr(body, "requires_grad", False)) == free
        for typo in ("require_grad", "requires_grads", "trainable"):
            assert requires_grad.train_after(lambda body, typo=typo: setattr(body.weight, typo, False)) == free
        for half in ("weight", "bias"):
            moved = requires_grad.train_after(lambda body, half=half: getattr(body, half).requires_grad_(False))
            assert moved[0] > 0.05 and moved[1] == 1
        for freezing in (requires_grad.freeze, lambda body: body.requires_grad_(False)):
            assert requires_grad.train_after(freezing) == (0.0, 0)

    def test_the_freezing_is_measured_after_one_step_of_training(self):
        seen = []
        requires_grad.train_after(lambda body: seen.append((body.weight.detach().clone(), body.weight.grad)))
        torch.manual_seed(0)
        ((weight, gradient),) = seen
        assert gradient is not None and not torch.equal(weight, nn.Linear(4, 4).weight)

    def test_a_module_has_no_flag_but_a_method(self):
        layer = nn.Linear(2, 2)
        assert not hasattr(layer, "requires_grad")
        layer.requires_grad = False
        assert layer.weight.requires_grad
        assert not layer.requires_grad_(False).weight.requires_grad and not layer.bias.requires_grad

    def test_the_flag_counts_in_forward_and_again_at_the_end_of_backward(self):
        w, v = leaf(2.0), leaf(3.0)
        product = w * v
        w.requires_grad_(False)
        product.backward()
        assert w.grad is None and v.grad.item() == 2

    def test_a_frozen_leaf_keeps_the_gradient_it_had(self):
        w, v = leaf(2.0), leaf(3.0)
        (w * v).backward()
        w.requires_grad_(False)
        (w * v).backward()
        assert w.grad.item() == 3 and v.grad.item() == 4

    @pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
    def test_a_stale_gradient_moves_a_frozen_weight(self, make):
        assert requires_grad_myth.drift(make, "never") > 0.05

    def test_zeros_move_a_frozen_weight_by_momentum_averages_or_decay(self):
        moved = {name: requires_grad_myth.drift(make, "zeros") for name, make in OPTIMIZERS.items()}
        assert moved.pop("SGD") == 0
        assert min(moved.values()) > 0.005

    @pytest.mark.parametrize("clearing", ["None", "None once"])
    @pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
    def test_none_freezes_under_every_optimizer(self, make, clearing):
        assert requires_grad_myth.drift(make, clearing) == 0

    def test_the_drift_is_that_of_three_steps_with_the_same_gradient(self):
        torch.manual_seed(0)
        body, head, x = nn.Linear(4, 4), nn.Linear(4, 1), torch.randn(16, 4)
        head(body(x)).square().mean().backward()
        expected = 3 * 0.1 * body.weight.grad.abs().max().item()
        assert requires_grad_myth.drift(OPTIMIZERS["SGD"], "never") == pytest.approx(expected, rel=1e-4)

    def test_frozen_before_the_first_gradient_not_even_decay_moves_it(self):
        frozen, free = nn.Parameter(torch.ones(2), requires_grad=False), nn.Parameter(torch.ones(2))
        optimizer = torch.optim.AdamW([frozen, free], lr=0.1, weight_decay=0.5)
        for _ in range(3):
            optimizer.zero_grad()
            (frozen * free).sum().backward()
            optimizer.step()
        assert frozen.tolist() == [1.0, 1.0] and frozen not in optimizer.state and free in optimizer.state

    def test_zero_grad_visits_frozen_parameters_too(self):
        layer = nn.Linear(2, 1)
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
        layer(torch.ones(1, 2)).sum().backward()
        layer.requires_grad_(False)
        optimizer.zero_grad()
        assert layer.weight.grad is None and layer.bias.grad is None

    def test_defaults_of_data_parameters_buffers_and_results(self):
        norm, x = nn.BatchNorm1d(3), torch.randn(4, 3)
        flags = {name: tensor.requires_grad for name, tensor in norm.state_dict(keep_vars=True).items()}
        assert flags == {
            "weight": True,
            "bias": True,
            "running_mean": False,
            "running_var": False,
            "num_batches_tracked": False,
        }
        assert not x.requires_grad and norm(x).requires_grad
        with torch.no_grad():
            assert nn.Parameter(x).requires_grad and not norm(x).requires_grad

    @pytest.mark.parametrize("dtype", [torch.int64, torch.int8, torch.bool])
    def test_integers_and_booleans_refuse(self, dtype):
        with pytest.raises(RuntimeError, match="floating point"):
            torch.ones(2, dtype=dtype).requires_grad_()
        with pytest.raises(RuntimeError, match="floating point"):
            nn.Parameter(torch.ones(2, dtype=dtype))
        assert not nn.Parameter(torch.ones(2, dtype=dtype), requires_grad=False).requires_grad

    def test_a_row_has_no_flag_of_its_own(self):
        weight = nn.Parameter(torch.ones(3, 2))
        for part in (weight[0], weight[:1], weight.T):
            with pytest.raises(RuntimeError, match="leaf variables"):
                part.requires_grad_(False)

    @pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
    def test_writing_a_row_back_freezes_it_and_a_hook_that_zeros_its_gradient_does_only_under_plain_sgd(self, make):
        def moved(how):
            torch.manual_seed(0)
            weight = nn.Parameter(torch.randn(3, 2))
            optimizer, row = make([weight]), None
            for step in range(6):
                if step == 2:
                    row = weight[0].detach().clone()
                    if how == "hook":
                        weight.register_hook(lambda grad: grad.index_fill(0, torch.tensor([0]), 0.0))
                optimizer.zero_grad()
                weight.square().sum().backward()
                optimizer.step()
                if how == "write back" and row is not None:
                    with torch.no_grad():
                        weight[0] = row
            return not torch.equal(weight[0], row)

        assert moved("nothing") and not moved("write back")
        assert moved("hook") == (make is not OPTIMIZERS["SGD"])

    @pytest.mark.parametrize(("name", "decay"), [("SGD", 0.0), ("SGD", 0.1), ("Adam", 0.0), ("AdamW", 0.1)])
    def test_a_hook_from_the_start_freezes_a_row_unless_weights_decay(self, name, decay):
        options = {"momentum": 0.9} if name == "SGD" else {}
        weight = nn.Parameter(torch.ones(3, 2))
        optimizer = getattr(torch.optim, name)([weight], lr=0.1, weight_decay=decay, **options)
        weight.register_hook(lambda grad: grad.index_fill(0, torch.tensor([0]), 0.0))
        for _ in range(3):
            optimizer.zero_grad()
            weight.square().sum().backward()
            optimizer.step()
        assert torch.equal(weight[0], torch.ones(2)) == (decay == 0.0)
        assert not torch.equal(weight[1], torch.ones(2))

    @pytest.mark.parametrize("cloned", [True, False])
    def test_a_row_is_written_back_only_from_a_clone(self, cloned):
        weight = nn.Parameter(torch.ones(3, 2))
        row = weight[0].detach().clone() if cloned else weight[0].detach()
        weight.square().sum().backward()
        torch.optim.SGD([weight], lr=0.1).step()
        with torch.no_grad():
            weight[0] = row
        assert torch.equal(weight[0], torch.ones(2)) == cloned

    @pytest.mark.parametrize("clears", [True, False])
    def test_frozen_between_micro_batches_the_old_gradient_is_applied_until_it_is_cleared(self, clears):
        torch.manual_seed(0)
        body, head, x = nn.Linear(4, 4), nn.Linear(4, 1), torch.randn(4, 4)
        optimizer, moved = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1), []
        head(body(x)).square().mean().backward()
        body.requires_grad_(False)
        for _ in range(3):
            head(body(x)).square().mean().backward()
            before = body.weight.clone()
            optimizer.step()
            moved.append(not torch.equal(body.weight, before))
            if clears:
                optimizer.zero_grad()
        assert moved == ([True, False, False] if clears else [True, True, True])

    def test_a_running_lambda_scheduler_has_no_rule_for_an_added_group(self):
        head, backbone = nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(1))
        for rebuilt in (False, True):
            optimizer = torch.optim.SGD([head], lr=1.0)
            scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.5**step)
            optimizer.add_param_group({"params": [backbone], "lr": 0.1})
            if rebuilt:
                scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.5**step)
            optimizer.step()
            try:
                scheduler.step()
            except ValueError:  # it raises, or it leaves the new group out
                assert not rebuilt
            assert (optimizer.param_groups[1]["lr"] < 0.1) == rebuilt

    @pytest.mark.parametrize("factor", [0.5, 0.9])
    def test_a_new_lambda_scheduler_starts_again_and_one_that_has_all_groups_from_the_start_goes_on(self, factor):
        for from_start in (True, False):
            head, backbone = nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(1), requires_grad=False)
            groups = [{"params": [head], "lr": 1.0}, {"params": [backbone], "lr": 0.1}]
            optimizer = torch.optim.SGD(groups if from_start else groups[:1])
            scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: factor**step)
            for _ in range(5):
                optimizer.step()
                scheduler.step()
            if not from_start:
                optimizer.add_param_group(groups[1])
                torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: factor**step)
            rates = [group["lr"] for group in optimizer.param_groups]
            assert rates == pytest.approx([factor**5, 0.1 * factor**5] if from_start else [1.0, 0.1])

    @pytest.mark.parametrize("factor", [0.5, 0.9])
    def test_a_new_lambda_scheduler_with_last_epoch_goes_on_if_the_new_group_has_an_initial_lr(self, factor):
        optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
        scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: factor**step)
        for _ in range(5):
            optimizer.step()
            scheduler.step()
        optimizer.add_param_group({"params": [nn.Parameter(torch.ones(1))], "lr": 0.1})
        with pytest.raises(KeyError, match="initial_lr"):
            torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: factor**step, last_epoch=4)
        optimizer.param_groups[1]["initial_lr"] = 0.1
        torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: factor**step, last_epoch=4)
        assert [group["lr"] for group in optimizer.param_groups] == pytest.approx([factor**5, 0.1 * factor**5])

    @pytest.mark.parametrize("training", [True, False])
    def test_an_embedding_with_max_norm_shortens_looked_up_rows_of_its_frozen_weight(self, training):
        for max_norm in (None, 1.0):
            embedding = nn.Embedding(3, 4, max_norm=max_norm).requires_grad_(False).train(training)
            embedding.weight.copy_(torch.tensor([[5.0], [5.0], [0.1]]).expand(3, 4))
            before = embedding.weight.clone()
            embedding(torch.tensor([0, 2]))
            same = [torch.equal(row, old) for row, old in zip(embedding.weight, before, strict=True)]
            assert same == [max_norm is None, True, True]

    def test_a_state_dict_shows_a_change_only_if_it_was_cloned(self):
        for model in (nn.Linear(2, 2), nn.BatchNorm1d(2)):
            kept = model.state_dict()
            cloned = {name: tensor.clone() for name, tensor in kept.items()}
            with torch.no_grad():
                model.weight.add_(1)
            assert torch.equal(kept["weight"], model.weight)
            assert not torch.equal(cloned["weight"], model.weight)

    @pytest.mark.parametrize("steps", [1, 30])
    def test_the_picture_shows_a_stale_gradient_zeros_and_none(self, steps):
        path = requires_grad_drift.path
        assert path("SGD", "stale", steps) == pytest.approx([0.04 * step for step in range(steps + 1)], abs=1e-5)
        velocity = [2 * 0.02 * 0.9**step for step in range(1, steps + 1)]
        assert path("momentum", "zeros", steps)[-1] == pytest.approx(sum(velocity), abs=1e-5)
        assert path("AdamW", "zeros", steps)[-1] > 0.01
        assert path("SGD", "zeros", steps) == [0.0] * (steps + 1)
        for name in ("SGD", "momentum", "AdamW", "Adagrad"):
            assert path(name, "None", steps) == [0.0] * (steps + 1)

    def test_wrapping_in_ddp_reads_the_flag_once(self, tmp_path):
        torch.distributed.init_process_group("gloo", init_method=f"file://{tmp_path}/store", rank=0, world_size=1)
        try:
            for freeze_first in (True, False):
                model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
                model[0].requires_grad_(not freeze_first)
                wrapped = nn.parallel.DistributedDataParallel(model)
                model[0].requires_grad_(False)
                wrapped(torch.ones(1, 2)).sum().backward()
                if freeze_first:
                    wrapped(torch.ones(1, 2)).sum().backward()
                else:
                    with pytest.raises(RuntimeError, match="finished reduction in the prior iteration"):
                        wrapped(torch.ones(1, 2))
        finally:
            torch.distributed.destroy_process_group()

    def test_an_unfrozen_layer_that_the_optimizer_does_not_know_stays_and_is_never_cleared(self):
        body, head, x = nn.Linear(3, 3).requires_grad_(False), nn.Linear(3, 1), torch.randn(8, 3)
        optimizer = torch.optim.SGD([p for p in (*body.parameters(), *head.parameters()) if p.requires_grad], lr=0.05)
        body.requires_grad_(True)
        before, losses = body.weight.detach().clone(), []
        for _ in range(3):
            optimizer.zero_grad()
            loss = head(body(x)).square().mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        assert torch.equal(body.weight, before) and losses[0] > losses[1] > losses[2]
        optimizer.zero_grad()
        assert body.weight.grad is not None and head.weight.grad is None
        optimizer.add_param_group({"params": body.parameters(), "lr": 0.01})
        optimizer.zero_grad()
        head(body(x)).square().mean().backward()
        optimizer.step()
        assert not torch.equal(body.weight, before)

    def test_a_frozen_batch_norm_changes_in_train_mode_and_train_undoes_eval(self):
        model = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
        requires_grad.freeze(model)
        x, norm = torch.randn(8, 3) + 5, model[1]
        before = norm.running_mean.clone()
        model(x)
        moved = norm.running_mean.clone()
        assert not torch.equal(moved, before)
        norm.eval()
        model(x)
        assert torch.equal(norm.running_mean, moved)
        model.train()
        assert norm.training

    def test_a_frozen_layer_passes_the_gradient_on(self):
        first, frozen = nn.Linear(3, 3), nn.Linear(3, 1)
        requires_grad.freeze(frozen)
        frozen(first(torch.ones(1, 3))).sum().backward()
        assert frozen.weight.grad is None and first.weight.grad.abs().sum() > 0

    @pytest.mark.parametrize(("kind", "raises"), [("LambdaLR", True), ("StepLR", False)])
    def test_a_group_that_is_added_late_has_no_rule_in_a_running_lambda_lr(self, kind, raises):
        optimizer = torch.optim.SGD([leaf(1.0)], lr=0.1)
        arguments = {"LambdaLR": (lambda step: 1.0,), "StepLR": (10,)}[kind]
        scheduler = getattr(torch.optim.lr_scheduler, kind)(optimizer, *arguments)
        optimizer.add_param_group({"params": [leaf(2.0)]})
        optimizer.step()
        if raises:
            with pytest.raises(ValueError, match="zip"):
                scheduler.step()
        else:
            scheduler.step()
