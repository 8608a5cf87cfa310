"""What docs/junior/saving/state-dict-vs-parameters.md claims, proven beyond the example shown."""

import copy
import io
import warnings

import pytest
import torch
from torch import nn

from warmup.testing import load_snippet

state_dict = load_snippet("junior/saving/state_dict_vs_parameters_all.py")


class TestStateDictVsParameters:
    def test_what_is_where(self):
        rows = state_dict.table(state_dict.Tagger())
        assert {name for name, (_, in_parameters, _) in rows.items() if in_parameters} == {
            "embedding.weight",
            "frozen.weight",
            "norm.weight",
            "norm.bias",
        }
        assert {name for name, (_, _, in_state) in rows.items() if not in_state} == {"cache"}
        assert {name for name, (kind, _, _) in rows.items() if kind == "buffer"} == {
            "cache",
            "norm.running_mean",
            "norm.running_var",
            "norm.num_batches_tracked",
        }
        assert [name for name, (kind, _, _) in rows.items() if kind == "parameter, frozen"] == ["frozen.weight"]

    def test_the_table_agrees_with_any_model(self):
        model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Linear(2, 2).requires_grad_(False))
        rows = state_dict.table(model)
        assert [name for name, row in rows.items() if row[1]] == [name for name, _ in model.named_parameters()]
        assert {name for name, row in rows.items() if row[2]} == set(model.state_dict())

    def test_the_table_has_both_names_of_a_shared_buffer(self):
        model, buffer = nn.Module(), torch.zeros(2)
        model.register_buffer("one", buffer)
        model.register_buffer("other", buffer)
        assert set(state_dict.table(model)) == {"one", "other"} == set(model.state_dict())

    @pytest.mark.parametrize(
        ("change", "live"),
        [
            (lambda model: model.load_state_dict(nn.Linear(2, 2).state_dict()), True),
            (lambda model: model.double(), False),
            (lambda model: model.load_state_dict(nn.Linear(2, 2).state_dict(), assign=True), False),
        ],
    )
    def test_a_state_dict_shares_memory_until_the_model_gets_other_memory(self, change, live):
        model = nn.Linear(2, 2)
        state = model.state_dict()
        change(model)
        with torch.no_grad():
            model.weight.fill_(7)
        assert bool((state["weight"] == 7).all()) is live

    def test_keep_vars_gives_the_parameters_themselves(self):
        model = nn.Linear(2, 2)
        assert model.state_dict(keep_vars=True)["weight"] is model.weight
        assert not model.state_dict()["weight"].requires_grad

    def test_the_statistics_of_the_last_model_are_not_those_of_the_average_and_update_bn_recomputes_them(self):
        models = [nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3, momentum=None)) for _ in range(2)]
        x = 20 + torch.randn(64, 4)
        average = torch.optim.swa_utils.AveragedModel(models[0])
        for model in models:
            model(x)
            average.update_parameters(model)
        inner = average.module
        mean = inner[0](x).mean(dim=0)
        inner[1].load_state_dict({**inner[1].state_dict(), "running_mean": models[1][1].running_mean})
        assert not torch.allclose(inner[1].running_mean, mean, rtol=0.01)
        torch.optim.swa_utils.update_bn([x], average)
        torch.testing.assert_close(inner[1].running_mean, mean, rtol=1e-4, atol=1e-4)

    def test_a_state_dict_as_it_is_raises_in_the_optimizer(self):
        for optimizer_class in (torch.optim.SGD, torch.optim.AdamW):
            with pytest.raises(TypeError, match="str"):
                optimizer_class(nn.Linear(2, 1).state_dict(), lr=1)

    def test_a_state_dict_is_the_live_memory_without_gradient(self):
        model = nn.BatchNorm1d(3)
        state, snapshot = model.state_dict(), copy.deepcopy(model.state_dict())
        model(torch.randn(8, 3)).sum().backward()
        torch.optim.SGD(model.parameters(), lr=1).step()
        for name, tensor in model.state_dict().items():
            assert torch.equal(state[name], tensor) and not state[name].requires_grad
        assert not torch.equal(snapshot["bias"], state["bias"])
        assert not torch.equal(snapshot["running_mean"], state["running_mean"])

    def test_loading_copies_into_the_tensors_that_exist(self):
        model, state = nn.Linear(2, 2), nn.Linear(2, 2).state_dict()
        weight, place = model.weight, model.weight.data_ptr()
        model.load_state_dict(state)
        assert model.weight is weight and weight.data_ptr() == place != state["weight"].data_ptr()

    def test_a_parameter_given_twice_is_updated_twice(self):
        moves = []
        for count in (1, 2):
            parameter = nn.Parameter(torch.zeros(1))
            with warnings.catch_warnings(record=True):
                warnings.simplefilter("always")
                optimizer = torch.optim.SGD([parameter] * count, lr=1)
            parameter.grad = torch.ones(1)
            optimizer.step()
            moves.append(parameter.item())
        assert moves == [-1, -2]

    def test_a_tied_weight_is_written_once_and_expected_twice(self):
        tied = nn.Sequential(nn.Linear(100, 100, bias=False), nn.Linear(100, 100, bias=False))
        sizes = []
        for tie in (False, True):
            if tie:
                tied[1].weight = tied[0].weight
            file = io.BytesIO()
            torch.save(tied.state_dict(), file)
            sizes.append(file.tell())
        assert sizes[1] < 0.6 * sizes[0]
        assert len(list(tied.parameters())) == 1 and len(tied.state_dict()) == 2
        with pytest.raises(RuntimeError, match="Missing key"):
            tied.load_state_dict({"0.weight": torch.ones(100, 100)})

    def test_counting_over_the_state_dict_counts_too_much(self):
        model = state_dict.Tagger()
        right = sum(parameter.numel() for parameter in model.parameters())
        assert right == 5 * 3 + 3 * 3 + 3 + 3
        assert sum(tensor.numel() for tensor in model.state_dict().values()) == right + 5 * 3 + 3 + 3 + 1

    def test_copying_parameters_leaves_the_running_statistics_behind(self):
        source, target = (nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.Linear(16, 3)) for _ in range(2))
        x = 20 + torch.randn(64, 4)
        source(x)
        with torch.no_grad():
            for new, old in zip(target.parameters(), source.parameters(), strict=True):
                new.copy_(old)
            assert torch.equal(source(x), target(x))  # train mode: batch statistics
            assert not torch.allclose(source.eval()(x), target.eval()(x))
            target.load_state_dict(source.state_dict())
            assert torch.equal(source(x), target(x))

    @pytest.mark.parametrize("optimizer_class", [torch.optim.SGD, torch.optim.AdamW])
    def test_an_optimizer_over_a_state_dict_trains_nothing_and_says_nothing(self, optimizer_class):
        model = nn.Linear(2, 1)
        before = copy.deepcopy(model.state_dict())
        optimizer = optimizer_class(model.state_dict().values(), lr=1)
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        assert all(torch.equal(before[name], tensor) for name, tensor in model.state_dict().items())

    def test_a_named_optimizer_stores_names_and_still_goes_by_position(self):
        a, b = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))
        optimizer = torch.optim.Adam([("a", a), ("b", b)])
        a.grad, b.grad = torch.full((2,), 3.0), torch.full((2,), 5.0)
        optimizer.step()
        state = optimizer.state_dict()
        assert state["param_groups"][0]["param_names"] == ["a", "b"]
        swapped = torch.optim.Adam([("b", b), ("a", a)])
        swapped.load_state_dict(state)
        assert torch.equal(swapped.state[b]["exp_avg"], optimizer.state[a]["exp_avg"])

    def test_extra_state_is_in_the_state_dict_and_need_not_be_a_tensor(self):
        class Counter(nn.Module):
            def get_extra_state(self):
                return {"seen": 3}

            def set_extra_state(self, state):
                self.state = state

        state, other = Counter().state_dict(), Counter()
        assert dict(state) == {"_extra_state": {"seen": 3}}
        other.load_state_dict(state)
        assert other.state == {"seen": 3}

    def test_assign_shares_the_memory_of_the_given_tensors(self):
        for assign in (False, True):
            model, state = nn.Linear(2, 2), nn.Linear(2, 2).state_dict()
            model.load_state_dict(state, assign=assign)
            assert (model.weight.data_ptr() == state["weight"].data_ptr()) is assign

    @pytest.mark.parametrize("kind", [torch.optim.SGD, torch.optim.AdamW])
    def test_loading_an_optimizer_replaces_its_learning_rate(self, kind):
        parameters = list(nn.Linear(2, 2).parameters())
        new = kind(parameters, lr=0.001)
        new.load_state_dict(kind(parameters, lr=0.1, weight_decay=0.3).state_dict())
        assert new.param_groups[0]["lr"] == 0.1 and new.param_groups[0]["weight_decay"] == 0.3

    def test_the_optimizers_state_goes_by_position(self):
        a, b = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))
        optimizer = torch.optim.Adam([a, b])
        a.grad, b.grad = torch.full((2,), 3.0), torch.full((2,), 5.0)
        optimizer.step()
        swapped = torch.optim.Adam([b, a])
        swapped.load_state_dict(optimizer.state_dict())
        assert torch.equal(swapped.state[b]["exp_avg"], optimizer.state[a]["exp_avg"])

    @pytest.mark.parametrize("deep", [True, False])
    def test_the_best_state_dict_goes_on_training_unless_it_is_a_deep_copy(self, deep):
        model = nn.Linear(2, 1)
        best, then = model.state_dict(), copy.deepcopy(model.state_dict())
        best = copy.deepcopy(best) if deep else best
        model(torch.ones(1, 2)).sum().backward()
        torch.optim.AdamW(model.parameters()).step()
        assert torch.equal(best["weight"], then["weight"]) is deep

    def test_a_compiled_model_has_a_prefix_in_its_names(self):
        assert list(torch.compile(nn.Linear(1, 1)).state_dict()) == ["_orig_mod.weight", "_orig_mod.bias"]
