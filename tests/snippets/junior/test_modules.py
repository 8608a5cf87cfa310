"""Every claim that the pages of docs/junior/modules make, proven beyond the example shown."""

import copy
import inspect
import pickle
from collections import OrderedDict
from contextlib import nullcontext

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval, fuse_linear_bn_eval
from torch.utils.checkpoint import checkpoint

from warmup.testing import load_snippet

containers_compared = load_snippet("junior/modules/containers_compared.py")
containers_broken = load_snippet("junior/modules/containers_broken.py")
containers_find = load_snippet("junior/modules/containers_find.py")
nn_module = load_snippet("junior/modules/nn_module.py")
nn_module_head = load_snippet("junior/modules/nn_module_head.py")
nn_module_hook = load_snippet("junior/modules/nn_module_hook.py")
nn_module_init_broken = load_snippet("junior/modules/nn_module_init_broken.py")
module_vs_sequential = load_snippet("junior/modules/module_vs_sequential.py")
module_vs_sequential_keys = load_snippet("junior/modules/module_vs_sequential_keys.py")
module_vs_sequential_broken = load_snippet("junior/modules/module_vs_sequential_broken.py")
module_vs_sequential_inputs = load_snippet("junior/modules/module_vs_sequential_inputs.py")
module_vs_sequential_residual = load_snippet("junior/modules/module_vs_sequential_residual.py")
tensor_vs_parameter = load_snippet("junior/modules/tensor_vs_parameter.py")
tensor_vs_parameter_myth = load_snippet("junior/modules/tensor_vs_parameter_myth.py")
tensor_vs_parameter_update_broken = load_snippet("junior/modules/tensor_vs_parameter_update_broken.py")
functional_vs_module_modes = load_snippet("junior/modules/functional_vs_module_modes.py")
functional_vs_module_broken = load_snippet("junior/modules/functional_vs_module_broken.py")
embedding_cost = load_snippet("junior/modules/embedding_cost.py")
embedding_rows_broken = load_snippet("junior/modules/embedding_rows_broken.py")
train_vs_eval_restore = load_snippet("junior/modules/train_vs_eval_restore.py")
train_vs_eval_validation_broken = load_snippet("junior/modules/train_vs_eval_validation_broken.py")
dropout_by_hand = load_snippet("junior/modules/dropout_by_hand.py")
dropout_average = load_snippet("junior/modules/dropout_average.py")
dropout_unscaled_broken = load_snippet("junior/modules/dropout_unscaled_broken.py")
batch_norm_axes = load_snippet("junior/modules/batch_norm_axes.py")
batch_norm_by_hand = load_snippet("junior/modules/batch_norm_by_hand.py")
batch_norm_depth = load_snippet("junior/modules/batch_norm_depth.py")
batch_norm_lag = load_snippet("junior/modules/batch_norm_lag.py")

PLAIN = [list, tuple, lambda layers: dict(enumerate(layers))]
REGISTERED = [
    nn.ModuleList,
    lambda layers: nn.Sequential(*layers),
    lambda layers: nn.ModuleDict((f"layer{i}", layer) for i, layer in enumerate(layers)),
]


def layers(count: int) -> list[nn.Module]:
    return [nn.Linear(4, 4) for _ in range(count)]


class TestContainers:
    @pytest.mark.parametrize("count", [1, 3])
    @pytest.mark.parametrize("container", PLAIN)
    def test_plain_containers_leave_only_the_head(self, container, count):
        model = containers_compared.Classifier(container(layers(count)))
        assert list(model.state_dict()) == ["head.weight"]
        assert [p.shape for p in model.parameters()] == [(2, 4)]

    @pytest.mark.parametrize("count", [1, 3])
    @pytest.mark.parametrize("container", REGISTERED)
    def test_the_three_containers_register_every_layer(self, container, count):
        model = containers_compared.Classifier(container(layers(count)))
        assert len(list(model.parameters())) == 2 * count + 1

    def test_the_containers_differ_in_parameter_names_only(self):
        parts = layers(2)
        models = [containers_compared.Classifier(container(parts)) for container in (*PLAIN, *REGISTERED)]
        for model in models:
            model.head = models[0].head
        x = torch.randn(5, 4)
        expected = models[0].head(parts[1](parts[0](x).relu()).relu())
        assert all(torch.equal(model(x), expected) for model in models)
        assert "hidden.layer1.bias" in models[-1].state_dict()
        assert "hidden.1.bias" in models[3].state_dict() and "hidden.1.bias" in models[4].state_dict()

    def test_modules_are_registered_when_they_are_assigned(self):
        model = nn.Module()
        model.layer, model.weight, model.number = nn.Linear(1, 1), nn.Parameter(torch.ones(1)), 3
        assert set(dict(model.named_parameters())) == {"weight", "layer.weight", "layer.bias"}

    def test_everything_that_walks_the_model_overlooks_a_list(self):
        model, visited = containers_compared.Classifier([nn.Linear(4, 4), nn.Dropout()]), []
        model.apply(visited.append)
        model.eval()
        assert visited == [model.head, model]
        assert model.hidden[1].training and not model.head.training
        assert "Dropout" not in repr(model)
        model.double()
        assert model.hidden[0].weight.dtype == torch.float32
        with pytest.raises(RuntimeError, match="dtype"):
            model(torch.ones(1, 4, dtype=torch.float64))

    def test_layers_in_a_list_stay_on_their_device(self):
        model = containers_compared.Classifier(layers(1)).to("meta")
        assert model.head.weight.is_meta and not model.hidden[0].weight.is_meta

    def test_an_optimizer_refuses_a_model_that_is_all_list(self):
        model = nn.Module()
        model.hidden = layers(2)
        with pytest.raises(ValueError, match="empty parameter list"):
            torch.optim.SGD(model.parameters(), lr=0.1)

    @pytest.mark.parametrize("seed", [2, 3, 4])
    def test_with_a_head_the_loss_falls_but_only_the_head_trains(self, seed):
        torch.manual_seed(seed)
        x = torch.randn(300, 2)
        y = (x[:, 0] * x[:, 1] > 0).long()
        results = {}
        for container in (list, nn.ModuleList):
            torch.manual_seed(seed)
            model = containers_broken.Classifier(container)
            before = [layer.weight.detach().clone() for layer in (*model.hidden, model.head)]
            losses = containers_broken.train(model, x, y, steps=150)
            layers = (*model.hidden, model.head)
            moved = [not torch.equal(old, layer.weight) for old, layer in zip(before, layers, strict=True)]
            results[container] = losses, moved
        (wrong, wrong_moved), (right, right_moved) = results[list], results[nn.ModuleList]
        assert len(wrong) == 150 and wrong[0] == right[0]
        assert wrong[-1] < wrong[0] - 0.02 and right[-1] < wrong[-1] - 0.1
        assert wrong_moved == [False, False, True] and right_moved == [True, True, True]

    def test_the_gradients_of_a_list_add_up_over_all_steps(self):
        x, y = torch.randn(20, 2), torch.randint(2, (20,))
        model = containers_broken.Classifier(list)
        total, state = torch.zeros(8, 2), {k: v.clone() for k, v in model.state_dict().items()}
        for step in range(4):
            torch.manual_seed(0)
            model.load_state_dict(state)
            containers_broken.train(model, x, y, steps=step)
            total += torch.autograd.grad(F.cross_entropy(model(x), y), model.hidden[0].weight)[0]
        for layer in model.hidden:
            layer.weight.grad = None
        model.load_state_dict(state)
        containers_broken.train(model, x, y, steps=4)
        torch.testing.assert_close(model.hidden[0].weight.grad, total)

    def test_strict_loading_accepts_a_checkpoint_without_the_body(self):
        saved, restored = (containers_broken.Classifier(list) for _ in range(2))
        result = restored.load_state_dict(saved.state_dict(), strict=True)
        assert not result.missing_keys and not result.unexpected_keys
        x = torch.randn(10, 2)
        assert torch.equal(saved.head.weight, restored.head.weight)
        assert not torch.allclose(saved(x), restored(x))

    @pytest.mark.parametrize("container", [nn.ModuleList(layers(1)), nn.ModuleDict({"a": nn.Linear(4, 4)})])
    def test_list_and_dict_have_no_forward(self, container):
        with pytest.raises(NotImplementedError, match='missing the required "forward"'):
            container(torch.ones(1, 4))

    def test_sequential_hands_one_value_from_layer_to_layer(self):
        class Split(nn.Module):
            def forward(self, x):
                return x, x + 1

        class TakesOne(nn.Module):
            def forward(self, value):
                return value

        pair = nn.Sequential(Split(), TakesOne())(torch.zeros(1))
        assert isinstance(pair, tuple) and pair[1].item() == 1
        assert nn.Sequential(TakesOne())([1, 2]) == [1, 2]
        with pytest.raises(TypeError, match="positional arguments"):
            nn.Sequential(TakesOne())(1, 2)
        with pytest.raises(TypeError, match="not tuple"):
            nn.Sequential(Split(), nn.Linear(1, 1))(torch.zeros(1))

    def test_sequential_and_list_can_be_sliced(self):
        for container in (nn.Sequential(*layers(3)), nn.ModuleList(layers(3))):
            assert type(container[:2]) is type(container) and len(container[:2]) == 2

    @pytest.mark.parametrize("key", ["values", "items", "train", "half", "training", "a.b", ""])
    def test_module_dict_refuses_dots_empty_names_and_its_own_attributes(self, key):
        with pytest.raises(KeyError):
            nn.ModuleDict({key: nn.Identity()})
        assert f"node_{key}".replace(".", "_") in nn.ModuleDict({f"node_{key}".replace(".", "_"): nn.Identity()})

    def test_unregistered_leaves_are_found_wherever_they_hide(self):
        class Hidden(nn.Module):
            def __init__(self):
                super().__init__()
                self.known = nn.Linear(3, 3)
                self.secret = {"a": [nn.Linear(3, 3, bias=False)]}
                self.bare = [torch.ones(3, requires_grad=True)]

            def forward(self, x):
                return self.secret["a"][0](self.known(x)) * self.bare[0]

        model = Hidden()
        found = containers_find.unregistered_leaves(model(torch.ones(2, 3)).sum(), model)
        assert {id(leaf) for leaf in found} == {id(model.secret["a"][0].weight), id(model.bare[0])}
        assert len(found) == 2

    def test_nothing_is_found_in_a_registered_model(self):
        model = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.ReLU(), nn.Linear(3, 1))
        assert containers_find.unregistered_leaves(model(torch.randn(4, 3)).sum(), model) == []

    def test_frozen_layers_and_dropout_leave_no_leaf_but_a_global_hook_sees_them(self):
        frozen = nn.Linear(4, 4).requires_grad_(False)
        model = containers_compared.Classifier([frozen, nn.Dropout(), nn.BatchNorm1d(4, affine=False)])
        called = []
        handle = torch.nn.modules.module.register_module_forward_hook(lambda module, args, out: called.append(module))
        try:
            loss = model(torch.randn(3, 4)).sum()
        finally:
            handle.remove()
        assert containers_find.unregistered_leaves(loss, model) == []
        assert [module for module in called if module not in set(model.modules())] == model.hidden

    def test_a_saved_variable_of_a_custom_function_is_no_leaf(self):
        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.variable = x
                return x * 2

            @staticmethod
            def backward(ctx, grad):
                return grad * 2

        layer = nn.Linear(2, 2)
        assert containers_find.unregistered_leaves(Double.apply(layer(torch.ones(1, 2))).sum(), layer) == []

    def test_a_buffer_is_registered_when_it_is_assigned(self):
        model = nn.Module()
        model.mean = nn.Buffer(torch.ones(1))
        assert list(model.state_dict()) == ["mean"]

    def test_a_sequential_takes_names_from_an_ordered_dict(self):
        model = nn.Sequential(OrderedDict(first=nn.Linear(1, 1, bias=False), second=nn.Linear(1, 1, bias=False)))
        assert list(model.state_dict()) == ["first.weight", "second.weight"]

    def test_a_prefix_does_not_cure_a_dot(self):
        with pytest.raises(KeyError, match="can.*t contain"):
            nn.ModuleDict({"node_layer1.conv": nn.Identity()})

    def test_a_shared_leaf_is_found_once(self):
        shared = torch.ones(2, requires_grad=True)
        found = containers_find.unregistered_leaves((shared * 2 + shared * 3).sum(), nn.Linear(1, 1))
        assert len(found) == 1 and found[0] is shared

    def test_a_loss_without_a_graph_is_an_error(self):
        with pytest.raises(ValueError, match="grad_fn"):
            containers_find.unregistered_leaves(torch.ones(()), nn.Linear(1, 1))

    def test_inserting_into_a_module_list_shifts_old_checkpoints(self):
        old, new = nn.ModuleList(layers(3)), nn.ModuleList(layers(3))
        new.insert(1, nn.Linear(4, 4))
        result = new.load_state_dict(old.state_dict(), strict=False)
        assert result.missing_keys == ["3.weight", "3.bias"] and not result.unexpected_keys
        pairs = ((0, 0), (1, 1), (2, 2))  # new[2] and new[3] should hold old[1] and old[2]
        assert all(torch.equal(new[now].weight, old[then].weight) for now, then in pairs)
        with pytest.raises(RuntimeError, match="Missing key"):
            new.load_state_dict(old.state_dict())
        other = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 5), nn.Linear(4, 4)])
        with pytest.raises(RuntimeError, match="size mismatch"):
            other.load_state_dict(old.state_dict(), strict=False)

    @pytest.mark.parametrize(("inserted", "raises"), [(nn.Linear(8, 8), True), (nn.Dropout(), False)])
    def test_a_shifted_index_raises_without_strict_only_if_a_key_meets_another_shape(self, inserted, raises):
        old = nn.ModuleList([nn.Linear(4, 8), nn.Linear(8, 2)])
        new = nn.ModuleList([nn.Linear(4, 8), inserted, nn.Linear(8, 2)])
        with pytest.raises(RuntimeError, match="size mismatch") if raises else nullcontext():
            result = new.load_state_dict(old.state_dict(), strict=False)
            assert result.missing_keys == ["2.weight", "2.bias"]
        with pytest.raises(RuntimeError):
            new.load_state_dict(old.state_dict())

    @pytest.mark.filterwarnings("ignore:Mismatch dtype")  # the RMS norm takes a slower path
    @pytest.mark.parametrize(("layer", "raises"), [(nn.Linear, True), (nn.RMSNorm, False)])
    def test_after_double_a_linear_layer_in_a_list_raises_and_an_rms_norm_does_not(self, layer, raises):
        body = [layer(4, 4) if layer is nn.Linear else layer(4)]
        head = nn.Linear(4, 2).double()
        with pytest.raises(RuntimeError, match="dtype") if raises else nullcontext():
            head(body[0](torch.randn(3, 4, dtype=torch.float64)))

    def test_keys_can_collide_when_dots_are_replaced_and_an_index_cannot(self):
        keys = ["a.b", "a_b"]
        heads = {f"col_{key.replace('.', '_')}": nn.Linear(1, 1) for key in keys}
        assert len(nn.ModuleDict(heads)) == 1
        assert len(nn.ModuleDict({f"col_{index}": nn.Linear(1, 1) for index in range(len(keys))})) == 2

    @pytest.mark.parametrize(("reentrant", "found"), [(True, 0), (False, 2)])
    def test_a_reentrant_checkpoint_hides_its_layers_from_the_graph(self, reentrant, found):
        class Hidden(nn.Module):
            def __init__(self):
                super().__init__()
                self.body, self.head = [nn.Linear(4, 4)], nn.Linear(4, 2)

            def forward(self, x):
                return self.head(checkpoint(self.body[0], x * self.head.weight.sum(), use_reentrant=reentrant))

        model = Hidden()
        assert len(containers_find.unregistered_leaves(model(torch.ones(1, 4)).sum(), model)) == found

    def test_a_module_dict_keeps_its_names(self):
        old = nn.ModuleDict({"stem": nn.Linear(4, 4), "top": nn.Linear(4, 4)})
        new = nn.ModuleDict({"stem": nn.Linear(4, 4), "extra": nn.Linear(4, 4), "top": nn.Linear(4, 4)})
        result = new.load_state_dict(old.state_dict(), strict=False)
        assert result.missing_keys == ["extra.weight", "extra.bias"]
        assert torch.equal(new["top"].weight, old["top"].weight)

    def test_a_teacher_in_a_list_stays_out_of_the_student(self):
        student = nn.Linear(2, 2)
        student.teacher = [nn.Linear(2, 2)]
        assert len(list(student.parameters())) == 2 and set(student.state_dict()) == {"weight", "bias"}


class TestNnModule:
    @pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
    def test_a_plain_tensor_is_in_no_list_and_is_not_converted(self, dtype):
        model = nn_module.Classifier().to(dtype)
        assert list(model.state_dict()) == ["temperature", "body.weight", "body.bias"]
        assert list(dict(model.named_parameters())) == list(model.state_dict()) and not list(model.buffers())
        assert (model.body.weight.dtype, model.center.dtype) == (dtype, torch.float32)
        del model.center
        model.center = nn.Buffer(torch.zeros(4, dtype=dtype))
        assert "center" in model.state_dict() and model.double().center.dtype == torch.float64

    def test_the_first_classifier_centers_and_divides_by_its_temperature(self):
        model, x = nn_module.Classifier(), torch.randn(3, 4)
        model.center, model.temperature.data = torch.ones(4), torch.tensor(2.0)
        torch.testing.assert_close(model(x), F.linear(x - 1, *model.body.parameters()) / 2)

    def test_a_forward_hook_keeps_the_hidden_layer_until_it_is_removed(self):
        x = torch.randn(5, 4)
        handle = nn_module_hook.model[1].register_forward_hook(nn_module_hook.keep)
        nn_module_hook.model(x)
        kept = nn_module_hook.features["hidden"]
        assert torch.equal(kept, nn_module_hook.model[:2](x)) and not kept.requires_grad
        handle.remove()
        nn_module_hook.model(x + 1)
        assert nn_module_hook.features["hidden"].shape == (5, 8)
        assert torch.equal(nn_module_hook.features["hidden"], nn_module_hook.model[:2](x))

    @pytest.mark.parametrize(("words", "width"), [(10, 4), (7, 3)])
    def test_tied_weights_are_one_parameter_with_two_keys_and_an_embedding_is_no_head(self, words, width):
        model = nn.Module()
        model.embedding, model.head = nn.Embedding(words, width), nn.Linear(width, words, bias=False)
        model.head.weight = model.embedding.weight
        assert len(list(model.parameters())) == 1
        assert list(model.state_dict()) == ["embedding.weight", "head.weight"]
        index = torch.randint(words, (6,))
        F.cross_entropy(model.head(model.embedding(index)), index).backward()
        torch.optim.SGD(model.parameters(), lr=0.1).step()
        assert torch.equal(model.head.weight, model.embedding.weight)
        with pytest.raises(RuntimeError, match="indices"):
            model.embedding(model.embedding(index))

    @pytest.mark.parametrize("assign", [True, False])
    def test_loading_by_assignment_breaks_a_tie_of_weights(self, assign):
        models = [nn.Sequential(nn.Embedding(5, 3), nn.Linear(3, 5, bias=False)) for _ in range(2)]
        for model in models:
            model[1].weight = model[0].weight
        first, second = models
        second.load_state_dict(first.state_dict(), assign=assign)
        assert (second[1].weight is second[0].weight) is not assign
        assert first.double()[1].weight is first[0].weight

    @pytest.mark.parametrize(("optimizer", "as_tied"), [(torch.optim.SGD, True), (torch.optim.Adam, False)])
    def test_after_loading_by_assignment_two_parameters_can_share_memory_and_are_updated_twice(
        self, optimizer, as_tied
    ):
        trained = []
        for assign in (False, True):
            torch.manual_seed(0)
            model = nn.Sequential(nn.Embedding(5, 3), nn.Linear(3, 5, bias=False))
            model[1].weight = model[0].weight
            model.load_state_dict(copy.deepcopy(model.state_dict()), assign=assign)
            assert len(list(model.parameters())) == 1 + assign
            rule = optimizer(model.parameters(), lr=0.1)
            for _ in range(3):
                rule.zero_grad()
                F.cross_entropy(model(torch.tensor([0, 1, 2])), torch.tensor([1, 2, 3])).backward()
                rule.step()
            assert torch.equal(model[0].weight, model[1].weight)
            trained.append(model[0].weight.detach())
        assert torch.allclose(*trained) is as_tied

    def test_assignment_registers_at_any_time_and_from_outside(self):
        model = nn_module_head.Classifier()
        model.extra, model.scale, model.note = nn.Linear(3, 3), nn.Parameter(torch.ones(2)), "text"
        names = [name for name, _ in model.named_parameters()]
        assert names == ["temperature", "scale", "body.weight", "head.weight", "extra.weight", "extra.bias"]
        assert list(model.state_dict()) == names
        assert [name for name, _ in model.named_modules()] == ["", "body", "dropout", "head", "extra"]

    def test_super_init_creates_empty_registries_and_train_mode(self):
        module = nn.Module()
        assert (module._parameters, module._buffers, module._modules, module.training) == ({}, {}, {}, True)
        assert len(module._forward_hooks) == len(module._backward_hooks) == len(module._state_dict_hooks) == 0
        module.layer = nn.Linear(1, 1)
        assert "layer" in module._modules and "layer" not in vars(module)

    def test_to_and_eval_reach_every_registered_module(self):
        model = nn_module_head.Classifier().double().eval()
        assert {parameter.dtype for parameter in model.parameters()} == {torch.float64}
        assert not any(module.training for module in model.modules())

    @pytest.mark.parametrize("call", [lambda m: m.double(), lambda m: m.to(torch.float64), lambda m: m.to("meta")])
    def test_a_later_layer_keeps_its_own_dtype_device_and_mode(self, call):
        model = call(nn_module_head.Classifier()).eval()
        model.dropout = nn.Sequential(nn.Linear(8, 8), nn.Dropout())
        weight = model.dropout[0].weight
        assert (weight.dtype, weight.device.type) == (torch.float32, "cpu")
        assert not model.training and all(module.training for module in model.dropout.modules())

    def test_a_float32_head_on_a_float64_body_raises(self):
        model = nn_module_head.Classifier().double().eval()
        model.head = nn.Linear(8, 2)
        with pytest.raises(RuntimeError, match="dtype"):
            model(torch.ones(1, 4, dtype=torch.float64))

    @pytest.mark.parametrize("new_optimizer", [False, True])
    def test_the_optimizer_keeps_the_parameters_it_was_given(self, new_optimizer):
        model = nn_module_head.Classifier().eval()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        model.head = nn.Linear(8, 2, bias=False)
        if new_optimizer:
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        head, body = model.head.weight.detach().clone(), model.body.weight.detach().clone()
        F.cross_entropy(model(torch.randn(32, 4)), torch.randint(2, (32,))).backward()
        optimizer.step()
        assert not torch.equal(body, model.body.weight)
        assert torch.equal(head, model.head.weight) is not new_optimizer
        held = {id(p) for group in optimizer.param_groups for p in group["params"]}
        assert ({id(p) for p in model.parameters()} == held) is new_optimizer

    @pytest.mark.parametrize("temperature", [0.5, 4.0])
    def test_the_classifier_computes_what_its_docstring_says(self, temperature):
        model, x = nn_module_head.Classifier(), torch.randn(3, 4)
        model.temperature.data.fill_(temperature)
        expected = (x @ model.body.weight.T).clamp(min=0) @ model.head.weight.T / temperature
        torch.testing.assert_close(model.eval()(x), expected)
        assert expected.shape == (3, 2)
        model.train()
        assert not torch.equal(model(x), model(x))

    def test_a_module_without_init_is_complete(self):
        model, x = nn_module_init_broken.NoInit(), torch.randn(2, 3)
        assert torch.equal(model(x), 3 * x)
        assert list(model.parameters()) == [] and model.eval().training is False

    def test_a_module_without_forward_fails_only_when_called(self):
        model = nn_module_init_broken.NoForward()
        assert len(list(model.parameters())) == 2
        with pytest.raises(NotImplementedError, match='missing the required "forward"'):
            model(torch.ones(1, 2))

    @pytest.mark.parametrize("value", [nn.Linear(1, 1), nn.Parameter(torch.ones(1)), nn.ReLU()])
    def test_without_super_init_the_first_registered_value_raises(self, value):
        with pytest.raises(AttributeError, match="before Module.__init__"):
            nn_module_init_broken.NoSuper()
        model = nn_module_init_broken.NoSuperNoLayer()
        with pytest.raises(AttributeError, match="before Module.__init__"):
            model.value = value

    def test_without_super_init_and_layers_the_error_comes_late(self):
        model = nn_module_init_broken.NoSuperNoLayer()
        assert model.factor == 3 and model.forward(2) == 6
        for late in (lambda: model(2), model.eval, model.state_dict, lambda: list(model.parameters())):
            with pytest.raises(AttributeError, match="object has no attribute '_"):
                late()

    def test_forward_skips_the_hooks_of_the_outermost_module_only(self):
        model, seen = nn_module_head.Classifier().eval(), []
        for name, module in model.named_modules():
            module.register_forward_pre_hook(lambda module, args, name=name: seen.append(name))
        x = torch.randn(2, 4)
        called, called_names = model(x), seen.copy()
        seen.clear()
        assert torch.equal(model.forward(x), called)
        assert called_names == ["", "body", "dropout", "head"] and seen == called_names[1:]

    @pytest.mark.parametrize("width", [4, 8])
    def test_a_child_whose_weights_go_to_a_function_runs_no_hook(self, width):
        model, seen = nn.MultiheadAttention(width, 2), []
        for name, module in model.named_modules():
            module.register_forward_hook(lambda module, args, output, name=name: seen.append(name))
        x = torch.randn(3, width)
        model(x, x, x)
        model.forward(x, x, x)
        assert seen == [""] and isinstance(model.out_proj, nn.Linear)

    @pytest.mark.parametrize("between", [nn.Flatten(), nn.Identity(), nn.Dropout(0.5), None])
    def test_an_in_place_layer_further_back_overwrites_the_kept_tensor_if_memory_is_shared(self, between):
        kept = []
        layers = [nn.Linear(6, 6), between or nn.LayerNorm(6), nn.ReLU(inplace=True)]
        layers[0].register_forward_hook(lambda module, args, output: kept.append(output.detach()))
        nn.Sequential(*layers).eval()(torch.randn(8, 6))
        assert (kept[0].min() < 0) == (between is None)

    def test_to_empty_breaks_a_tie_of_a_meta_model_and_conversions_keep_it(self):
        def tied():
            model = nn.Sequential(nn.Embedding(5, 3), nn.Linear(3, 5, bias=False))
            model[1].weight = model[0].weight
            return model

        with torch.device("meta"):
            model = tied()
        assert model[0].weight is model[1].weight
        model.to_empty(device="cpu")
        assert model[0].weight is not model[1].weight
        for model in (tied().half(), tied().to("cpu"), copy.deepcopy(tied())):
            assert model[0].weight is model[1].weight

    def test_a_head_of_another_structure_raises_with_strict_loading_only(self):
        pretrained, model = nn_module_head.Classifier().state_dict(), nn_module_head.Classifier()
        model.head = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 5))
        with pytest.raises(RuntimeError, match="Missing key"):
            model.load_state_dict(pretrained)
        assert model.load_state_dict(pretrained, strict=False).unexpected_keys == ["head.weight"]
        assert torch.equal(model.body.weight, pretrained["body.weight"])

    def test_identity_takes_the_head_off(self):
        saved, model, x = (
            nn_module_head.Classifier().state_dict(),
            nn_module_head.Classifier().eval(),
            torch.randn(2, 4),
        )
        model.head = nn.Identity()
        assert list(model.state_dict()) == ["temperature", "body.weight"] and len(list(model.parameters())) == 2
        assert torch.equal(model(x), model.body(x).relu() / model.temperature)
        with pytest.raises(RuntimeError, match="Unexpected key"):
            model.load_state_dict(saved)

    @pytest.mark.parametrize("strict", [True, False])
    @pytest.mark.parametrize("classes", [2, 3])
    def test_pretrained_weights_are_loaded_before_the_head_is_replaced(self, strict, classes):
        pretrained = nn_module_head.Classifier().state_dict()
        model = nn_module_head.Classifier()
        model.load_state_dict(pretrained, strict=strict)
        model.head = head = nn.Linear(8, classes, bias=False)
        assert torch.equal(model.body.weight, pretrained["body.weight"])
        fresh = head.weight.detach().clone()
        if classes == 2:
            model.load_state_dict(pretrained, strict=strict)
            assert torch.equal(head.weight, pretrained["head.weight"]) and not torch.equal(head.weight, fresh)
        else:
            with pytest.raises(RuntimeError, match="size mismatch"):
                model.load_state_dict(pretrained, strict=strict)
            assert torch.equal(head.weight, fresh)

    @pytest.mark.parametrize("inplace", [True, False])
    def test_an_in_place_layer_overwrites_what_a_hook_kept_without_a_copy(self, inplace):
        model, kept = nn.Sequential(nn.Linear(4, 64), nn.ReLU(inplace=inplace)), {}
        model[0].register_forward_hook(lambda m, a, y: kept.update(view=y.detach(), copy=y.detach().clone()))
        model(torch.randn(3, 4))
        assert bool((kept["view"] < 0).any()) is not inplace
        assert (kept["copy"] < 0).any()

    def test_parameters_is_lazy_until_it_is_listed(self):
        model = nn.Sequential(nn.Linear(2, 2))
        lazy, listed = model.parameters(), list(model.parameters())
        model.append(nn.Linear(2, 2))
        assert len(listed) == 2 and len(list(lazy)) == 4

    def test_a_plain_tensor_under_the_name_of_a_buffer_stays_registered(self):
        model = nn.Module()
        model.register_buffer("center", torch.zeros(2))
        model.center = torch.ones(2)
        model.other = torch.ones(2)
        assert list(model.state_dict()) == ["center"]

    def test_a_layer_under_two_names_is_one_parameter_with_two_keys(self):
        model = nn.Module()
        model.first = model.second = nn.Linear(2, 2, bias=False)
        assert len(list(model.parameters())) == 1
        assert list(model.state_dict()) == ["first.weight", "second.weight"]


class TestEmbedding:
    @pytest.mark.parametrize("ids", [3, [0, 6], [[1, 1], [5, 2], [6, 0]]])
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
    def test_a_lookup_is_one_hot_times_the_weight_to_the_bit(self, ids, dtype):
        ids, table = torch.tensor(ids), nn.Embedding(7, 5, dtype=dtype)
        product = embedding_cost.one_hot_lookup(ids, table.weight)
        assert product.dtype == dtype and product.shape == (*ids.shape, 5)
        assert torch.equal(table(ids), product)
        assert torch.equal(table(ids), table.weight[ids])

    def test_both_have_the_same_gradient(self):
        ids, upstream = torch.tensor([[4, 1, 4], [4, 0, 1]]), torch.randn(2, 3, 5)
        table = nn.Embedding(7, 5)
        gradients = [
            torch.autograd.grad(lookup(ids), table.weight, upstream)[0]
            for lookup in (table, lambda ids: embedding_cost.one_hot_lookup(ids, table.weight))
        ]
        torch.testing.assert_close(*gradients)

    @pytest.mark.parametrize(
        ("options", "values", "gradient"),
        [
            ({}, True, True),
            ({"padding_idx": 1}, True, False),
            ({"scale_grad_by_freq": True}, True, False),
            ({"max_norm": 0.1}, False, True),
        ],
    )
    def test_the_layer_is_the_product_with_default_arguments_only(self, options, values, gradient):
        ids, layer = torch.tensor([4, 1, 4]), nn.Embedding(6, 3, **options)
        weight = layer.weight.detach().clone().requires_grad_()
        looked_up, product = layer(ids), F.one_hot(ids, 6).float() @ weight
        assert torch.equal(looked_up, product) is values
        looked_up.sum().backward()
        product.sum().backward()
        assert torch.equal(layer.weight.grad, weight.grad) is gradient

    def test_a_row_gets_the_sum_over_its_positions_and_all_others_zero(self):
        table = nn.Embedding(7, 5)
        upstream = torch.randn(4, 5)
        (gradient,) = torch.autograd.grad(table(torch.tensor([4, 1, 4, 4])), table.weight, upstream)
        expected = torch.zeros(7, 5)
        expected[1], expected[4] = upstream[1], upstream[0] + upstream[2] + upstream[3]
        torch.testing.assert_close(gradient, expected)

    @pytest.mark.parametrize("padding", [0, 3])
    def test_the_padding_row_starts_at_zero_and_gets_no_gradient(self, padding):
        table = nn.Embedding(5, 4, padding_idx=padding)
        assert not table.weight[padding].any()
        table(torch.arange(5)).sum().backward()
        assert table.weight.grad.any(dim=1).tolist() == [row != padding for row in range(5)]

    def test_one_broken_row_reaches_every_output_of_the_product_only(self):
        weight = torch.ones(4, 2)
        weight[3] = float("nan")
        ids = torch.tensor([0, 1])
        assert F.embedding(ids, weight).isfinite().all()
        assert embedding_cost.one_hot_lookup(ids, weight).isnan().all()

    @pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
    def test_ids_are_integers(self, dtype):
        table = nn.Embedding(4, 2)
        assert not table(torch.tensor([1], dtype=dtype)).isnan().any()
        with pytest.raises(RuntimeError, match="scalar types: Long, Int"):
            table(torch.tensor([1.0]))
        with pytest.raises(RuntimeError, match="floating point"):
            torch.tensor([1], dtype=dtype).requires_grad_()

    def test_a_linear_layer_on_one_hot_starts_much_smaller(self):
        size = 400
        table, linear = nn.Embedding(size, 50), nn.Linear(size, 50, bias=False)
        assert table.weight.shape == linear.weight.T.shape
        assert table.weight.std().item() == pytest.approx(1, abs=0.05)
        assert linear.weight.abs().max() <= size**-0.5

    @pytest.mark.parametrize(
        ("optimizer", "options", "expected"),
        [
            (torch.optim.SGD, {}, [True, False, False, False]),
            (torch.optim.SGD, {"momentum": 0.5}, [True, True, False, False]),
            (torch.optim.RMSprop, {}, [True, False, False, False]),
            (torch.optim.Adam, {}, [True, True, False, False]),
            (torch.optim.AdamW, {"weight_decay": 0}, [True, True, False, False]),
            (torch.optim.AdamW, {}, [True, True, True, True]),
            (torch.optim.SGD, {"weight_decay": 0.1}, [True, True, True, True]),
        ],
    )
    def test_momentum_moves_earlier_rows_and_decay_moves_all(self, optimizer, options, expected):
        assert embedding_rows_broken.moved(optimizer, **options) == expected

    def test_a_padding_row_of_zeros_stays_zero_under_decay(self):
        table = nn.Embedding(3, 4, padding_idx=0)
        optimizer = torch.optim.AdamW(table.parameters(), lr=0.1, weight_decay=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            table(torch.tensor([0, 1])).sum().backward()
            optimizer.step()
        assert not table.weight[0].any()

    def test_a_padding_row_of_another_init_is_kept_but_never_trained(self):
        table = nn.Embedding(3, 4, padding_idx=0)
        nn.init.normal_(table.weight)
        before = table.weight[0].clone()
        optimizer = torch.optim.Adam(table.parameters(), lr=0.1)
        table(torch.tensor([0, 1])).sum().backward()
        optimizer.step()
        assert before.all() and torch.equal(table.weight[0], before)

    def test_padding_counts_in_a_mean_and_in_attention(self):
        table = nn.Embedding(5, 4, padding_idx=0)
        torch.testing.assert_close(table(torch.tensor([1, 2, 0, 0, 0])).mean(0), table(torch.tensor([1, 2])).sum(0) / 5)
        padded = table(torch.tensor([[1, 2, 0, 0]]))
        attended = F.scaled_dot_product_attention(padded, padded, padded)[:, :2]
        short = padded[:, :2]
        assert not torch.allclose(attended, F.scaled_dot_product_attention(short, short, short))

    @pytest.mark.parametrize("row", [7, -1, -7, 100])
    def test_an_id_outside_of_the_table_raises(self, row):
        with pytest.raises(IndexError, match="out of range in self"):
            nn.Embedding(7, 2)(torch.tensor([row]))

    @pytest.mark.parametrize("freeze", [True, False])
    def test_pretrained_vectors_are_frozen_by_default_and_share_memory(self, freeze):
        vectors = torch.randn(3, 2)
        assert not nn.Embedding.from_pretrained(vectors).weight.requires_grad
        table = nn.Embedding.from_pretrained(vectors, freeze=freeze)
        assert table.weight.requires_grad is not freeze and table.weight.data_ptr() == vectors.data_ptr()

    def test_reset_parameters_zeroes_the_padding_row_again(self):
        table = nn.Embedding(5, 4, padding_idx=2)
        nn.init.normal_(table.weight)
        assert table.weight[2].any()
        table.reset_parameters()
        assert not table.weight[2].any()

    @pytest.mark.parametrize("ids", [[3, -1], [7, 0]])
    def test_both_bounds_have_to_be_checked(self, ids):
        ids, table = torch.tensor(ids), nn.Embedding(7, 2)
        assert not (ids.min() >= 0 and ids.max() < table.num_embeddings)
        assert (ids.min() < 0) != (ids.max() >= table.num_embeddings)  # one of the two alone passes

    def test_indexing_the_weight_wraps_around(self):
        table = nn.Embedding(7, 2)
        assert torch.equal(table.weight[torch.tensor(-1)], table(torch.tensor(6)))

    def test_a_mixture_of_rows_is_differentiable(self):
        table = nn.Embedding(7, 2)
        logits = torch.randn(3, 7, requires_grad=True)
        (logits.softmax(-1) @ table.weight).square().sum().backward()
        assert logits.grad.any(dim=1).all()

    @pytest.mark.parametrize("accepts", [torch.optim.SGD, torch.optim.SparseAdam])
    @pytest.mark.parametrize("refuses", [torch.optim.Adam, torch.optim.AdamW])
    def test_sparse_stores_the_touched_rows_and_adam_refuses_them(self, accepts, refuses):
        table = nn.Embedding(7, 2, sparse=True)
        table(torch.tensor([4, 1, 4])).sum().backward()
        assert table.weight.layout is torch.strided and table.weight.grad.coalesce().indices().tolist() == [[1, 4]]
        before = table.weight.detach().clone()
        accepts(list(table.parameters()), lr=0.1).step()
        assert (table.weight != before).any(dim=1).nonzero().flatten().tolist() == [1, 4]
        with pytest.raises(RuntimeError, match="does not support sparse gradients"):
            refuses(table.parameters()).step()

    @pytest.mark.parametrize("clip", [True, False])
    def test_sparse_gradients_break_weight_decay_and_clipping(self, clip):
        table = nn.Embedding(7, 2, sparse=True)
        table(torch.tensor([4, 1, 4])).sum().backward()
        with pytest.raises((RuntimeError, NotImplementedError)):
            if clip:
                nn.utils.clip_grad_norm_(table.parameters(), 1.0)
            else:
                torch.optim.SGD(table.parameters(), lr=0.1, weight_decay=0.01).step()

    @pytest.mark.parametrize("padding", [0, None])
    @pytest.mark.parametrize("tied", [True, False])
    def test_a_tied_output_layer_adds_a_gradient_to_every_row(self, tied, padding):
        table, head = nn.Embedding(7, 4, padding_idx=padding), nn.Linear(4, 7, bias=False)
        weight = table.weight if tied else head.weight
        F.cross_entropy(F.linear(table(torch.tensor([4, 1])), weight), torch.tensor([1, 2])).backward()
        rows = table.weight.grad.any(dim=1).nonzero().flatten().tolist()
        assert rows == (list(range(7)) if tied else [1, 4])

    @pytest.mark.parametrize("padding", [0, 2])
    def test_from_pretrained_keeps_the_padding_row_and_gives_it_no_gradient(self, padding):
        table = nn.Embedding.from_pretrained(torch.ones(4, 2), freeze=False, padding_idx=padding)
        table(torch.arange(4)).sum().backward()
        assert table.weight[padding].tolist() == [1, 1] and not table.weight.grad[padding].any()

    @pytest.mark.parametrize(("dtype", "shared"), [(torch.float32, True), (torch.float64, False)])
    def test_a_conversion_ends_the_sharing_with_the_pretrained_vectors(self, dtype, shared):
        vectors = torch.ones(3, 2)
        table = nn.Embedding.from_pretrained(vectors, freeze=False).to(dtype)
        table(torch.tensor([1])).sum().backward()
        torch.optim.SGD(table.parameters(), lr=1.0).step()
        assert (vectors[1] == 0).all() == shared

    @pytest.mark.parametrize(("ids", "fine"), [([0, 6], True), ([3, -1], False), ([7, 0], False), ([], True)])
    def test_the_check_of_the_ids_holds_for_an_empty_batch_too(self, ids, fine):
        ids, table = torch.tensor(ids, dtype=torch.long), nn.Embedding(7, 2)
        assert ((ids >= 0) & (ids < table.num_embeddings)).all().item() is fine


class TestModuleVsSequential:
    def chain(self) -> nn.Sequential:
        return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))

    def test_a_straight_chain_computes_what_the_class_computes(self):
        model, chain, x = module_vs_sequential_keys.MLP(), self.chain(), torch.randn(7, 4)
        chain.load_state_dict(dict(zip(chain.state_dict(), model.state_dict().values(), strict=True)))
        assert torch.equal(chain(x), model(x))
        hidden = F.linear(x, *chain[0].parameters()).relu()
        torch.testing.assert_close(model(x), F.linear(hidden, *chain[2].parameters()))

    def test_only_a_chain_with_names_loads_the_weights_of_the_class(self):
        model, x = module_vs_sequential_keys.MLP(), torch.randn(3, 4)
        parts = {"body": nn.Linear(4, 8), "activation": nn.ReLU(), "head": nn.Linear(8, 2)}
        named = nn.Sequential(OrderedDict(parts))
        assert not any(named.load_state_dict(model.state_dict()))
        assert torch.equal(named(x), model(x))
        with pytest.raises(RuntimeError, match=r'Missing key\(s\).*"0.weight"'):
            self.chain().load_state_dict(model.state_dict())

    @pytest.mark.parametrize("head_first", [True, False])
    def test_renaming_by_position_needs_registration_in_the_order_of_the_run(self, head_first):
        class Rewritten(nn.Module):
            def __init__(self):
                super().__init__()
                for name in ("head", "body") if head_first else ("body", "head"):
                    setattr(self, name, nn.Linear(4, 4))

            def forward(self, x):
                return self.head(self.body(x).relu())

        chain, model, x = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4)), Rewritten(), torch.randn(3, 4)
        by_position = zip(model.state_dict(), chain.state_dict().values(), strict=True)
        assert not any(model.load_state_dict(dict(by_position)))
        assert torch.allclose(model(x), chain(x)) is not head_first

    def test_a_hook_on_a_shared_relu_fires_once_per_place(self):
        relu, shapes = nn.ReLU(), []
        model = nn.Sequential(nn.Linear(4, 8), relu, nn.Linear(8, 3), relu)
        relu.register_forward_hook(lambda module, args, output: shapes.append(tuple(output.shape)))
        model(torch.randn(5, 4))
        assert shapes == [(5, 8), (5, 3)]
        assert [name for name, _ in model.named_modules()] == ["", "0", "1", "2"]

    @pytest.mark.parametrize("scale", [1.0, -3.0])
    def test_a_module_may_use_its_input_twice(self, scale):
        x = scale * torch.randn(4, 8)
        first, _, second = module_vs_sequential.chain
        hidden = F.linear(x, *first.parameters()).clamp(min=0)
        torch.testing.assert_close(
            module_vs_sequential.WithSkip(*module_vs_sequential.chain)(x), x + F.linear(hidden, *second.parameters())
        )

    def test_inserting_a_layer_moves_every_later_key(self):
        chain = self.chain()
        chain.insert(1, nn.LayerNorm(8))
        assert list(chain.state_dict()) == ["0.weight", "0.bias", "1.weight", "1.bias", "3.weight", "3.bias"]

    def test_sequential_is_a_loop_with_one_variable(self):
        seen = []

        class Record(nn.Module):
            def forward(self, value):
                seen.append(value)
                return value + 1

        assert nn.Sequential(*(Record() for _ in range(4)))(10) == 14
        assert seen == [10, 11, 12, 13]

    @pytest.mark.parametrize("count", [2, 5])
    def test_a_repeated_block_is_one_block(self, count):
        block = nn.Linear(3, 3)
        repeated, x = nn.Sequential(*[block] * count), torch.randn(2, 3)
        separate = nn.Sequential(*(nn.Linear(3, 3) for _ in range(count)))
        assert module_vs_sequential_broken.parameter_count(repeated) == 12
        assert module_vs_sequential_broken.parameter_count(separate) == 12 * count
        assert len(repeated) == len(separate) == count
        assert repeated.state_dict().keys() == separate.state_dict().keys() and repr(repeated) == repr(separate)
        expected = x
        for _ in range(count):
            expected = block(expected)
        assert torch.equal(repeated(x), expected)

    def test_a_shared_module_is_listed_once_by_modules(self):
        repeated = nn.Sequential(*[nn.Linear(3, 3)] * 3)
        assert len(list(repeated.modules())) == 2
        assert len(list(repeated.named_modules(remove_duplicate=False))) == 4

    @pytest.mark.parametrize("calls", [2, 3])
    def test_a_module_that_forward_calls_twice_shows_in_a_hook_and_in_no_list(self, calls):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm, self.layer = nn.BatchNorm1d(3), nn.Linear(3, 3)

            def forward(self, x):
                for _ in range(calls):
                    x = self.norm(self.layer(x))
                return x

        model, seen = Model(), []
        assert len(list(model.modules())) == len(list(model.named_modules(remove_duplicate=False))) == 3
        model.norm.register_forward_hook(lambda module, args, output: seen.append(module))
        model(torch.randn(4, 3))
        assert len(seen) == calls
        repeated = nn.Sequential(*[model.layer] * calls)
        assert len(repeated.state_dict()) == 2 * calls and len(model.layer.state_dict()) == 2

    def test_a_skip_can_widen_without_parameters(self):
        layers = nn.Sequential(nn.Linear(3, 5), nn.Tanh())
        x = torch.randn(2, 3)
        output = F.pad(x, (0, 2)) + layers(x)
        torch.testing.assert_close(output - layers(x), torch.cat([x, torch.zeros(2, 2)], dim=1))

    def test_a_repeated_block_trains(self):
        model, x = nn.Sequential(*[nn.Linear(3, 3)] * 3), torch.randn(64, 3)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
        losses = []
        for _ in range(100):
            loss = F.mse_loss(model(x), x.flip(1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        assert losses[-1] < losses[0] / 2

    @pytest.mark.parametrize("width", [1, 6])
    def test_residual_adds_its_input_to_what_its_layers_return(self, width):
        first, second, x = nn.Linear(width, 9), nn.Linear(9, width), torch.randn(4, width)
        block = module_vs_sequential_residual.Residual(first, nn.Tanh(), second)
        torch.testing.assert_close(block(x), second(first(x).tanh()) + x)
        twice = nn.Sequential(block, block)
        torch.testing.assert_close(twice(x), block(block(x)))

    @pytest.mark.parametrize("first", [True, False])
    def test_an_in_place_first_layer_changes_the_input_of_the_residual_block(self, first):
        layers = [nn.ReLU(inplace=True)] if first else [nn.Identity(), nn.Linear(3, 3), nn.ReLU(inplace=True)]
        block, x = module_vs_sequential_residual.Residual(*layers), torch.randn(5, 3)
        output, expected = block(x.clone()), x + nn.Sequential(*layers)(x.clone())
        assert torch.allclose(output, expected) is not first
        if first:
            torch.testing.assert_close(output, 2 * x.relu())

    @pytest.mark.parametrize(
        "front", [nn.Dropout(0.5), nn.Identity(), nn.Flatten()], ids=lambda front: type(front).__name__
    )
    def test_a_layer_that_returns_its_input_passes_it_on_to_an_in_place_layer(self, front):
        block, x = module_vs_sequential_residual.Residual(front, nn.ReLU(inplace=True)).eval(), torch.randn(5, 3)
        torch.testing.assert_close(block(x.clone()), 2 * x.relu())
        if isinstance(front, nn.Dropout):
            block.train()(given := x.clone())
            assert torch.equal(given, x)

    @pytest.mark.parametrize(("front", "raises"), [(nn.Tanh(), True), (nn.Sigmoid(), True), (nn.Linear(3, 3), False)])
    def test_backward_sees_the_in_place_layer_if_the_operation_in_front_saved_its_output(self, front, raises):
        block = module_vs_sequential_residual.Residual(nn.ReLU(inplace=True), nn.Linear(3, 3))
        loss = nn.Sequential(nn.Linear(3, 3), front, block)(torch.randn(5, 3)).sum()
        if raises:
            with pytest.raises(RuntimeError, match="inplace operation"):
                loss.backward()
        else:
            loss.backward()

    def test_a_tuple_helps_only_if_the_first_layer_takes_it(self):
        class Join(nn.Module):
            def forward(self, parts):
                return torch.cat(parts, dim=1)

        parts = torch.randn(3, 4), torch.randn(3, 1)
        assert nn.Sequential(Join(), nn.Linear(5, 2))(parts).shape == (3, 2)
        for first in (nn.Linear(4, 5), nn.ReLU(), nn.Flatten()):
            with pytest.raises((TypeError, AttributeError)):
                nn.Sequential(first, nn.Linear(5, 2))(parts)

    def test_plain_and_residual_chains_have_the_same_weights_and_keys(self):
        states = []
        for block in (nn.Sequential, module_vs_sequential_residual.Residual):
            torch.manual_seed(1)
            states.append(nn.Sequential(*(block(nn.Linear(3, 3), nn.Tanh()) for _ in range(2))).state_dict())
        assert list(states[0]) == list(states[1]) == ["0.0.weight", "0.0.bias", "1.0.weight", "1.0.bias"]
        assert all(map(torch.equal, states[0].values(), states[1].values()))

    @pytest.mark.parametrize("width", [8, 24])
    def test_only_the_residual_chain_passes_a_gradient_to_its_first_block(self, width):
        gradient, residual = module_vs_sequential_residual.first_gradient, module_vs_sequential_residual.Residual
        shallow, deep = (gradient(nn.Sequential, depth, width) for depth in (2, 20))
        assert deep < shallow / 1000
        assert gradient(residual, 20, width) > gradient(residual, 2, width) / 10

    @pytest.mark.parametrize("features", [1, 4])
    def test_residual_refuses_layers_that_change_the_shape(self, features):
        with pytest.raises(ValueError, match=rf"\(3, 8\) into \(3, {features}\)"):
            module_vs_sequential_residual.Residual(nn.Linear(8, features))(torch.randn(3, 8))

    def test_without_the_check_one_feature_broadcasts(self):
        x, layer = torch.randn(3, 8), nn.Linear(8, 1)
        assert (x + layer(x)).shape == (3, 8)
        assert (x + layer(x) - x).std(dim=1).max() < 1e-6
        with pytest.raises(RuntimeError, match="must match"):
            x + nn.Linear(8, 4)(x)

    def test_two_inputs_need_a_class(self):
        model, image, age = module_vs_sequential_inputs.ImageAndAge(), torch.randn(3, 1, 8, 8), torch.rand(3, 1)
        assert model(image, age).shape == (3, 2)
        assert not torch.equal(model(image, age), model(image, age + 1))
        assert not torch.equal(model(image, age), model(image + 1, age))
        chain = nn.Sequential(model.image, model.head)
        for inputs, complaint in (((image, age), "takes 2 positional"), (((image, age),), "tuple")):
            with pytest.raises(TypeError, match=complaint):
                chain(*inputs)

    def test_strict_false_after_a_rewrite_loads_nothing(self):
        model, chain = module_vs_sequential_keys.MLP(), self.chain()
        before = [parameter.detach().clone() for parameter in model.parameters()]
        result = model.load_state_dict(chain.state_dict(), strict=False)
        assert result.missing_keys == list(model.state_dict())
        assert result.unexpected_keys == list(chain.state_dict())
        assert all(map(torch.equal, before, model.parameters()))

    def test_shared_batch_norm_mixes_the_statistics_of_both_places(self):
        norm = nn.BatchNorm1d(1, momentum=None)
        nn.Sequential(norm, module_vs_sequential_residual.Residual(nn.Linear(1, 1)), norm)(torch.randn(64, 1) + 10)
        assert norm.num_batches_tracked == 2
        assert 0 < norm.running_mean.item() < 9


class TestTrainVsEval:
    SAME_IN_BOTH = [
        nn.Linear(6, 6),
        nn.Conv1d(6, 6, 1),
        nn.LayerNorm(6),
        nn.GroupNorm(2, 6),
        nn.ReLU(),
        nn.GELU(),
        nn.InstanceNorm1d(6),
        nn.LSTM(6, 6),
        nn.MultiheadAttention(6, 2),
    ]
    DIFFERENT = [
        nn.Dropout(),
        nn.Dropout1d(),
        nn.AlphaDropout(),
        nn.BatchNorm1d(6),
        nn.RReLU(),
        nn.InstanceNorm1d(6, track_running_stats=True),
        nn.LSTM(6, 6, num_layers=2, dropout=0.5),
        nn.MultiheadAttention(6, 2, dropout=0.5),
    ]

    @staticmethod
    def output(layer, mode):
        torch.manual_seed(1)
        x = torch.randn(4, 6, 6) + 2
        result = layer.train(mode)(x, x, x) if isinstance(layer, nn.MultiheadAttention) else layer.train(mode)(x)
        return result[0] if isinstance(result, tuple) else result

    @pytest.mark.parametrize("layer", SAME_IN_BOTH, ids=lambda layer: type(layer).__name__)
    def test_most_layers_do_not_look_at_the_flag(self, layer):
        torch.testing.assert_close(self.output(layer, True), self.output(layer, False))

    @pytest.mark.parametrize("layer", DIFFERENT, ids=lambda layer: type(layer).__name__)
    def test_these_layers_compute_something_else(self, layer):
        assert not torch.allclose(self.output(layer, True), self.output(layer, False), atol=1e-3)

    def test_no_other_family_of_layers_reads_the_flag(self):
        readers = set()
        for layer in vars(nn).values():
            if not (isinstance(layer, type) and issubclass(layer, nn.Module)):
                continue
            functions = [
                function
                for base in layer.__mro__
                if base not in (nn.Module, object)
                for function in vars(base).values()
                if inspect.isfunction(function)
            ]
            if any("self.training" in inspect.getsource(function) for function in functions):
                readers.add(layer.__name__.removeprefix("Lazy").rstrip("123d"))
        assert readers == {
            "Dropout",
            "AlphaDropout",
            "FeatureAlphaDropout",
            "BatchNorm",
            "SyncBatchNorm",
            "InstanceNorm",
            "RReLU",
            "RNN",
            "LSTM",
            "GRU",
            "MultiheadAttention",
            "TransformerEncoderLayer",
        }

    @pytest.mark.parametrize("momentum", [0.1, 0.5])
    def test_batch_norm_uses_the_batch_in_train_mode_and_the_running_statistics_in_eval_mode(self, momentum):
        layer, x = nn.BatchNorm1d(1, momentum=momentum), torch.tensor([[10.0], [30.0]])
        torch.testing.assert_close(layer(x), torch.tensor([[-1.0], [1.0]]))
        running = (layer.running_mean.clone(), layer.running_var.clone())
        torch.testing.assert_close(running, (20 * x.new_tensor([momentum]), x.new_tensor([1 + momentum * 199])))
        torch.testing.assert_close(layer.eval()(x), (x - running[0]) / (running[1] + layer.eps).sqrt())
        assert torch.equal(layer.running_mean, running[0]) and torch.equal(layer.running_var, running[1])

    @pytest.mark.parametrize("p", [0.2, 0.5])
    def test_dropout_zeroes_and_scales_in_train_mode_and_passes_everything_in_eval_mode(self, p):
        layer, x = nn.Dropout(p), torch.ones(1000)
        torch.testing.assert_close(layer(x).unique(), torch.tensor([0.0, 1 / (1 - p)]))
        assert torch.equal(layer.eval()(x), x)

    @pytest.mark.parametrize("old", [False, True])
    @pytest.mark.parametrize("mode", [True, False])
    def test_spectral_norm_writes_its_buffers_in_train_mode_only(self, old, mode):
        torch.manual_seed(0)
        wrap = nn.utils.spectral_norm if old else nn.utils.parametrizations.spectral_norm
        layer = wrap(nn.Linear(4, 6)).train(mode)
        before = {name: tensor.clone() for name, tensor in layer.named_buffers()}
        with torch.no_grad():
            layer(torch.randn(2, 4))
        assert any(not torch.equal(before[name], tensor) for name, tensor in layer.named_buffers()) is mode

    @pytest.mark.filterwarnings("ignore::UserWarning")
    @pytest.mark.parametrize("heads", [2, 4])
    def test_without_gradients_attention_treats_padding_in_another_way_in_eval_mode(self, heads):
        attention = nn.MultiheadAttention(8, heads, dropout=0.0, batch_first=True)
        block = nn.TransformerEncoderLayer(8, heads, 8, dropout=0.0, batch_first=True)
        encoder = nn.TransformerEncoder(block, num_layers=2)
        x, masked = torch.randn(2, 3, 8), torch.ones(2, 3, dtype=torch.bool)
        padding = torch.tensor([[False, False, True], [False, False, False]])
        for mode in (True, False):
            attention.train(mode), encoder.train(mode)
            for grad in (True, False):
                with torch.set_grad_enabled(grad):
                    encoded = encoder(x, src_key_padding_mask=padding)
                    attended, _ = attention(x, x, x, masked, need_weights=False)
                fused = not mode and not grad
                assert bool(attended.isnan().any()) is fused
                assert bool(encoded[0, 2].any()) is not fused

    @pytest.mark.filterwarnings("ignore::UserWarning")
    @pytest.mark.parametrize("frozen", [True, False])
    @pytest.mark.parametrize("grad", [True, False])
    def test_the_fused_path_needs_nothing_to_record_and_not_no_grad(self, frozen, grad):
        attention = nn.MultiheadAttention(8, 2, batch_first=True).eval().requires_grad_(not frozen)
        x, masked = torch.randn(2, 3, 8), torch.ones(2, 3, dtype=torch.bool)
        with torch.set_grad_enabled(grad):
            output, _ = attention(x, x, x, masked, need_weights=False)
        assert bool(output.isnan().any()) is (frozen or not grad)

    @pytest.mark.filterwarnings("ignore::UserWarning")
    @pytest.mark.parametrize("nested", [True, False])
    @pytest.mark.parametrize("side", ["left", "right"])
    def test_a_fused_encoder_returns_zeros_at_padding_on_the_right_only(self, nested, side):
        block = nn.TransformerEncoderLayer(8, 2, 8, batch_first=True)
        encoder = nn.TransformerEncoder(block, num_layers=2, enable_nested_tensor=nested).eval()
        padding = torch.tensor([[False] * 4, [False, False, True, True]])
        padding = padding if side == "right" else padding.flip(1)
        with torch.no_grad():
            output = encoder(torch.randn(2, 4, 8), src_key_padding_mask=padding)
        assert bool((output[padding] == 0).all()) is (nested and side == "right")

    @pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
    @pytest.mark.parametrize(
        ("heads", "options", "zeros"),
        [(2, {}, True), (2, {"activation": "gelu"}, True), (2, {"norm_first": True}, False), (3, {}, False)],
    )
    def test_layers_with_the_norm_first_or_an_odd_number_of_heads_switch_nested_tensors_off_with_a_warning(
        self, heads, options, zeros
    ):
        block = nn.TransformerEncoderLayer(6, heads, 8, batch_first=True, **options)
        with nullcontext() if zeros else pytest.warns(UserWarning, match="use_nested_tensor is False"):
            encoder = nn.TransformerEncoder(block, num_layers=1).eval()
        padding = torch.tensor([[False] * 4, [False, False, True, True]])
        with torch.no_grad():
            output = encoder(torch.randn(2, 4, 6), src_key_padding_mask=padding)
        assert bool((output[padding] == 0).all()) is zeros

    @pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
    @pytest.mark.parametrize("mask", [None, torch.zeros(4, 4).bool(), torch.ones(4, 4).triu(1).bool()])
    def test_an_attention_mask_switches_nested_tensors_off_without_a_warning(self, mask):
        block = nn.TransformerEncoderLayer(8, 2, 8, batch_first=True)
        encoder = nn.TransformerEncoder(block, num_layers=2).eval()
        padding = torch.tensor([[False] * 4, [False, False, True, True]])
        with torch.no_grad():
            output = encoder(torch.randn(2, 4, 8), mask, src_key_padding_mask=padding)
        assert bool((output[padding] == 0).all()) is (mask is None)

    def test_evaluating_restores_the_flag_and_calls_no_train_method(self):
        class Merging(nn.Linear):
            merged = False

            def train(self, mode=True):
                self.merged = not mode
                return super().train(mode)

        model = nn.Sequential(Merging(2, 2))
        with train_vs_eval_restore.evaluating(model):
            assert model[0].merged
        assert model[0].training and model[0].merged
        assert not model.train()[0].merged

    @pytest.mark.parametrize("groups", [1, 3])
    def test_scale_and_shift_of_a_batch_norm_load_into_a_group_norm_and_the_outputs_change(self, groups):
        batch_norm, group_norm = nn.BatchNorm2d(6), nn.GroupNorm(groups, 6)
        x = torch.randn(8, 6, 4, 4) * torch.arange(1, 7).view(6, 1, 1) + 3
        with torch.no_grad():
            batch_norm.weight.uniform_(1, 2)
            for _ in range(50):
                batch_norm(x)
        result = group_norm.load_state_dict(batch_norm.state_dict(), strict=False)
        assert not result.missing_keys and torch.equal(group_norm.weight, batch_norm.weight)
        assert not torch.allclose(group_norm(x), batch_norm.eval()(x), atol=0.1)

    def test_group_norm_normalizes_each_sample_by_itself(self):
        x, layer = torch.randn(4, 6, 5), nn.GroupNorm(2, 6)
        torch.testing.assert_close(layer(x)[:1], layer(x[:1]))
        with pytest.raises(RuntimeError, match="Unexpected key"):
            nn.GroupNorm(2, 6).load_state_dict(nn.BatchNorm1d(6).state_dict())

    def test_a_module_that_overrides_train_keeps_its_batch_norm_frozen(self):
        class Frozen(nn.Sequential):
            def train(self, mode=True):
                super().train(mode)
                self[1].eval()
                return self

        model = Frozen(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.Dropout()).train()
        assert [layer.training for layer in model] == [True, False, True]
        nn.Sequential(model).eval().train()(torch.randn(8, 2) + 9)
        assert not model[1].running_mean.any()

    def test_rrelu_evaluates_with_the_mean_slope(self):
        assert nn.RReLU(0.1, 0.5).eval()(torch.tensor(-1.0)).item() == pytest.approx(-0.3)

    def test_eval_sets_one_flag_in_every_submodule_and_nothing_else(self):
        model = nn.Sequential(nn.Linear(4, 4), nn.Sequential(nn.BatchNorm1d(4), nn.Dropout()))
        state = {name: tensor.clone() for name, tensor in model.state_dict().items()}
        assert model.eval() is model and not any(module.training for module in model.modules())
        assert model.train() is model and all(module.training for module in model.modules())
        assert not any(module.training for module in model.train(False).modules())
        assert all(torch.equal(tensor, state[name]) for name, tensor in model.state_dict().items())
        assert all(parameter.requires_grad for parameter in model.parameters())
        assert torch.is_grad_enabled() and model(torch.ones(2, 4)).requires_grad

    def test_no_grad_neither_stops_dropout_nor_the_running_statistics(self):
        batch_norm, dropout = nn.BatchNorm1d(4), nn.Dropout()
        with torch.no_grad():
            assert (dropout(torch.ones(1000)) == 0).any()
            batch_norm(torch.randn(8, 4) + 5)
        assert batch_norm.running_mean.min() > 0.3 and batch_norm.num_batches_tracked == 1

    def test_a_module_of_your_own_may_read_the_flag(self):
        class TwoOutputs(nn.Module):
            def forward(self, x):
                return {"loss": x.sum()} if self.training else x

        model = nn.Sequential(TwoOutputs())
        assert set(model(torch.ones(2))) == {"loss"}
        assert torch.equal(model.eval()(torch.ones(2)), torch.ones(2))

    def test_validating_in_train_mode_reports_wrongly_and_damages_the_model(self):
        broken = train_vs_eval_validation_broken
        x = torch.randn(1000, 8, generator=torch.Generator().manual_seed(5))
        held_out = x[broken.label(x).argsort()]
        model = broken.train()
        weights = [parameter.detach().clone() for parameter in model.parameters()]
        honest = broken.accuracy(model.eval(), held_out)
        assert honest > 0.95
        assert broken.accuracy(model, held_out) == honest == broken.accuracy(model, x)  # whatever the order
        reported = broken.accuracy(model.train(), held_out)
        assert reported < 0.6 and broken.accuracy(model.train(), held_out) == reported  # wrong, and not noisy
        assert broken.accuracy(model.eval(), held_out) < honest - 0.05
        assert all(torch.equal(old, new) for old, new in zip(weights, model.parameters(), strict=True))

    def test_more_training_washes_the_damage_out(self):
        broken = train_vs_eval_validation_broken
        x = torch.randn(1000, 8)
        model, damaged = broken.train(), broken.train()
        broken.accuracy(damaged.train(), x[broken.label(x).argsort()])
        with torch.no_grad():
            for batch in torch.randn(100, 64, 8):
                damaged(batch)
        assert broken.accuracy(damaged.eval(), x) == pytest.approx(broken.accuracy(model.eval(), x), abs=0.02)

    @pytest.mark.parametrize("frozen", [True, False])
    def test_scale_and_shift_train_in_eval_mode_unless_they_are_frozen(self, frozen):
        norm, linear = nn.BatchNorm1d(3).eval().requires_grad_(not frozen), nn.Linear(3, 3)
        optimizer = torch.optim.SGD([*linear.parameters(), *norm.parameters()], lr=0.1)
        norm(linear(torch.randn(8, 3))).square().sum().backward()
        optimizer.step()
        assert torch.equal(norm.weight, torch.ones(3)) == frozen
        assert not norm.running_mean.any()

    @pytest.mark.parametrize("p", [0.2, 0.8])
    def test_alpha_dropout_keeps_mean_and_variance_and_writes_no_zeros(self, p):
        torch.manual_seed(0)
        for layer, x in (
            (nn.AlphaDropout(p), torch.randn(100_000)),
            (nn.FeatureAlphaDropout(p), torch.randn(300, 300, 2)),
        ):
            output = layer(x)
            assert output.mean().abs() < 0.03 and (output.std() - 1).abs() < 0.03
            assert not (output == 0).any() and torch.equal(layer.eval()(x), x)
        assert (nn.Dropout(p)(torch.randn(100_000)).std() - 1).abs() > 0.1

    def test_train_thaws_a_frozen_batch_norm(self):
        model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2).eval())
        model(torch.randn(8, 2) + 9)
        assert not model[1].running_mean.any()
        model.train()(torch.randn(8, 2) + 9)
        assert model[1].training and model[1].running_mean.all()

    def test_evaluating_restores_every_mode_also_after_an_error(self):
        model = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.BatchNorm1d(2).eval(), nn.Dropout()))
        for outer in (True, False):
            model.training = outer
            before = [module.training for module in model.modules()]
            with train_vs_eval_restore.evaluating(model) as same:
                assert same is model and not any(module.training for module in model.modules())
            assert [module.training for module in model.modules()] == before
            with pytest.raises(ZeroDivisionError), train_vs_eval_restore.evaluating(model):
                _ = 1 / 0
            assert [module.training for module in model.modules()] == before

    def test_setting_the_attribute_reaches_the_outermost_module_only(self):
        model = nn.Sequential(nn.Dropout())
        model.training = False
        assert (model(torch.ones(1000)) == 0).any()
        model.eval  # noqa: B018
        assert model[0].training
        assert train_vs_eval_restore.flags(model) == [True]

    def test_the_flag_is_in_a_copied_module_but_in_no_state_dict(self):
        model = nn.Sequential(nn.Dropout(), nn.BatchNorm1d(2)).eval()
        fresh = nn.Sequential(nn.Dropout(), nn.BatchNorm1d(2))
        fresh.load_state_dict(model.state_dict())
        assert fresh.training and fresh[0].training
        for clone in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            assert not clone[0].training

    def test_without_running_statistics_eval_mode_depends_on_the_batch(self):
        x = torch.randn(8, 4)
        for track, same in ((True, True), (False, False)):
            layer = nn.BatchNorm1d(4, track_running_stats=track).eval()
            assert torch.allclose(layer(x)[:2], layer(x[:2])) == same


class TestTensorVsParameter:
    def test_only_the_parameter_is_trained_and_only_the_plain_tensor_stays_behind(self):
        model = tensor_vs_parameter.FourKinds()
        assert list(dict(model.named_parameters())) == ["parameter"]
        assert list(dict(model.named_buffers())) == ["buffer", "temporary"]
        assert list(model.state_dict()) == ["parameter", "buffer"]
        model.to("meta")
        names = ("plain", "parameter", "buffer", "temporary")
        assert [getattr(model, name).is_meta for name in names] == [False, True, True, True]
        assert [getattr(model, name).requires_grad for name in names] == [False, True, False, False]

    def test_nn_buffer_registers_by_assignment(self):
        model = nn.Module()
        model.saved, model.temporary = nn.Buffer(torch.ones(2)), nn.Buffer(torch.ones(2), persistent=False)
        assert len(list(model.buffers())) == 2 and list(model.state_dict()) == ["saved"]

    def test_a_dtype_reaches_floating_point_buffers_only(self):
        norm = nn.BatchNorm1d(2).half()
        assert norm.running_mean.dtype == torch.float16 and norm.num_batches_tracked.dtype == torch.int64

    @pytest.mark.filterwarnings("ignore:Casting complex values to real")
    @pytest.mark.parametrize("dtype", [torch.float16, torch.float64])
    def test_to_a_real_dtype_drops_the_imaginary_part_of_a_complex_buffer(self, dtype):
        def model():
            made = nn.Module()
            made.register_buffer("turn", torch.full((2,), 3 + 4j, dtype=torch.complex64))
            return made

        assert model().to(dtype).turn.tolist() == [3.0, 3.0] and model().to(dtype).turn.dtype == dtype
        for kept in (model().half(), model().double(), model().float()):
            assert kept.turn.tolist() == [3 + 4j, 3 + 4j]

    @pytest.mark.parametrize("persistent", [True, False])
    def test_a_non_persistent_buffer_stays_on_meta_after_loading(self, persistent):
        def build():
            inner = nn.Linear(2, 2)
            inner.register_buffer("mask", torch.ones(3, 3).tril(), persistent=persistent)
            return nn.Sequential(inner)

        state = build().state_dict()
        with torch.device("meta"):
            model = build()
        assert not any(model.load_state_dict(state, assign=True))
        assert not model[0].weight.is_meta and model[0].mask.is_meta is not persistent

    @pytest.mark.parametrize(
        ("make", "registered"),
        [
            (lambda p: p, True),
            (lambda p: p.float(), True),
            (lambda p: p.to("cpu"), True),
            (lambda p: p.to("meta"), False),
            (lambda p: p.half(), False),
            (lambda p: p * 1, False),
            (lambda p: p.T, False),
            (lambda p: p.clone(), False),
            (lambda p: p.detach().requires_grad_(), False),
        ],
    )
    def test_an_operation_on_a_parameter_returns_a_tensor_that_is_not_registered(self, make, registered):
        model = nn.Module()
        model.weight = make(nn.Parameter(torch.ones(2, 2)))
        assert ("weight" in dict(model.named_parameters())) is registered
        model.weight = nn.Parameter(torch.ones(2, 2, dtype=torch.float64) * 0.1)
        assert "weight" in model.state_dict()

    @pytest.mark.parametrize("value", [torch.ones(2), torch.ones(2, requires_grad=True), 1.0])
    def test_a_parameter_cannot_be_replaced_by_anything_else(self, value):
        model = tensor_vs_parameter.FourKinds()
        with pytest.raises(TypeError, match="cannot assign"):
            model.parameter = value

    @pytest.mark.parametrize(("layer", "restores"), [("Standardize", True), ("PlainStandardize", False)])
    def test_plain_statistics_are_lost_and_strict_loading_accepts_it(self, layer, restores):
        layer, x = getattr(tensor_vs_parameter_myth, layer), torch.randn(50, 2) * 3 + 7
        model, restored = layer(2), layer(2)
        assert torch.equal(model(x), x)
        model.fit(x)
        torch.testing.assert_close(model(x), (x - x.mean(dim=0)) / x.std(dim=0, correction=0))
        result = restored.load_state_dict(model.state_dict(), strict=True)
        assert not result.missing_keys and not result.unexpected_keys
        assert torch.equal(restored(x), model(x)) is restores
        assert torch.equal(restored(x), x) is not restores
        assert set(model.state_dict()) == ({"mean", "std"} if restores else set())

    @pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
    def test_standardized_columns_have_standard_deviation_one(self, scale):
        layer, x = tensor_vs_parameter_myth.Standardize(2), scale * torch.randn(200, 2, dtype=torch.float64)
        layer.fit(x)
        torch.testing.assert_close(layer(x).std(dim=0, correction=0), torch.ones(2, dtype=torch.float64))

    @pytest.mark.parametrize("features", [1, 3])
    def test_fit_keeps_no_graph(self, features):
        layer = tensor_vs_parameter_myth.Standardize(features)
        layer.fit(nn.Linear(2, features)(torch.randn(5, 2)))
        assert not layer.mean.requires_grad and not layer.std.requires_grad
        copy.deepcopy(layer)

    @pytest.mark.parametrize("value", [0.0, 0.1, -7.0, 300.1, 1e6 + 0.1])
    @pytest.mark.parametrize("rows", [1, 7, 500])
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
    def test_a_constant_column_becomes_zeros(self, value, rows, dtype):
        layer, x = tensor_vs_parameter_myth.Standardize(2), torch.full((rows, 2), value, dtype=dtype)
        layer.fit(x)
        assert torch.equal(layer(x), torch.zeros(rows, 2, dtype=dtype))

    @pytest.mark.parametrize("detach", [True, False])
    def test_a_kept_tensor_with_its_graph_cannot_be_copied(self, detach):
        model = nn.Linear(2, 2)
        output = model(torch.ones(1, 2))
        model.kept = output.detach() if detach else output
        if detach:
            assert torch.equal(copy.deepcopy(model).kept, output)
        else:
            with pytest.raises(RuntimeError, match="deepcopy"):
                copy.deepcopy(model)

    def test_unfreezing_reaches_a_frozen_parameter_but_no_buffer(self):
        model = tensor_vs_parameter.FourKinds()
        model.frozen = nn.Parameter(torch.zeros(2), requires_grad=False)
        assert "frozen" in dict(model.named_parameters()) and "frozen" in model.state_dict()
        model.requires_grad_(True)
        assert model.frozen.requires_grad and not model.buffer.requires_grad

    def test_assigning_to_a_buffer_keeps_it_a_buffer(self):
        model = tensor_vs_parameter.FourKinds()
        model.buffer = torch.full((5,), 3.0)
        assert model.state_dict()["buffer"].tolist() == [3.0] * 5

    @pytest.mark.parametrize("detach", [True, False])
    def test_the_running_mean_is_an_average_that_may_carry_a_graph(self, detach):
        center = tensor_vs_parameter_update_broken.Center(3, detach)
        x = torch.randn(6, 3, requires_grad=True)
        output = center(x)
        torch.testing.assert_close(center.mean, 0.1 * x.mean(dim=0))
        torch.testing.assert_close(output, x - center.mean)
        center(x)
        torch.testing.assert_close(center.mean, 0.19 * x.mean(dim=0))
        assert center.mean.requires_grad is not detach

    def test_in_eval_mode_the_running_mean_stays(self):
        center, x = tensor_vs_parameter_update_broken.Center(3, detach=True).eval(), torch.randn(6, 3) + 4
        assert torch.equal(center(x), x) and not center.mean.any()

    def test_a_buffer_with_a_graph_breaks_the_second_backward(self):
        for detach in (True, False):
            model = nn.Sequential(nn.Linear(3, 3), tensor_vs_parameter_update_broken.Center(3, detach))
            model(torch.randn(4, 3)).square().sum().backward()
            loss = model(torch.randn(4, 3)).square().sum()
            if detach:
                loss.backward()
            else:
                with pytest.raises(RuntimeError, match="backward through the graph a second time"):
                    loss.backward()

    @pytest.mark.parametrize("rows", [2, 9])
    def test_a_buffer_computed_from_data_carries_no_graph(self, rows):
        model = nn.Sequential(tensor_vs_parameter_update_broken.Center(3, detach=False), nn.Linear(3, 3))
        for _ in range(3):
            model(torch.randn(rows, 3)).square().sum().backward()
        assert not model[0].mean.requires_grad

    @pytest.mark.parametrize("persistent", [True, False])
    def test_a_persistent_mask_fixes_the_length(self, persistent):
        short, long = nn.Module(), nn.Module()
        for model, length in ((short, 4), (long, 6)):
            model.register_buffer("mask", torch.ones(length, length).tril(), persistent=persistent)
        if persistent:
            with pytest.raises(RuntimeError, match="size mismatch"):
                long.load_state_dict(short.state_dict(), strict=False)
        else:
            long.load_state_dict(short.state_dict())
            assert long.double().mask.shape == (6, 6) and long.mask.dtype == torch.float64


class TestDropout:
    BOTH = [dropout_by_hand.dropout, F.dropout]

    @pytest.mark.parametrize("layer", BOTH)
    @pytest.mark.parametrize("p", [0.0, 0.1, 0.3, 0.75])
    def test_the_mean_stays_and_the_variance_grows(self, layer, p):
        y = layer(torch.full((200_000,), 3.0), p, training=True)
        assert (y == 0).float().mean().item() == pytest.approx(p, abs=0.01)
        torch.testing.assert_close(y.unique(), torch.tensor([0.0, 3 / (1 - p)] if p else [3.0]))
        assert y.mean().item() == pytest.approx(3, rel=0.03)
        assert y.var().item() == pytest.approx(9 * p / (1 - p), rel=0.05, abs=1e-9)

    @pytest.mark.parametrize("layer", BOTH)
    def test_evaluation_is_the_identity(self, layer):
        x = torch.randn(3, 4, 5)
        assert torch.equal(layer(x, 0.9, training=False), x)

    @pytest.mark.parametrize("layer", BOTH)
    def test_every_forward_pass_and_every_element_draws_anew(self, layer):
        x = torch.ones(50, 40)
        first, second = (layer(x, 0.5, training=True) for _ in range(2))
        assert not torch.equal(first, second)
        assert len(first.unique(dim=0)) == 50  # no two samples share a mask

    @pytest.mark.parametrize("layer", BOTH)
    def test_the_backward_pass_uses_the_same_mask_and_factor(self, layer):
        x = torch.randn(1000, requires_grad=True)
        y = layer(x, 0.75, training=True)
        y.sum().backward()
        torch.testing.assert_close(x.grad, torch.where(y == 0, 0.0, 4.0))

    def test_p_is_the_probability_to_drop(self):
        x = torch.ones(3)
        assert torch.equal(F.dropout(x, 0.0), x) and not F.dropout(x, 1.0).any()

    @pytest.mark.parametrize("p", [0.2, 0.5])
    def test_evaluation_is_the_mean_of_a_linear_layer_only(self, p):
        x, linear = torch.randn(6), nn.Linear(6, 1)
        with torch.no_grad():
            mean = dropout_average.mean_over_masks(linear, x, p)
            torch.testing.assert_close(mean, linear(x))
            mean = dropout_average.mean_over_masks(lambda h: linear(h).square(), x, p)
            assert mean > linear(x).square() + 1e-3

    @pytest.mark.parametrize("p", [0.3, 0.5])
    def test_the_exact_mean_is_what_many_passes_converge_to(self, p):
        x = torch.tensor([1.0, -1.0, 2.0])
        exact = dropout_average.mean_over_masks(lambda h: h.sum().relu(), x, p)
        sampled = F.dropout(x.expand(100_000, 3), p).sum(1).relu().mean()
        torch.testing.assert_close(exact, sampled, rtol=0.03, atol=0)

    def test_a_wrong_factor_costs_accuracy_and_more_so_with_three_layers(self):
        evaluate, scales = dropout_unscaled_broken.evaluate, dropout_unscaled_broken.SCALES
        assert scales == {"in training": (2, 1), "at test time": (1, 0.5), "nowhere": (1, 1), "both": (2, 0.5)}
        lost = {}
        for hidden in (1, 3):
            results = {name: evaluate(hidden, *pair, seed=1) for name, pair in scales.items()}
            right, test_time, nowhere, both = (accuracy for _, accuracy, _ in results.values())
            assert right > 0.95 and abs(right - test_time) < 0.03
            assert nowhere < right and both < right - 0.02
            assert results["both"][0] > results["in training"][0] + 0.05
            lost[hidden] = right - nowhere, right - both
        assert results["nowhere"][2] > nowhere + 0.05  # more confident than right
        assert lost[3][0] > lost[1][0] + 0.01 and lost[3][1] > lost[1][1] + 0.01

    def test_on_linearly_separable_classes_a_wrong_factor_costs_less(self, monkeypatch):
        evaluate, scales = dropout_unscaled_broken.evaluate, dropout_unscaled_broken.SCALES
        circle = evaluate(3, *scales["in training"])[1] - evaluate(3, *scales["both"])[1]
        monkeypatch.setattr(dropout_unscaled_broken, "outside", lambda x: (x[:, 0] + x[:, 1] > 0.3).long())
        line = evaluate(3, *scales["in training"])[1] - evaluate(3, *scales["both"])[1]
        assert circle > 0.1 and line < circle / 2

    @pytest.mark.parametrize("p", [0.25, 0.8])
    def test_for_a_linear_model_it_is_an_l2_penalty_scaled_by_the_inputs(self, p):
        x, weight, target = torch.randn(6), torch.randn(6), 0.7
        expected = dropout_average.mean_over_masks(lambda h: (h @ weight - target).square(), x, p)
        penalty = p / (1 - p) * (weight.square() * x.square()).sum()
        torch.testing.assert_close(expected, (x @ weight - target).square() + penalty, rtol=1e-4, atol=1e-4)

    def test_a_transformer_layer_starts_at_a_tenth(self):
        assert inspect.signature(nn.TransformerEncoderLayer).parameters["dropout"].default == 0.1

    def test_dropout2d_reads_an_unbatched_image_as_samples(self):
        with pytest.warns(UserWarning, match="interpreted as shape .N, C, L."):
            rows = nn.Dropout2d(0.5)(torch.ones(8, 50, 6))
        assert (rows == rows[..., :1]).all() and len(rows[..., 0].unique(dim=0)) == 8

    def test_train_mode_with_batch_norm_in_eval_mode_switches_every_dropout_on(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.lstm = nn.LSTM(4, 4, num_layers=2, dropout=0.5, batch_first=True)
                self.attention = nn.MultiheadAttention(4, 2, dropout=0.5, batch_first=True)
                self.norm = nn.BatchNorm1d(4)

            def parts(self, x):
                h = self.lstm(x)[0]
                return h, self.attention(x, x, x)[0], self.norm(x.mT)

        model, x = Model().eval(), torch.randn(2, 6, 4)
        assert not any(isinstance(module, nn.Dropout) for module in model.modules())
        assert all(map(torch.equal, model.parts(x), model.parts(x)))
        model.train()
        model.norm.eval()
        repeats = [torch.equal(*pair) for pair in zip(model.parts(x), model.parts(x), strict=True)]
        assert repeats == [False, False, True] and not model.norm.running_mean.any()

    def test_its_dropout_drops_and_scales_like_the_built_in_one(self):
        layer, x = dropout_unscaled_broken.Dropout(0.8, 5.0, 1.0), torch.ones(100_000)
        y = layer(x)
        assert y.unique().tolist() == [0.0, 5.0] and y.mean().item() == pytest.approx(1, abs=0.03)
        assert torch.equal(layer.eval()(x), x)

    @pytest.mark.parametrize("p", [0.3, 0.75])
    def test_batch_norm_behind_dropout_is_too_small_in_evaluation(self, p):
        x, batch_norm = torch.randn(2000, 3), nn.BatchNorm1d(3, momentum=1.0)
        model = nn.Sequential(nn.Dropout(p), batch_norm)
        assert model(x).std().item() == pytest.approx(1, abs=0.01)
        assert model.eval()(x).std().item() == pytest.approx((1 - p) ** 0.5, rel=0.05)
        after = nn.Sequential(nn.BatchNorm1d(3, momentum=1.0), nn.Dropout(p))
        after(x)
        assert after.eval()(x).std().item() == pytest.approx(1, abs=0.01)

    @pytest.mark.parametrize("mean", [0.0, 3.0])
    @pytest.mark.parametrize("p", [0.2, 0.5])
    def test_the_factor_of_the_spread_is_the_square_root_of_1_minus_p_at_mean_zero_and_smaller_elsewhere(self, mean, p):
        layer, x = nn.BatchNorm1d(16, momentum=None), torch.randn(2000, 16) + mean
        for _ in range(20):
            layer(F.dropout(x, p))
        spread = layer.eval()(x).std().item()
        assert spread == pytest.approx((1 / (1 + p / (1 - p) * (1 + mean**2))) ** 0.5, rel=0.03)
        assert (spread < 0.8 * (1 - p) ** 0.5) is (mean > 0)

    @pytest.mark.parametrize("residual", [True, False])
    def test_a_dropped_unit_has_a_gradient_through_its_other_uses_only(self, residual):
        x = torch.randn(100, requires_grad=True)
        y = F.dropout(x, 0.5)
        (y + x if residual else y).sum().backward()
        assert torch.equal(x.grad[y == 0], torch.full_like(x.grad[y == 0], float(residual)))

    @pytest.mark.parametrize("p", [-0.1, 1.0, float("nan")])
    def test_dropout_by_hand_refuses_other_probabilities(self, p):
        with pytest.raises(ValueError, match="p must be in"):
            dropout_by_hand.dropout(torch.ones(2), p, training=True)

    def test_dropout2d_drops_whole_channels_of_a_sample(self):
        x = torch.ones(100, 6, 4, 4)
        channels = nn.Dropout2d(0.5)(x).flatten(2)
        assert (channels == channels[..., :1]).all()
        assert 0.4 < (channels[..., 0] == 0).float().mean() < 0.6 and len(channels[..., 0].unique(dim=0)) > 10
        assert nn.Dropout(0.5)(x).flatten(2).std(dim=2).all()

    def test_the_mean_of_many_passes_is_close_to_eval_mode(self):
        model, x = nn.Sequential(nn.Linear(2, 50), nn.Dropout(0.5), nn.ReLU(), nn.Linear(50, 1)), torch.randn(4, 2)
        with torch.no_grad():
            mean = torch.stack([model(x) for _ in range(2000)]).mean(0)
            torch.testing.assert_close(mean, model.eval()(x), atol=0.1, rtol=0)

    @pytest.mark.filterwarnings("ignore:.*LeafSpec:FutureWarning")
    @pytest.mark.parametrize("p", [0.3, 0.8])
    def test_an_exported_model_keeps_the_layer_until_it_is_decomposed(self, p):
        model, x = nn.Sequential(nn.Linear(3, 3), nn.Dropout(p)).eval(), torch.ones(2, 3)
        exported = torch.export.export(model, (x,))
        left = [node.args[1:] for node in exported.graph.nodes if "dropout" in str(node.target)]
        assert left == [(p, False)]
        removed = exported.run_decompositions()
        assert not any("dropout" in str(node.target) for node in removed.graph.nodes)
        torch.testing.assert_close(removed.module()(x), model(x))


class TestFunctionalVsModule:
    def test_module_and_function_compute_the_same(self):
        x, image = torch.randn(5, 4), torch.randn(2, 3, 8, 8)
        linear, convolution, norm, table = nn.Linear(4, 3), nn.Conv2d(3, 2, 3), nn.BatchNorm1d(4), nn.Embedding(6, 2)
        index, target = torch.randint(6, (4,)), torch.randint(4, (5,))
        norm(torch.randn(50, 4) + 3)
        norm.eval()
        statistics = norm.running_mean, norm.running_var, norm.weight, norm.bias
        pairs = [
            (linear(x), F.linear(x, linear.weight, linear.bias)),
            (convolution(image), F.conv2d(image, convolution.weight, convolution.bias)),
            (norm(x), F.batch_norm(x, *statistics)),
            (table(index), F.embedding(index, table.weight)),
            (nn.ReLU()(x), F.relu(x)),
            (nn.Softmax(dim=1)(x), F.softmax(x, dim=1)),
            (nn.MaxPool2d(2)(image), F.max_pool2d(image, 2)),
            (nn.CrossEntropyLoss()(x, target), F.cross_entropy(x, target)),
        ]
        assert all(torch.equal(module, function) for module, function in pairs)

    @pytest.mark.parametrize("shape", [(2, 3, 4), (5, 1, 2, 2)])
    def test_without_state_equal_arguments_give_equal_results_and_the_defaults_of_flatten_differ(self, shape):
        x = torch.randn(shape)
        assert torch.equal(nn.Flatten(1)(x), torch.flatten(x, 1)) and torch.equal(nn.Flatten(0)(x), torch.flatten(x, 0))
        assert nn.Flatten()(x).shape == (shape[0], x[0].numel()) and torch.flatten(x).shape == (x.numel(),)

    def test_dropout_and_losses_remember_what_the_table_says(self):
        assert not nn.Dropout().state_dict() and not nn.ReLU().state_dict() and not nn.CrossEntropyLoss().state_dict()
        assert list(nn.CrossEntropyLoss(weight=torch.ones(3)).state_dict()) == ["weight"]

    def test_eval_stops_only_the_dropout_that_knows_the_mode(self):
        model, x = functional_vs_module_modes.Dropped(), torch.ones(2000)
        expected = {
            "self.dropout(x)": False,
            "F.dropout(x, 0.5, self.training)": False,
            "nn.Dropout(0.5)(x)": True,
            "F.dropout(x, 0.5)": True,
        }
        for training in (True, False):
            for name, output in model.train(training)(x).items():
                share = (output == 0).float().mean().item()
                if training or expected[name]:
                    assert 0.4 < share < 0.6
                else:
                    assert torch.equal(output, x)
        assert set(model(x)) == set(expected)

    def test_a_module_made_in_forward_is_not_registered_and_starts_in_train_mode(self):
        model = functional_vs_module_modes.Dropped().eval()
        model(torch.ones(1))
        assert [name for name, _ in model.named_modules()] == ["", "dropout"]
        assert nn.Dropout().training

    @pytest.mark.parametrize("seed", [3, 4])
    def test_both_classifiers_train_to_the_same_weights_but_one_stays_random(self, seed):
        torch.manual_seed(seed)
        x = torch.randn(200, 2)
        y = (x[:, 0] > x[:, 1]).long()
        states, accuracy = [], {}
        for pass_mode in (True, False):
            torch.manual_seed(seed)
            model = functional_vs_module_broken.Classifier(pass_mode)
            functional_vs_module_broken.train(model, x, y, steps=40)
            states.append(model.state_dict())
            assert model.training and not torch.equal(model(x), model(x))
            model.eval()
            assert torch.equal(model(x), model(x)) is pass_mode
            accuracy[pass_mode] = sum((model(x).argmax(dim=1) == y).float().mean().item() for _ in range(20)) / 20
        assert all(map(torch.equal, states[0].values(), states[1].values()))
        assert accuracy[True] > 0.95 and accuracy[True] > accuracy[False]

    def test_a_model_in_eval_mode_gives_the_same_output_twice_unless_something_stays_random(self):
        class Model(nn.Module):
            def __init__(self, hidden):
                super().__init__()
                self.layer, self.hidden = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Dropout()), hidden

            def forward(self, x):
                return self.hidden(self.layer(x))

        x = torch.randn(16, 4)
        for hidden, repeats in ((F.relu, True), (F.dropout, False), (lambda x: nn.Linear(4, 4)(x), False)):
            model = Model(hidden).eval()
            assert torch.equal(model(x), model(x)) is repeats

    @pytest.mark.parametrize(("units", "p", "share"), [(4, 0.1, 0.45), (1, 0.5, 0.5), (1000, 0.1, 0.0)])
    def test_two_passes_of_few_units_can_be_equal_by_chance(self, units, p, share):
        torch.manual_seed(0)
        x = torch.ones(units)
        equal = sum(torch.equal(F.dropout(x, p), F.dropout(x, p)) for _ in range(1000)) / 1000
        assert (p**2 + (1 - p) ** 2) ** units == pytest.approx(share, abs=0.01)
        assert equal == pytest.approx(share, abs=0.06)

    def test_the_functional_defaults_disagree(self):
        x = torch.randn(500)
        assert (F.dropout(x) == 0).any() and (F.dropout2d(x.view(1, 500, 1, 1)) == 0).any()
        assert torch.equal(F.alpha_dropout(x), x) and not torch.equal(F.alpha_dropout(x, training=True), x)
        assert torch.equal(F.rrelu(x), F.rrelu(x)) and not torch.equal(F.rrelu(x, training=True), F.rrelu(x))
        columns = torch.randn(64, 3) + 5
        mean, var = torch.zeros(3), torch.ones(3)
        assert F.batch_norm(columns, mean, var).mean() > 4
        assert F.batch_norm(columns, mean, var, training=True).mean().abs() < 1e-5

    @pytest.mark.parametrize("training", [True, False])
    def test_attention_drops_whatever_the_mode(self, training):
        class Attention(nn.Module):
            def __init__(self, pass_mode):
                super().__init__()
                self.p, self.pass_mode = 0.5, pass_mode

            def forward(self, x):
                p = self.p if self.training or not self.pass_mode else 0.0
                return F.scaled_dot_product_attention(x, x, torch.eye(32).unsqueeze(0), dropout_p=p)

        x = torch.randn(1, 32, 4)
        assert (Attention(False).train(training)(x) == 0).any()
        assert (Attention(True).train(training)(x) == 0).any().item() is training

    def test_a_layer_made_in_forward_is_never_trained(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.head, self.seen = nn.Linear(4, 1), []

            def forward(self, x):
                layer = nn.Linear(4, 4)
                self.seen.append(layer.weight)
                return self.head(layer(x))

        model = Model()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        head = model.head.weight.detach().clone()
        for _ in range(2):
            model(torch.randn(8, 4)).square().mean().backward()
            optimizer.step()
        first, second = model.seen
        assert first.grad is not None and second.grad is not None and not torch.equal(first, second)
        assert [name for name, _ in model.named_parameters()] == ["head.weight", "head.bias"]
        assert not torch.equal(head, model.head.weight)

    @pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
    def test_a_layer_made_in_forward_has_the_default_dtype(self, dtype):
        with pytest.raises(RuntimeError, match="dtype"):
            nn.Linear(4, 4)(torch.ones(2, 4, dtype=dtype))

    def test_a_layer_made_in_forward_is_on_the_default_device(self):
        with pytest.raises(RuntimeError, match="device"):
            nn.Linear(4, 4)(torch.ones(2, 4, device="meta"))

    def test_multi_head_attention_takes_the_mode(self):
        assert inspect.signature(F.multi_head_attention_forward).parameters["training"].default is True
        with pytest.raises((TypeError, ValueError)):
            F.scaled_dot_product_attention(*[torch.ones(1, 2, 2)] * 3, training=True)

    def test_functional_linear_ties_the_output_to_the_embedding(self):
        table, hidden = nn.Embedding(7, 3), torch.randn(2, 3)
        F.linear(hidden, table.weight).sum().backward()
        assert F.linear(hidden, table.weight).shape == (2, 7) and table.weight.grad is not None

    @pytest.mark.parametrize(("words", "width"), [(7, 3), (20, 8)])
    def test_a_module_that_shares_the_parameter_ties_the_output_as_well(self, words, width):
        table, head, hidden = nn.Embedding(words, width), nn.Linear(width, words, bias=False), torch.randn(2, width)
        head.weight = table.weight
        assert torch.equal(head(hidden), F.linear(hidden, table.weight))
        assert len(list(nn.ModuleList([table, head]).parameters())) == 1

    def test_functional_call_uses_other_weights_without_changing_the_model(self):
        model, x = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 2)), torch.randn(4, 3)
        other = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 2))
        before = model(x)
        assert torch.equal(torch.func.functional_call(model, dict(other.named_parameters()), (x,)), other(x))
        assert torch.equal(model(x), before) and not torch.equal(before, other(x))

    @pytest.mark.parametrize(("factor", "same"), [(1.0, False), (0.0, True), (float("nan"), False)])
    def test_the_comparison_of_two_passes_misses_zeros_and_refuses_nan(self, factor, same):
        x = torch.ones(64) * factor
        assert torch.equal(F.dropout(x, 0.5), F.dropout(x, 0.5)) is same
        assert torch.equal(x, x.clone()) is (factor == factor)

    @pytest.mark.parametrize("outputs", [1, 10])
    def test_the_comparison_of_two_passes_misses_a_dropout_in_front_of_weights_that_are_zero(self, outputs):
        head, x = nn.Linear(64, outputs), torch.ones(8, 64)
        assert not torch.equal(head(F.dropout(x, 0.5)), head(F.dropout(x, 0.5)))
        nn.init.zeros_(head.weight)
        assert torch.equal(head(F.dropout(x, 0.5)), head(F.dropout(x, 0.5)))

    @pytest.mark.parametrize("pass_buffers", [True, False])
    def test_functional_call_moves_running_statistics_unless_it_gets_copies(self, pass_buffers):
        model, x = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3)), torch.randn(8, 3) + 5
        weights = {name: value.detach().clone() for name, value in model.named_parameters()}
        if pass_buffers:
            weights |= {name: value.clone() for name, value in model.named_buffers()}
        torch.func.functional_call(model, weights, (x,))
        assert model[1].running_mean.any().item() is not pass_buffers

    @pytest.mark.parametrize("training", [True, False])
    def test_a_batch_norm_that_uses_the_batch_gives_the_same_output_twice_but_not_for_one_sample(self, training):
        class Model(nn.Module):
            def forward(self, x):
                return F.batch_norm(x, torch.zeros(3), torch.ones(3), training=training)

        model, x = Model().eval(), torch.randn(8, 3, 4)
        assert torch.equal(model(x), model(x))
        assert torch.allclose(model(x[:1]), model(x)[:1], atol=1e-5) is not training


class TestTheTopicsTable:
    @pytest.mark.parametrize(
        ("layer", "parameters", "buffers", "mode"),
        [
            (nn.Linear(3, 3), ["weight", "bias"], [], False),
            (nn.Conv2d(3, 3, 1), ["weight", "bias"], [], False),
            (nn.Embedding(4, 2), ["weight"], [], False),
            (nn.Dropout(), [], [], True),
            (nn.BatchNorm1d(3), ["weight", "bias"], ["running_mean", "running_var", "num_batches_tracked"], True),
            (nn.ReLU(), [], [], False),
        ],
    )
    def test_what_each_layer_remembers(self, layer, parameters, buffers, mode):
        assert [name for name, _ in layer.named_parameters()] == parameters
        assert [name for name, _ in layer.named_buffers()] == buffers
        assert list(layer.state_dict()) == parameters + buffers
        images = isinstance(layer, nn.Conv2d)
        x = torch.arange(4) if parameters == ["weight"] else torch.randn(8, 3, 1, 1) if images else torch.randn(8, 3)
        assert torch.equal(layer.train()(x), layer.eval()(x)) is not mode


class TestBatchNorm:
    SHAPES = [((5, 3), nn.BatchNorm1d), ((2, 3, 4), nn.BatchNorm1d), ((2, 3, 4, 5), nn.BatchNorm2d)]

    @staticmethod
    def pair(layer, **options):
        by_hand, built_in = batch_norm_by_hand.BatchNorm(3, **options), layer(3, **options)
        with torch.no_grad():
            for name, parameter in by_hand.named_parameters():
                parameter.copy_(torch.tensor([0.5, -2.0, 3.0]))
                built_in.get_parameter(name).copy_(parameter)
        return by_hand, built_in

    @pytest.mark.parametrize(("shape", "layer"), SHAPES)
    @pytest.mark.parametrize("options", [{}, {"momentum": 0.7, "eps": 0.5}])
    def test_by_hand_equals_the_layer_in_both_modes_and_in_the_gradient(self, shape, layer, options):
        by_hand, built_in = self.pair(layer, **options)
        for mode in (True, True, True, False):
            x = torch.randn(shape) * 3 + 5
            inputs, outputs = [], []
            for module in (by_hand.train(mode), built_in.train(mode)):
                inputs.append(x.clone().requires_grad_())
                module.zero_grad()
                outputs.append(module(inputs[-1]))
                (outputs[-1] * torch.arange(x.numel()).view(shape)).sum().backward()
            torch.testing.assert_close(*outputs, rtol=1e-4, atol=1e-4)
            torch.testing.assert_close(inputs[0].grad, inputs[1].grad, rtol=1e-3, atol=1e-3)
            for name, parameter in by_hand.named_parameters():
                torch.testing.assert_close(parameter.grad, built_in.get_parameter(name).grad, rtol=1e-3, atol=1e-3)
            for name, buffer in by_hand.named_buffers():
                torch.testing.assert_close(buffer, built_in.get_buffer(name))
                assert not buffer.requires_grad

    @pytest.mark.parametrize(("shape", "layer"), SHAPES)
    def test_statistics_are_taken_over_everything_but_the_channel(self, shape, layer):
        output = layer(3, eps=1e-12)(torch.randn(shape) * 3 + 5).transpose(0, 1).flatten(1)
        torch.testing.assert_close(output.mean(1), torch.zeros(3), atol=1e-5, rtol=0)
        torch.testing.assert_close(output.var(1, correction=0), torch.ones(3), atol=1e-4, rtol=0)

    def test_the_biased_variance_normalizes_and_the_unbiased_one_is_stored(self):
        layer, x = nn.BatchNorm1d(1, momentum=1.0, eps=1e-12), torch.tensor([[0.0], [2.0], [10.0]])
        torch.testing.assert_close(layer(x), (x - 4) / x.var(0, correction=0).sqrt())
        torch.testing.assert_close(layer.running_var, x.var(0, correction=1))

    def test_neighbors_matter_in_training_only(self):
        layer, x = nn.BatchNorm1d(3), torch.randn(6, 3)
        assert not torch.allclose(layer(x)[:2], layer(x[:2]), atol=1e-2)
        layer.eval()
        torch.testing.assert_close(layer(x)[:2], layer(x[:2]))

    def test_parameters_are_trained_and_statistics_are_buffers(self):
        layer = nn.BatchNorm1d(3)
        assert [name for name, _ in layer.named_parameters()] == ["weight", "bias"]
        buffers = [name for name, _ in layer.named_buffers()]
        assert buffers == ["running_mean", "running_var", "num_batches_tracked"]
        assert set(buffers) < set(layer.state_dict())
        x = torch.randn(4, 3)
        torch.testing.assert_close(layer.eval()(x), x, rtol=1e-4, atol=1e-4)
        assert not layer.running_mean.any()

    def test_momentum_weighs_the_new_value(self):
        layer = nn.BatchNorm1d(1, momentum=0.1)
        for _ in range(20):
            layer(torch.tensor([[9.0], [11.0]]))
        assert layer.running_mean.item() == pytest.approx(10 * (1 - 0.12), abs=0.05)

    def test_without_momentum_the_plain_average_is_kept(self):
        layer, x = nn.BatchNorm1d(2, momentum=None), torch.randn(7, 5, 2)
        for batch in x:
            layer(batch)
        torch.testing.assert_close(layer.running_mean, x.mean((0, 1)))
        torch.testing.assert_close(layer.running_var, x.var(1).mean(0))

    def test_evaluation_lags_behind_training(self):
        layer = nn.BatchNorm1d(8)
        data = batch_norm_lag.batches(100)
        assert data.mean().item() == pytest.approx(5, abs=0.1) and data.std().item() == pytest.approx(2, abs=0.1)
        means = []
        for x in data:
            assert layer.train()(x).mean().abs() < 1e-4
            means.append(layer.eval()(x).mean().item())
        assert means[4] > 1.5 and abs(means[-1]) < 0.2

    @pytest.mark.parametrize("scale", [0.1, 1, 1000])
    def test_a_batch_of_two_becomes_plus_and_minus_one_if_epsilon_is_small_beside_the_variance(self, scale):
        x = torch.randn(1, 50) + torch.tensor([[-1.0], [1.0]]) * torch.randn(50).sign() * scale * (1 + torch.rand(50))
        output = nn.BatchNorm1d(50)(x)
        torch.testing.assert_close(output, (x - x.mean(0)).sign(), atol=2e-3, rtol=0)

    @pytest.mark.parametrize("values", [[0.0, 0.001], [50.0, 50.001], [3.0, 3.0]])
    def test_a_batch_of_two_nearly_equal_values_is_shrunk(self, values):
        assert nn.BatchNorm1d(1)(torch.tensor(values).unsqueeze(1)).abs().max() < 0.2

    @pytest.mark.parametrize("make", [nn.BatchNorm1d, nn.BatchNorm2d, batch_norm_by_hand.BatchNorm])
    def test_one_value_per_channel_raises_in_training_only(self, make):
        x = (
            torch.ones(1, 3, 1, 1) if make is nn.BatchNorm2d else torch.ones(1, 3)
        )  # (1, 3, 1, 1): behind global pooling
        layer = make(3)
        with pytest.raises(ValueError, match="more than (1|one) value per channel"):
            layer(x)
        assert layer.running_var.isfinite().all() and layer.eval()(x).isfinite().all()

    @pytest.mark.parametrize("layer", [nn.BatchNorm1d, nn.BatchNorm2d])
    def test_the_state_dict_by_hand_is_that_of_the_layer(self, layer):
        by_hand, built_in = batch_norm_by_hand.BatchNorm(3), layer(3)
        built_in(torch.randn((4, 3, 2, 2) if layer is nn.BatchNorm2d else (4, 3)))
        by_hand.load_state_dict(built_in.state_dict())
        built_in.load_state_dict(by_hand.state_dict())
        assert by_hand.num_batches_tracked.item() == 1

    def test_without_tracking_both_modes_use_the_batch(self):
        layer, x = nn.BatchNorm1d(3, track_running_stats=False), torch.randn(8, 3)
        assert torch.equal(layer(x), layer.eval()(x)) and layer.running_mean is None

    def test_a_new_layer_in_eval_mode_is_the_identity_but_for_epsilon(self):
        x = torch.randn(8, 3)
        assert not torch.equal(nn.BatchNorm1d(3).eval()(x), x)
        torch.testing.assert_close(nn.BatchNorm1d(3).eval()(x), x, rtol=1e-5, atol=0)

    def test_the_plain_average_is_slower_after_a_shift(self):
        means = {}
        for momentum in (0.1, None):
            layer = nn.BatchNorm1d(1, momentum=momentum)
            for step in range(1100):
                layer(torch.tensor([[-1.0], [1.0]]) + (5 if step >= 1000 else 0))
            means[momentum] = layer.running_mean.item()
        assert means[0.1] == pytest.approx(5, abs=0.01) and means[None] == pytest.approx(500 / 1100, abs=0.01)

    def test_the_axes_of_the_four_norms(self):
        everything = torch.zeros(3, 4, 3, dtype=torch.bool)
        sets = {name: everything.clone() for name in batch_norm_axes.LAYERS}
        batch, layer, group, instance = sets.values()
        batch[:, 1], layer[1, :, 1], group[1, :2], instance[1, 1] = True, True, True, True
        for name, layer in batch_norm_axes.LAYERS.items():
            assert torch.equal(batch_norm_axes.used(layer), sets[name])

    @pytest.mark.parametrize("padding", [1, 20])
    def test_padding_enters_batch_norm_but_not_layer_norm(self, padding):
        x = torch.randn(2, 3, 4)
        padded = torch.cat([x, torch.zeros(2, 3, padding)], dim=2)
        batch_norm, layer_norm = nn.BatchNorm1d(3), nn.LayerNorm(3)
        assert not torch.allclose(batch_norm(x), batch_norm(padded)[..., :4], atol=0.02)
        torch.testing.assert_close(layer_norm(x.mT), layer_norm(padded.mT)[:, :4])

    @pytest.mark.parametrize("depth", [5, 20])
    @pytest.mark.parametrize("scale", [0.5, 8])
    def test_the_scale_of_the_weights_does_not_matter_behind_batch_norm(self, depth, scale):
        assert batch_norm_depth.spread(depth, scale, normalize=True) == pytest.approx(1, abs=0.05)
        ratio = batch_norm_depth.spread(depth, scale, False) / batch_norm_depth.spread(depth, 1.0, False)
        assert ratio == pytest.approx(scale**depth, rel=1e-2)

    @pytest.mark.parametrize("depth", [5, 20])
    def test_he_initialization_keeps_the_activations_in_range_at_the_start(self, depth):
        layers = [(nn.ReLU(), nn.Linear(64, 64, bias=False)) for _ in range(depth)]
        for _, linear in layers:
            nn.init.kaiming_normal_(linear.weight, nonlinearity="relu")
        out = nn.Sequential(*(layer for pair in layers for layer in pair))(torch.randn(256, 64))
        assert 0.1 < out.std().item() < 10

    @pytest.mark.parametrize("training", [True, False])
    def test_the_scale_of_the_weights_in_front_matters_in_eval_mode_only(self, training):
        linear, layer, x = nn.Linear(8, 8), nn.BatchNorm1d(8, momentum=None), torch.randn(64, 8)
        layer(linear(x))
        layer.train(training)
        before = layer(linear(x)).std()
        with torch.no_grad():
            linear.weight *= 8
        assert (layer(linear(x)).std() / before).item() == pytest.approx(1 if training else 8, rel=0.01)

    @pytest.mark.parametrize("activation", [nn.Tanh(), nn.GELU()])
    def test_only_the_scale_of_the_layer_directly_in_front_does_not_matter(self, activation):
        model = nn.Sequential(nn.Linear(8, 8), activation, nn.Linear(8, 8), nn.BatchNorm1d(8, eps=1e-9))
        x = torch.randn(64, 8)
        for layer, same in ((2, True), (0, False)):
            before = model(x)
            with torch.no_grad():
                model[layer].weight *= 5
            assert torch.allclose(model(x), before, atol=1e-3) is same

    @pytest.mark.parametrize("by_hand", [True, False])
    def test_only_the_layer_by_hand_refuses_an_empty_batch(self, by_hand):
        layer = (batch_norm_by_hand.BatchNorm if by_hand else nn.BatchNorm2d)(3)
        if by_hand:
            with pytest.raises(ValueError, match="more than one value"):
                layer(torch.zeros(0, 3, 2, 2))
        else:
            layer(torch.zeros(0, 3, 2, 2))
        assert not layer.running_mean.any()

    @pytest.mark.parametrize("padding", [0, 1])
    def test_behind_the_activation_it_folds_into_the_next_layer_but_not_into_one_with_padding(self, padding):
        layer, convolution = nn.BatchNorm2d(3), nn.Conv2d(3, 4, 3, padding=padding)
        layer(torch.randn(8, 3, 6, 6).relu())
        layer.eval()
        factor = layer.weight / (layer.running_var + layer.eps).sqrt()
        shift = layer.bias - layer.running_mean * factor
        weight = convolution.weight * factor.view(1, 3, 1, 1)
        bias = convolution.bias + (convolution.weight.sum((2, 3)) * shift).sum(1)
        x = torch.randn(2, 3, 6, 6).relu()
        same = torch.allclose(convolution(layer(x)), F.conv2d(x, weight, bias, padding=padding), atol=1e-5)
        assert same == (padding == 0)

    def test_a_bias_has_an_effect_again_if_a_relu_stands_between(self):
        conv, norm, x = nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), torch.randn(4, 2, 6, 6)
        between = norm(conv(x).relu())
        with torch.no_grad():
            conv.bias += 0.5
        assert not torch.allclose(norm(conv(x).relu()), between, atol=0.05)

    def test_one_image_is_enough_and_is_instance_normalization(self):
        x = torch.randn(1, 3, 4, 4) * 3 + 5
        layer = nn.BatchNorm2d(3)
        torch.testing.assert_close(layer(x), nn.InstanceNorm2d(3)(x))
        assert not torch.allclose(layer.eval()(x), nn.InstanceNorm2d(3)(x), atol=0.1)

    @pytest.mark.parametrize("layer", [nn.GroupNorm(3, 6), nn.LayerNorm([6, 4])])
    def test_group_and_layer_norm_do_not_look_across_samples(self, layer):
        x = torch.randn(5, 6, 4)
        torch.testing.assert_close(layer(x)[:1], layer(x[:1]))
        torch.testing.assert_close(layer.train()(x), layer.eval()(x))

    def test_a_bias_in_front_has_no_effect_and_no_gradient(self):
        conv, norm, x = nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), torch.randn(4, 2, 6, 6)
        output = norm(conv(x))
        (output * torch.randn_like(output)).sum().backward()
        assert conv.bias.grad.abs().max() < 1e-4 < conv.weight.grad.abs().max()
        with torch.no_grad():
            conv.bias += 7
            torch.testing.assert_close(norm(conv(x)), output, atol=1e-4, rtol=0)
            conv.weight *= 10
            torch.testing.assert_close(norm(conv(x)), output, atol=1e-3, rtol=0)

    @pytest.mark.parametrize("factor", [0.5, 10.0, -1.0])
    def test_a_positive_factor_on_the_weights_in_front_has_no_effect(self, factor):
        linear, norm, x = nn.Linear(4, 6), nn.BatchNorm1d(6), torch.randn(32, 4) * 9
        before = norm(linear(x))
        with torch.no_grad():
            linear.weight *= factor
        torch.testing.assert_close(norm(linear(x)), before if factor > 0 else -before, atol=1e-3, rtol=0)

    @pytest.mark.parametrize("length", [None, 5])
    def test_fusing_a_linear_layer_needs_its_outputs_to_be_the_channels(self, length):
        linear, norm = nn.Linear(4, 8), nn.BatchNorm1d(8)
        shape = (16, 4) if length is None else (16, 8, 4)
        for _ in range(5):
            norm(linear(torch.randn(shape) + 3))
        model, x = nn.Sequential(linear, norm).eval(), torch.randn(shape) + 3
        same = torch.allclose(fuse_linear_bn_eval(linear, norm)(x), model(x), atol=1e-3)
        assert same == (length is None)

    def test_eval_mode_can_be_folded_into_the_layer_in_front(self):
        for front, norm, x, fuse in (
            (nn.Conv2d(2, 3, 3, bias=False), nn.BatchNorm2d(3), torch.randn(4, 2, 6, 6), fuse_conv_bn_eval),
            (nn.Linear(2, 3), nn.BatchNorm1d(3), torch.randn(4, 2), fuse_linear_bn_eval),
        ):
            for _ in range(5):
                norm(front(torch.randn_like(x) * 2 + 1))
            model = nn.Sequential(front, norm).eval()
            torch.testing.assert_close(fuse(front, norm)(x), model(x), rtol=1e-4, atol=1e-5)
            with pytest.raises(AssertionError, match="only for eval"):
                fuse(front.train(), norm.train())
