"""Every claim that docs/mid/modeling/transfer-learning.md makes, proven beyond the example shown."""

import copy

import pytest
import torch
from sklearn.datasets import load_digits
from torch import nn

from warmup.testing import load_snippet

broken = load_snippet("mid/modeling/transfer_learning_broken.py")
compare = load_snippet("mid/modeling/transfer_learning_compare.py")
tools = load_snippet("mid/modeling/transfer_learning_unfreeze.py")


def model_with(norm, features):
    body = nn.Sequential(features, norm, nn.ReLU(), nn.Dropout(0.5)).requires_grad_(False)
    return nn.Sequential(body, nn.Flatten(), nn.LazyLinear(2))


def digits():
    """A convolutional network with batch norm and dropout in blocks, and scans of digits."""
    torch.manual_seed(0)
    pixels, labels = load_digits(return_X_y=True)
    block = [nn.Sequential(nn.Conv2d(n, 8, 3), nn.BatchNorm2d(8), nn.GELU(), nn.Dropout(0.2)) for n in (1, 8)]
    model = nn.ModuleDict({"first": block[0], "second": block[1], "head": nn.Linear(128, 10)})
    data = torch.tensor(pixels / 16).float().view(-1, 1, 8, 8), torch.tensor(labels)

    def step(optimizer, batch):
        model.train()
        optimizer.zero_grad()
        x, y = data[0][batch : batch + 64], data[1][batch : batch + 64]
        features = model["second"](model["first"](x)).flatten(1)
        loss = nn.functional.cross_entropy(model["head"](features), y)
        loss.backward()
        optimizer.step()
        return loss.item()

    return model, step


def moved(model, step, optimizer, steps=3):
    """The parts in which something moved, parameters or buffers."""
    before = {name: value.clone() for name, value in model.state_dict().items()}
    for batch in range(steps):
        step(optimizer, 64 * batch)
    return {name.split(".")[0] for name, value in model.state_dict().items() if not torch.equal(value, before[name])}


class TestFineTuning:
    @pytest.mark.parametrize("held", [True, False])
    @pytest.mark.parametrize("make", [torch.optim.AdamW, torch.optim.SGD])
    def test_parts_are_frozen_and_thawed_one_after_the_other_and_all_else_trains(self, make, held):
        model, step = digits()
        options = {"momentum": 0.9} if make is torch.optim.SGD else {}
        parameters = model.parameters() if held else model["head"].parameters()
        optimizer = make(parameters, lr=0.01, weight_decay=0.1, **options)
        tuning, names = tools.FineTuning(model, optimizer), set(model.state_dict())
        step(optimizer, 0)  # the optimizer may have a state of what is frozen
        tuning.freeze(model["first"], model["second"])
        assert moved(model, step, optimizer) == {"head"}
        tuning.thaw(model["second"], lr=0.001)
        assert moved(model, step, optimizer) == {"second", "head"}
        tuning.thaw(model["first"], model["second"])
        assert moved(model, step, optimizer) == {"first", "second", "head"}
        assert not tuning.hooks and set(model.state_dict()) == names
        assert [group["lr"] for group in optimizer.param_groups] == ([0.01] if held else [0.01, 0.001, 0.01])
        ours = [id(p) for group in optimizer.param_groups for p in group["params"]]
        assert sorted(ours) == sorted(id(p) for p in model.parameters())

    def test_gradients_from_before_do_not_enter_the_first_step_after_thawing(self):
        model, step = digits()
        optimizer = torch.optim.SGD(model["head"].parameters(), lr=0.0)
        for parameter in model["first"].parameters():
            parameter.grad = torch.full_like(parameter, 1e9)
        tuning = tools.FineTuning(model, optimizer)
        tuning.thaw(model["first"], lr=0.1)
        assert all(p.grad is None for p in model["first"].parameters())
        tuning.thaw(model["first"])
        assert len(optimizer.param_groups) == 2

    @pytest.mark.parametrize("mode", [True, False])
    def test_a_frozen_part_is_in_eval_mode_whoever_calls_it_and_gets_the_mode_of_the_model_back(self, mode):
        model = nn.Sequential(nn.Sequential(nn.BatchNorm1d(3), nn.Dropout(0.5)), nn.Linear(3, 1))
        tuning = tools.FineTuning(model, torch.optim.SGD(model.parameters(), lr=0.1))
        tuning.freeze(model[0])
        tuning.freeze(model[0])
        x = torch.randn(16, 3) + 5
        for of in (model, copy.deepcopy(model)):
            of.train()
            assert torch.equal(of[0][1](x), x), "a module of the part, called alone"
            of.train()
            of(x)
            assert of[0][0].running_mean.eq(0).all() and of[1].training
        model.train(mode)
        tuning.thaw(model[0])
        assert all(module.training is mode for module in model.modules())
        model.train()(x)
        assert not model[0][0].running_mean.eq(0).any()

    def test_what_is_not_in_the_model_or_shares_a_parameter_is_refused_and_nothing_changes(self):
        model = nn.ModuleDict({"embed": nn.Embedding(5, 4), "body": nn.Linear(4, 4), "head": nn.Linear(4, 5)})
        model["head"].weight = model["embed"].weight
        tuning = tools.FineTuning(model, torch.optim.SGD(model.parameters(), lr=0.1))
        with pytest.raises(ValueError, match="^a part is not in the model$"):
            tuning.freeze(model["body"], nn.Linear(4, 4))
        with pytest.raises(ValueError, match=r"^Linear\(.*\) shares parameters with it: 1$"):
            tuning.freeze(model["body"], model["embed"])
        assert all(p.requires_grad for p in model.parameters()) and not tuning.hooks
        tuning.freeze(model["embed"], model["head"])
        assert not model["head"].weight.requires_grad and model["body"].weight.requires_grad
        hooks = dict(tuning.hooks)
        with pytest.raises(ValueError, match=r"^Linear\(.*\) shares parameters with it: 1$"):
            tuning.thaw(model["body"], model["embed"], lr=0.5)
        with pytest.raises(ValueError, match="^a part is not in the model$"):
            tuning.thaw(model["embed"], model["head"], nn.Linear(4, 4))
        assert tuning.hooks == hooks and not model["embed"].weight.requires_grad
        tuning.thaw(model["embed"], model["head"])
        assert not tuning.hooks and model["embed"].weight.requires_grad

    @pytest.mark.parametrize("normalize", [nn.utils.spectral_norm, nn.utils.parametrizations.spectral_norm])
    def test_a_frozen_module_is_in_eval_mode_before_other_hooks_of_it_run(self, normalize):
        model = nn.Sequential(normalize(nn.Linear(4, 4)), nn.Linear(4, 1))
        tuning = tools.FineTuning(model, torch.optim.SGD(model.parameters(), lr=0.1))
        buffers = {name: value.clone() for name, value in model.named_buffers()}
        assert buffers
        for frozen in (True, False):
            tuning.freeze(model[0]) if frozen else tuning.thaw(model[0])
            model.train()(torch.randn(3, 4))
            assert all(torch.equal(value, buffers[name]) for name, value in model.named_buffers()) is frozen

    def test_steps_of_lbfgs_move_what_is_frozen_and_those_of_adam_do_not(self):
        for make, moves in ((torch.optim.LBFGS, True), (torch.optim.Adam, False)):
            torch.manual_seed(0)
            model, x = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1)), torch.randn(20, 4)
            optimizer = make(model.parameters(), lr=0.1)

            def closure(model=model, optimizer=optimizer, x=x):
                optimizer.zero_grad()
                loss = (model(x) - x[:, :1]).square().mean()
                loss.backward()
                return loss

            optimizer.step(closure)
            tools.FineTuning(model, optimizer).freeze(model[0])
            before = model[0].weight.clone()
            optimizer.step(closure)
            assert torch.equal(model[0].weight, before) is not moves


class TestTransferLearning:
    @pytest.mark.parametrize("make", [torch.optim.SGD, torch.optim.AdamW])
    @pytest.mark.parametrize(
        ("norm", "features", "shape"),
        [
            (nn.BatchNorm1d(8), nn.Linear(4, 8), (16, 4)),
            (nn.BatchNorm2d(8), nn.Conv2d(3, 8, 3), (4, 3, 6, 6)),
        ],
    )
    def test_frozen_batch_norm_moves_its_buffers_in_train_mode_and_nothing_in_eval(self, make, norm, features, shape):
        model = model_with(norm, features)
        model.eval()(torch.randn(shape))
        body, head = model[0], model[2]
        optimizer = make(head.parameters(), lr=0.1)
        for keep in (True, False):
            before = {name: value.clone() for name, value in body.state_dict().items()}
            model.train()
            if keep:
                body.eval()
            optimizer.zero_grad()
            model(torch.randn(shape) + 3).square().sum().backward()
            optimizer.step()
            moved = {name for name, value in body.state_dict().items() if not torch.equal(value, before[name])}
            buffers = {name for name, _ in body.named_buffers()}
            assert moved == (set() if keep else buffers)
            assert all(p.grad is None for p in body.parameters())

    def test_the_old_tasks_outputs_change_unless_the_backbone_is_in_eval(self):
        assert broken.old_task(keep_statistics=False) > 1
        assert broken.old_task(keep_statistics=True) == 0

    def test_an_overridden_train_keeps_the_backbone_in_eval(self):
        class Frozen(nn.Module):
            def __init__(self):
                super().__init__()
                self.backbone, self.head = nn.BatchNorm1d(3).requires_grad_(False), nn.Linear(3, 2)

            def train(self, mode=True):
                super().train(mode)
                self.backbone.eval()
                return self

        model = Frozen().train()
        assert model.training
        assert model.head.training
        assert not model.backbone.training

    @pytest.mark.parametrize("make", [torch.optim.SGD, torch.optim.AdamW])
    def test_an_unfrozen_backbone_moves_only_after_it_is_a_group(self, make):
        backbone, head = nn.Linear(3, 4), nn.Linear(4, 2)
        optimizer = make(head.parameters(), lr=0.1)
        scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1.0)

        def step():
            before = backbone.weight.detach().clone()
            optimizer.zero_grad()
            head(backbone(torch.randn(5, 3)).relu()).square().sum().backward()
            optimizer.step()
            return not torch.equal(before, backbone.weight)

        assert not step()
        once = backbone.weight.grad.clone()
        assert not step()
        assert not torch.equal(backbone.weight.grad, once)
        backbone.zero_grad()
        optimizer.add_param_group({"params": backbone.parameters(), "lr": 0.01})
        assert [group["lr"] for group in optimizer.param_groups] == [0.1, 0.01]
        assert len(scheduler.lr_lambdas) == 1
        assert len(torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1.0).lr_lambdas) == 2
        assert step()

    @pytest.mark.parametrize("decay", [0.5, 0.9])
    def test_a_new_scheduler_sets_the_decayed_rate_back_unless_it_gets_the_epoch(self, decay):
        def rule(epoch):
            return decay**epoch

        for goes_on in (False, True):
            optimizer = torch.optim.AdamW(nn.Linear(4, 2).parameters(), lr=0.1)
            old = torch.optim.lr_scheduler.LambdaLR(optimizer, rule)
            for _ in range(3):
                optimizer.step()
                old.step()
            group = {"params": nn.Linear(3, 4).parameters(), "lr": 0.01} | ({"initial_lr": 0.01} if goes_on else {})
            optimizer.add_param_group(group)
            last = old.last_epoch - 1 if goes_on else -1
            torch.optim.lr_scheduler.LambdaLR(optimizer, rule, last_epoch=last)
            rates = [group["lr"] for group in optimizer.param_groups]
            factor = decay**3 if goes_on else 1
            assert rates == pytest.approx([0.1 * factor, 0.01 * factor])

    def test_validation_chooses_a_larger_rate_for_the_backbone_only_if_the_source_had_other_classes(self, monkeypatch):
        smaller, larger = [(0.003, 0.001), (0.01, 0.001), (0.01, 0.003)], [(0.003, 0.01)]
        rates = {"fine-tuned": smaller + larger, "smaller": smaller}
        monkeypatch.setattr(compare, "RATES", rates)
        far, near = (compare.compare(task, per_class=4, seeds=5) for task in compare.TASKS)
        assert far["fine-tuned"][0] in larger
        assert far["fine-tuned"][1].mean() > far["smaller"][1].mean() + 3
        assert near["fine-tuned"][0] in smaller

    def test_a_backbone_with_a_rate_of_zero_is_frozen_and_head_only_trains(self):
        x, y = torch.randn(2, 10, 4), torch.randint(0, 2, (2, 10))
        for rates, moves in (((0.1, 0.0), False), ((0.1, 0.01), True)):
            backbone, head = compare.layers(2, 4, 3), compare.layers(2, 3, 2)
            fitted = compare.fit(backbone, head, rates, x, y, steps=2)
            for before, after in zip(backbone, fitted[:-2], strict=True):
                assert torch.equal(before, after) != moves
            for before, after in zip(head, fitted[-2:], strict=True):
                assert not torch.equal(before, after)

    def test_networks_side_by_side_train_as_each_alone(self):
        x, y = torch.randn(2, 10, 4), torch.randint(0, 2, (2, 10))
        backbone, head = compare.layers(2, 4, 3), compare.layers(2, 3, 2)
        both = compare.fit(backbone, head, (0.01, 0.01), x, y, steps=5)
        for i in (slice(0, 1), slice(1, 2)):
            alone = compare.fit([p[i] for p in backbone], [p[i] for p in head], (0.01, 0.01), x[i], y[i], steps=5)
            for p, q in zip(both, alone, strict=True):
                torch.testing.assert_close(p[i], q, atol=1e-5, rtol=1e-4)

    def test_features_of_a_frozen_backbone_in_eval_can_be_stored(self):
        model = model_with(nn.BatchNorm1d(8), nn.Linear(4, 8))
        x = torch.randn(6, 4)
        model.eval()
        stored = model[0](x)
        assert not stored.requires_grad
        torch.testing.assert_close(model[2](stored), model(x))

    def test_near_the_source_a_frozen_backbone_helps_and_far_from_it_hurts(self, monkeypatch):
        rates = {
            "from scratch": [(0.003, 0.003)],
            "head only": [(0.01, 0.0), (0.03, 0.0)],
            "fine-tuned": [(0.003, 0.01), (0.01, 0.001)],
        }
        monkeypatch.setattr(compare, "RATES", rates)
        far, near = (compare.compare(task, per_class=4, seeds=2) for task in compare.TASKS)
        far, near = ({way: found[1].mean().item() for way, found in result.items()} for result in (far, near))
        assert far["from scratch"] > far["head only"] + 10
        assert far["fine-tuned"] > far["head only"] + 8
        assert near["head only"] > near["from scratch"]
        assert near["fine-tuned"] > near["from scratch"]

    @pytest.mark.parametrize("body", [nn.Linear(3, 3), nn.Sequential(nn.Conv1d(3, 3, 1), nn.ReLU())])
    def test_no_grad_cuts_the_gradient_to_a_prompt_and_frozen_parameters_do_not(self, body):
        body.requires_grad_(False)
        assert body(torch.randn(3, 3)).grad_fn is None
        prompt = torch.randn(3, 3, requires_grad=True)
        body(prompt).sum().backward()
        assert prompt.grad is not None
        with torch.no_grad():
            assert body(prompt).grad_fn is None

    def test_without_tracked_statistics_nothing_moves_in_train_mode(self):
        for norm in (nn.BatchNorm1d(3, track_running_stats=False), nn.LayerNorm(3)):
            assert not list(norm.train().buffers())
