"""What docs/senior/behavioral/optimized-in-production.md claims, proven beyond the example shown."""

import functools
from dataclasses import dataclass, field, replace

import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

from warmup.testing import load_snippet

levers = load_snippet("senior/behavioral/optimized_in_production_levers.py")
AS_SERVED = levers.Server()
FUSED = levers.Server(operators=8)
OWN_WIDTH = levers.Server(own_width=True)
BOTH = levers.Server(operators=8, own_width=True)
SIZE = 75_657_216


class Operators(TorchDispatchMode):
    """Names of the operators that run."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.names.append(str(func))
        return func(*args, **(kwargs or {}))


@dataclass
class Recorder(levers.Server):
    """A server that remembers its batches."""

    batches: list = field(default_factory=list)

    def batch_ms(self, texts, width):
        self.batches.append((texts, width))
        return super().batch_ms(texts, width)


def encoder(width, device="cpu", nested=False):
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(width, 8, 4 * width, batch_first=True, device=device)
    return nn.TransformerEncoder(layer, 6, enable_nested_tensor=nested).eval()


@pytest.fixture(params=[False, True])
def fast_path(request):
    torch.backends.mha.set_fastpath_enabled(request.param)
    yield request.param
    torch.backends.mha.set_fastpath_enabled(True)


def operators(model, x, mask):
    with torch.inference_mode(), Operators() as found:
        model(x, src_key_padding_mask=mask)
    return found.names


class TestCounts:
    @pytest.mark.parametrize(("texts", "places", "width"), [(2, 7, 64), (5, 3, 32)])
    def test_fused_layers_are_8_operators_not_236_whatever_the_size(self, fast_path, texts, places, width):
        mask = torch.zeros(texts, places, dtype=torch.bool)
        names = operators(encoder(width), torch.randn(texts, places, width), mask)
        assert len(names) == (8 if fast_path else 236)

    @pytest.mark.parametrize(("texts", "places", "width"), [(2, 7, 64), (5, 3, 32)])
    def test_62_of_the_236_calls_do_more_than_return_a_view_or_drop_nothing(self, texts, places, width):
        torch.backends.mha.set_fastpath_enabled(False)
        try:
            names = operators(encoder(width), torch.randn(texts, places, width), torch.zeros(texts, places).bool())
        finally:
            torch.backends.mha.set_fastpath_enabled(True)
        kept = ("linear", "add", "layer_norm", "scaled_dot_product_attention", "relu", "zeros_like", "masked_fill_")
        assert sum(name.split(".")[1] in kept for name in names) == 62

    @pytest.mark.parametrize(("texts", "places"), [(32, 512), (3, 98), (1, 40)])
    def test_the_servers_flops_are_those_that_are_counted(self, texts, places):
        x = torch.empty(texts, places, 512, device="meta")
        mask = torch.zeros(texts, places, dtype=torch.bool, device="meta")
        with FlopCounterMode(display=False) as counter, torch.inference_mode():
            encoder(512, "meta")(x, src_key_padding_mask=mask)
        only_flops = levers.Server(launch_us=0, weight_bytes=0)
        assert only_flops.batch_ms(texts, places) == pytest.approx(counter.get_total_flops() / 1e10)

    def test_the_weights_are_those_that_are_counted(self):
        assert sum(p.nbytes for p in encoder(512, "meta").parameters()) == AS_SERVED.weight_bytes == SIZE

    def test_arithmetic_is_30_times_the_launches_and_900_times_the_weights(self):
        arithmetic = AS_SERVED.batch_ms(32, 512)
        assert 30 < arithmetic / (236 * 10 / 1e3) < 31
        assert 900 < arithmetic / (SIZE / 1e9) < 1000

    @pytest.mark.parametrize("rate", ["launch_us", "bytes_per_us", "flops_per_us"])
    @pytest.mark.parametrize("factor", [0.1, 10])
    def test_a_rate_that_is_off_by_ten_leaves_arithmetic_the_largest(self, rate, factor):
        server = replace(AS_SERVED, **{rate: getattr(AS_SERVED, rate) * factor})
        for smaller in (replace(server, operators=0), replace(server, weight_bytes=0)):
            assert smaller.batch_ms(32, 512) == server.batch_ms(32, 512)

    def test_of_one_token_of_7_billion_bfloat16_parameters_reading_the_weights_is_the_largest(self):
        read, arithmetic = 14e9 / AS_SERVED.bytes_per_us / 1e3, 2 * 7e9 / AS_SERVED.flops_per_us / 1e3
        assert (read, arithmetic) == pytest.approx((14, 1.4))


class TestOutputs:
    def short_and_padded(self, masked):
        model, x = encoder(64), torch.randn(3, 20, 64)
        x[:, 12:] = 0
        mask = torch.zeros(3, 20, dtype=torch.bool)
        mask[:, 12:] = True
        with torch.inference_mode():
            short = model(x[:, :12], src_key_padding_mask=mask[:, :12] if masked else None)
            long = model(x, src_key_padding_mask=mask if masked else None)[:, :12]
        return short, long

    def test_padding_to_the_own_width_leaves_the_outputs_equal_up_to_rounding(self, fast_path):
        short, long = self.short_and_padded(masked=True)
        torch.testing.assert_close(short, long, rtol=1e-4, atol=1e-5)

    def test_without_a_mask_the_outputs_depend_on_the_padding(self, fast_path):
        short, long = self.short_and_padded(masked=False)
        assert (short - long).abs().max() > 0.01

    def test_bfloat16_changes_the_outputs_more_than_rounding_in_float32(self):
        x = torch.randn(3, 20, 64)
        with torch.inference_mode():
            full = encoder(64)(x)
            half = encoder(64).bfloat16()(x.bfloat16()).float()
        assert (full - half).abs().max() > 1e-3

    def test_with_nested_tensors_the_fast_path_drops_padding_itself(self):
        mask = torch.zeros(3, 20, dtype=torch.bool)
        mask[1:, 5:] = True
        x = torch.randn(3, 20, 64)
        assert nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, batch_first=True), 1).enable_nested_tensor
        with pytest.warns(UserWarning, match="nested tensors is in prototype"):
            names = operators(encoder(64, nested=True), x, mask)
        assert any("_nested_tensor_from_mask" in name for name in names)
        assert not any("_nested_tensor_from_mask" in name for name in operators(encoder(64), x, mask))


@functools.cache
def simulated(rate, seed, **levers_pulled):
    return levers.simulate(levers.Server(**levers_pulled), rate, requests=8_000, seed=seed)


@pytest.mark.parametrize(("rate", "seed"), [(400, 3), (380, 11)])
class TestOneLeverAtATime:
    def test_a_lever_on_a_smaller_term_does_not_move_p99(self, rate, seed):
        before = simulated(rate, seed).p(99)
        for lever in ({"operators": 8}, {"weight_bytes": SIZE // 4}):
            assert before * 0.98 < simulated(rate, seed, **lever).p(99) < before * 1.02

    def test_without_padding_p99_is_a_quarter_or_less(self, rate, seed):
        assert simulated(rate, seed, own_width=True).p(99) < simulated(rate, seed).p(99) / 4

    def test_fusing_helps_once_the_padding_is_gone(self, rate, seed):
        alone, both = (simulated(rate, seed, own_width=True, operators=count) for count in (236, 8))
        assert both.p(99) < alone.p(99) / 2
        assert both.p(50) < alone.p(50) / 6

    def test_twice_the_flop_rate_helps_as_well(self, rate, seed):
        assert simulated(rate, seed, flops_per_us=2e7).p(99) < simulated(rate, seed).p(99) / 4

    def test_most_tokens_were_padding_and_few_are_afterwards(self, rate, seed):
        served, own, both = ({}, {"own_width": True}, {"own_width": True, "operators": 8})
        shares = [simulated(rate, seed, **pulled).padding for pulled in (served, own, both)]
        assert 0.8 > shares[0] > 0.7 > 0.3 > shares[1] > 0.1 > shares[2]

    def test_less_work_and_a_shorter_queue_lower_the_load(self, rate, seed):
        shares = [simulated(rate, seed, **pulled).busy for pulled in ({}, {"own_width": True, "operators": 8})]
        assert shares[0] > 0.8 > 0.3 > shares[1]


class TestOtherTraffic:
    @pytest.mark.parametrize("seed", [1, 12])
    def test_at_400_without_padding_launches_are_the_largest_term_of_most_batches(self, seed):
        server = Recorder(own_width=True)
        levers.simulate(server, 400, requests=3000, seed=seed)
        launches = [AS_SERVED.batch_ms(*batch) == 236 * 10 / 1e3 for batch in server.batches]
        assert sum(launches) > len(launches) / 2

    def test_at_100_per_second_only_both_levers_together_move_the_median(self):
        medians = [levers.simulate(server, 100, 5000, seed=4).p(50) for server in (AS_SERVED, FUSED, OWN_WIDTH, BOTH)]
        assert all(2.2 < median < 2.4 for median in medians[:3])
        assert medians[3] < 0.5
        assert 2.2 < FUSED.batch_ms(1, 512) < 2.4 == pytest.approx(AS_SERVED.batch_ms(1, 512), abs=0.05)
        batches = Recorder()
        levers.simulate(batches, 100, requests=5000)
        assert sum(texts == 1 for texts, _ in batches.batches) > len(batches.batches) / 2


class TestTwiceTheTraffic:
    def test_full_batches_fall_behind_and_small_ones_do_not(self):
        for max_batch, behind in ((32, True), (4, False)):
            server = replace(BOTH, max_batch=max_batch)
            short, long = (levers.simulate(server, 800, requests, seed=2).p(99) for requests in (5_000, 10_000))
            assert (long > 1.5 * short and long > 1000) == behind
            assert (long < 50) != behind

    @pytest.mark.parametrize("max_batch", [4, 8])
    def test_texts_of_similar_length_in_a_batch_lower_p99(self, max_batch):
        found = [
            levers.simulate(replace(BOTH, max_batch=max_batch, alike=alike), 800, 8_000, seed=6).p(99)
            for alike in (False, True)
        ]
        assert found[1] < found[0]

    @pytest.mark.parametrize("alike", [False, True])
    def test_the_oldest_text_goes_first(self, alike):
        server = Recorder(operators=8, own_width=True, alike=alike, max_batch=4)
        found = levers.simulate(server, 800, requests=3000, seed=7)
        assert len(found.latencies) == sum(texts for texts, _ in server.batches) == 3000
        assert max(found.latencies) < 200

    def test_a_full_batch_is_as_wide_as_its_longest_text_so_padding_grows_with_the_batch(self):
        shares = [levers.simulate(replace(BOTH, max_batch=size), 800, 5_000, seed=8).padding for size in (4, 8, 32)]
        assert shares == sorted(shares)
        assert shares[0] < 0.3
        assert shares[-1] > 0.5


def test_2_3_times_as_fast_is_56_5_percent_less_time():
    assert round(100 * (1 - 1 / 2.3), 1) == 56.5


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_on_other_traffic_the_levers_do_the_same_and_the_tail_as_served_is_longer(seed):
    served, fused, own = (levers.simulate(one, 400, seed=seed).p(99) for one in (AS_SERVED, FUSED, OWN_WIDTH))
    assert 66 < served < 131 and abs(served - fused) < 1 and 8.5 < own < 11.5
