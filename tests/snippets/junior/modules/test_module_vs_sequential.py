"""What docs/junior/modules/module-vs-sequential.md claims, proven beyond the example shown."""

from collections import OrderedDict

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from warmup.testing import load_snippet

module_vs_sequential = load_snippet("junior/modules/module_vs_sequential.py")
module_vs_sequential_rewrite = load_snippet("junior/modules/module_vs_sequential_rewrite_broken.py")
module_vs_sequential_inputs = load_snippet("junior/modules/module_vs_sequential_inputs.py")
module_vs_sequential_residual = load_snippet("junior/modules/module_vs_sequential_residual.py")


class TestModuleVsSequential:
    def chain(self) -> nn.Sequential:
        return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))

    def test_a_straight_chain_computes_what_the_class_computes(self):
        model, chain, x = module_vs_sequential_rewrite.MLP(), self.chain(), torch.randn(7, 4)
        chain.load_state_dict(dict(zip(chain.state_dict(), model.state_dict().values(), strict=True)))
        assert torch.equal(chain(x), model(x))
        hidden = F.linear(x, *chain[0].parameters()).relu()
        torch.testing.assert_close(model(x), F.linear(hidden, *chain[2].parameters()))

    def test_only_a_chain_with_names_loads_the_weights_of_the_class(self):
        model, x = module_vs_sequential_rewrite.MLP(), torch.randn(3, 4)
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
        assert sum(parameter.numel() for parameter in repeated.parameters()) == 12
        assert sum(parameter.numel() for parameter in separate.parameters()) == 12 * count
        assert len(repeated) == len(separate) == count
        assert repeated.state_dict().keys() == separate.state_dict().keys() and repr(repeated) == repr(separate)
        expected = x
        for _ in range(count):
            expected = block(expected)
        assert torch.equal(repeated(x), expected)

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
        model, chain = module_vs_sequential_rewrite.MLP(), self.chain()
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

    @pytest.mark.parametrize("calls", [2, 3])
    def test_a_layer_that_a_chain_lists_twice_has_two_keys_and_one_that_a_class_calls_twice_has_one(self, calls):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(3, 3)

            def forward(self, x):
                for _ in range(calls):
                    x = self.layer(x)
                return x

        model, x = Model(), torch.randn(4, 3)
        repeated = nn.Sequential(*[model.layer] * calls)
        assert torch.equal(repeated(x), model(x))
        assert len(repeated.state_dict()) == 2 * calls and len(model.state_dict()) == 2

    def test_a_slice_shares_the_layers_and_an_assignment_replaces_one(self):
        chain = self.chain()
        body, head = chain[:-1], nn.Linear(8, 10)
        assert isinstance(body, nn.Sequential) and body[0] is chain[0] and len(body) == 2
        with torch.no_grad():
            chain[0].weight.zero_()
        assert not body[0].weight.any()
        chain[-1] = head
        assert chain(torch.randn(3, 4)).shape == (3, 10) and list(chain.state_dict())[-2:] == ["2.weight", "2.bias"]
        chain.append(nn.ReLU())
        assert len(chain) == 4

    def test_insert_raises_where_layers_have_names(self):
        named = nn.Sequential(OrderedDict(body=nn.Linear(2, 2), head=nn.Linear(2, 1)))
        with pytest.raises(KeyError):
            named.insert(1, nn.Dropout())
        plain = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1)).insert(1, nn.Dropout())
        assert [name for name, _ in plain.named_parameters()] == ["0.weight", "0.bias", "2.weight", "2.bias"]

    def test_a_slice_of_a_subclass_has_its_class_and_goes_through_its_constructor(self):
        class MLP(nn.Sequential):
            def __init__(self, inputs, hidden):
                super().__init__(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, inputs))

        block, x = module_vs_sequential_residual.Residual(nn.Linear(3, 3), nn.Tanh()), torch.randn(2, 3)
        assert torch.equal(block[:1](x), x + block[0](x))
        with pytest.raises(TypeError, match="missing 1 required positional argument"):
            MLP(2, 3)[:-1]
