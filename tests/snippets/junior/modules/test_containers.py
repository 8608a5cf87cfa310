"""What docs/junior/modules/containers.md claims, proven beyond the example shown."""

from collections import OrderedDict
from contextlib import nullcontext
from copy import deepcopy

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from warmup.testing import load_snippet

containers_broken = load_snippet("junior/modules/containers_broken.py")
containers_find = load_snippet("junior/modules/containers_find.py")

PLAIN = [list, tuple, lambda layers: dict(enumerate(layers))]

REGISTERED = [
    nn.ModuleList,
    lambda layers: nn.Sequential(*layers),
    lambda layers: nn.ModuleDict((f"layer{i}", layer) for i, layer in enumerate(layers)),
]


def layers(count: int) -> list[nn.Module]:
    return [nn.Linear(4, 4) for _ in range(count)]


class Classifier(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.hidden = hidden
        self.head = nn.Linear(4, 2, bias=False)

    def forward(self, x):
        for layer in self.hidden.values() if hasattr(self.hidden, "values") else self.hidden:
            x = torch.relu(layer(x))
        return self.head(x)


def train(model: nn.Module, x: torch.Tensor, y: torch.Tensor, steps: int) -> list[float]:
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    losses = []
    for _ in range(steps):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


class TestContainers:
    @pytest.mark.parametrize("count", [1, 3])
    @pytest.mark.parametrize("container", PLAIN)
    def test_plain_containers_leave_only_the_head(self, container, count):
        model = Classifier(container(layers(count)))
        assert list(model.state_dict()) == ["head.weight"]
        assert [p.shape for p in model.parameters()] == [(2, 4)]

    @pytest.mark.parametrize("count", [1, 3])
    @pytest.mark.parametrize("container", REGISTERED)
    def test_the_three_containers_register_every_layer(self, container, count):
        model = Classifier(container(layers(count)))
        assert len(list(model.parameters())) == 2 * count + 1

    def test_the_containers_differ_in_parameter_names_only(self):
        parts = layers(2)
        models = [Classifier(container(parts)) for container in (*PLAIN, *REGISTERED)]
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
        model, visited = Classifier([nn.Linear(4, 4), nn.Dropout()]), []
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
        model = Classifier(layers(1)).to("meta")
        assert model.head.weight.is_meta and not model.hidden[0].weight.is_meta

    @pytest.mark.parametrize(("shape", "raises"), [((), False), ((1,), True), ((4,), True)])
    def test_only_a_parameter_without_a_dimension_may_stay_on_the_cpu(self, shape, raises):
        temperature = nn.Parameter(torch.ones(shape))  # meta stands for another device
        with pytest.raises(RuntimeError, match="device") if raises else nullcontext():
            nn.Linear(4, 2, device="meta")(torch.ones(3, 4, device="meta") / temperature)

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
            losses = train(model, x, y, steps=150)
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
            train(model, x, y, steps=step)
            total += torch.autograd.grad(F.cross_entropy(model(x), y), model.hidden[0].weight)[0]
        for layer in model.hidden:
            layer.weight.grad = None
        model.load_state_dict(state)
        train(model, x, y, steps=4)
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
        model = Classifier([frozen, nn.Dropout(), nn.BatchNorm1d(4, affine=False)])
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

    def test_strict_loading_does_not_see_a_shift_of_layers_without_weights(self):
        old = nn.ModuleList([nn.Linear(4, 4), nn.ReLU()])
        new = nn.ModuleList([nn.Linear(4, 4), nn.Dropout(), nn.ReLU()])
        new.load_state_dict(old.state_dict())
        assert torch.equal(new[0].weight, old[0].weight)
        for moved in (nn.LayerNorm(4), nn.BatchNorm1d(4, affine=False)):
            with pytest.raises(RuntimeError):
                nn.ModuleList([nn.Linear(4, 4), nn.Dropout(), moved]).load_state_dict(
                    nn.ModuleList([nn.Linear(4, 4), moved]).state_dict()
                )

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

    def test_a_stack_from_one_layer(self):
        layer = nn.TransformerEncoderLayer(4, 2, 8)
        once = len(list(layer.parameters()))
        assert len(list(nn.ModuleList([layer] * 6).parameters())) == once
        for stack in (
            nn.TransformerEncoder(layer, 6, enable_nested_tensor=False).layers,
            nn.ModuleList(deepcopy(layer) for _ in range(6)),
        ):
            assert len(list(stack.parameters())) == 6 * once
            assert torch.equal(stack[0].linear1.weight, stack[5].linear1.weight)
        built = nn.ModuleList(nn.Linear(4, 4) for _ in range(6))
        assert not torch.equal(built[0].weight, built[5].weight)

    def test_the_network_of_the_page_with_a_list_is_worse_and_guesses_after_loading(self):
        assert list(containers_broken.model.state_dict())[0] == "hidden.0.weight"  # the last one: a ModuleList
        x, y = containers_broken.x, containers_broken.y
        for container, own in ((list, False), (nn.ModuleList, True)):
            torch.manual_seed(7)
            model, restored = (containers_broken.Classifier(container) for _ in range(2))
            train(model, x, y, steps=150)
            restored.load_state_dict(model.state_dict())
            trained, loaded = ((m(x).argmax(1) == y).float().mean().item() for m in (model, restored))
            assert (trained > 0.95) is own and (loaded == trained) is own
            assert torch.equal(model(x), restored(x)) is own

    @pytest.mark.parametrize("where", ["append", "insert"])
    def test_a_layer_appended_after_the_optimizer_is_registered_and_not_trained(self, where):
        model = nn.ModuleList(layers(2))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        new = nn.Linear(4, 4)
        model.append(new) if where == "append" else model.insert(1, new)
        before = new.weight.detach().clone()
        x = torch.randn(3, 4)
        for layer in model:
            x = layer(x)
        x.sum().backward()
        optimizer.step()
        assert any(p is new.weight for p in model.parameters()) and torch.equal(before, new.weight)
        assert not any(p is new.weight for p in optimizer.param_groups[0]["params"])

    @pytest.mark.parametrize(
        ("container", "names"),
        [
            (lambda p: [p], []),
            (lambda p: {"a": p}, []),
            (lambda p: nn.ParameterList([p]), ["scales.0"]),
            (lambda p: nn.ParameterDict({"a": p}), ["scales.a"]),
        ],
    )
    def test_a_list_of_parameters_needs_a_parameter_list(self, container, names):
        model = nn.Module()
        model.scales = container(nn.Parameter(torch.ones(2)))
        assert [name for name, _ in model.named_parameters()] == names

    def test_a_key_must_be_a_string(self):
        for key in (1, None):
            with pytest.raises(TypeError, match="should be a string"):
                nn.ModuleDict({key: nn.Identity()})
