"""What docs/senior/distributed/dp-vs-ddp.md claims, proven beyond the example shown."""

import inspect
import warnings

import pytest
import torch
from torch import nn
from torch.nn.modules.utils import consume_prefix_in_state_dict_if_present
from torch.nn.parallel import DistributedDataParallel

from warmup import testing
from warmup.testing import load_snippet

dp_vs_ddp = load_snippet("senior/distributed/dp_vs_ddp.py")
checkpoint = load_snippet("senior/distributed/dp_vs_ddp_checkpoint_broken.py")
without_gpu = pytest.mark.skipif(torch.accelerator.is_available(), reason="a machine without a GPU")


@pytest.fixture
def one_rank():
    with testing.one_rank():
        yield


class TestDpVsDdp:
    @without_gpu
    @pytest.mark.parametrize("model", [nn.Linear(2, 1), nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))])
    def test_without_a_gpu_data_parallel_calls_the_module_and_says_nothing(self, model):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            parallel = nn.DataParallel(model)
            output = parallel(torch.randn(4, 2))
        assert parallel.device_ids == []
        assert parallel.module is model and output.grad_fn is not None

    @without_gpu
    def test_a_counter_counts_where_nothing_is_copied(self):
        class Counting(nn.Module):
            calls = 0

            def forward(self, x):
                self.calls += 1
                return x

        model = Counting()
        nn.DataParallel(model)(torch.ones(2, 2))
        assert model.calls == 1

    def test_each_forward_scatters_replicates_applies_and_gathers(self):
        source = inspect.getsource(nn.DataParallel.forward)
        places = [source.index(f"self.{step}(") for step in ("scatter", "replicate", "parallel_apply", "gather")]
        assert places == sorted(places)

    @pytest.mark.parametrize(("sizes", "equal"), [((3, 3), True), ((4, 2), False), ((2, 2, 2), True)])
    def test_the_average_over_ranks_is_the_gradient_of_the_batch_if_shards_are_equal(self, sizes, equal):
        torch.manual_seed(0)
        x, w = torch.randn(6, 2), torch.randn(2, requires_grad=True)
        (whole,) = torch.autograd.grad((x @ w).square().mean(), w)
        ranks = [torch.autograd.grad((part @ w).square().mean(), w)[0] for part in x.split(sizes)]
        assert torch.allclose(sum(ranks) / len(ranks), whole) is equal
        (summed,) = torch.autograd.grad((x @ w).square().sum(), w)
        ranks = [torch.autograd.grad((part @ w).square().sum(), w)[0] for part in x.split(sizes)]
        torch.testing.assert_close(sum(ranks) / len(ranks), summed / len(ranks))

    @pytest.mark.parametrize("norm", [False, True])
    def test_with_batch_norm_equal_shards_do_not_give_the_gradient_of_the_batch(self, norm):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3) if norm else nn.Identity(), nn.Linear(3, 1))
        x, w = torch.randn(8, 2), model[0].weight
        (whole,) = torch.autograd.grad(model(x).square().mean(), w)
        # One loss on the gathered outputs, as after DataParallel; and the mean of the losses of two ranks.
        (gathered,) = torch.autograd.grad(torch.cat([model(part) for part in x.chunk(2)]).square().mean(), w)
        ranks = [torch.autograd.grad(model(part).square().mean(), w)[0] for part in x.chunk(2)]
        torch.testing.assert_close(gathered, sum(ranks) / 2)
        assert torch.allclose(gathered, whole) is not norm

    def test_broadcast_buffers_is_deprecated_from_2_13_on(self, one_rank):
        new = "forward_sync_buffers" in inspect.signature(DistributedDataParallel.__init__).parameters
        assert new == (tuple(int(part) for part in torch.__version__.split(".")[:2]) >= (2, 13))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            DistributedDataParallel(nn.Linear(1, 1), broadcast_buffers=False)
        assert any("`broadcast_buffers` is deprecated" in str(w.message) for w in caught) == new


class TestDpVsDdpCheckpoint:
    def wrappers(self, model):
        return [nn.DataParallel(model), DistributedDataParallel(model)]

    def test_both_wrappers_put_module_in_front_and_the_inner_module_does_not(self, one_rank):
        model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
        names = list(model.state_dict())
        for wrapper in self.wrappers(model):
            assert list(wrapper.state_dict()) == [f"module.{name}" for name in names]
            assert list(wrapper.module.state_dict()) == names

    def test_the_error_names_missing_and_unexpected_keys(self, one_rank):
        for wrapper in self.wrappers(nn.Linear(2, 1)):
            with pytest.raises(RuntimeError, match='Unexpected key.s. in state_dict: "module.weight", "module.bias"'):
                nn.Linear(2, 1).load_state_dict(wrapper.state_dict())

    def test_not_strict_it_loads_nothing_and_says_so_only_in_its_result(self):
        saved, plain = nn.DataParallel(nn.Linear(2, 1)).state_dict(), nn.Linear(2, 1)
        before = plain.weight.clone()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            result = plain.load_state_dict(saved, strict=False)
        assert torch.equal(plain.weight, before)
        assert (result.missing_keys, len(result.unexpected_keys)) == (["weight", "bias"], 2)

    def test_without_the_prefix_it_loads(self):
        model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
        nn.init.ones_(model[0].weight)
        saved = nn.DataParallel(model).state_dict()
        consume_prefix_in_state_dict_if_present(saved, "module.")
        plain = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
        plain.load_state_dict(saved)
        assert (plain[0].weight == 1).all()
