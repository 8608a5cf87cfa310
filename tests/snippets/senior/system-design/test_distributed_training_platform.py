"""What docs/senior/system-design/distributed-training-platform.md claims, proven beyond the example shown."""

import weakref

import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from warmup.testing import load_snippet

plan = load_snippet("senior/system-design/distributed_training_platform.py")
mfu = load_snippet("senior/system-design/distributed_training_platform_mfu.py")
spares = load_snippet("senior/system-design/distributed_training_platform_spares.py")
wire = load_snippet("senior/system-design/distributed_training_platform_wire.py")


def total(rows):
    return sum(rows.values())


def mean(column, **options):
    return sum(spares.calendar(seed=seed, **options)[column] for seed in range(300, 400)) / 100


class Block(nn.Module):
    """A block with the ratios of Llama 3 70B: one KV head for eight, a gated MLP of 3.5 widths."""

    def __init__(self, width):
        super().__init__()
        self.norms = nn.ModuleList(nn.RMSNorm(width) for _ in range(2))
        self.q, self.out = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.kv = nn.Linear(width, width // 4, bias=False)
        self.gate, self.up = (nn.Linear(width, width * 7 // 2, bias=False) for _ in range(2))
        self.down = nn.Linear(width * 7 // 2, width, bias=False)

    def forward(self, x):
        y = self.norms[0](x)
        k, v = self.kv(y).chunk(2, -1)
        heads = [t.unflatten(-1, (-1, t.shape[-1] // n)).transpose(1, 2) for t, n in ((self.q(y), 8), (k, 1), (v, 1))]
        a = nn.functional.scaled_dot_product_attention(*heads, is_causal=True, enable_gqa=True)
        x = x + self.out(a.transpose(1, 2).flatten(2))
        y = self.norms[1](x)
        return x + self.down(nn.functional.silu(self.gate(y)) * self.up(y))


class Peak(TorchDispatchMode):
    """The most bytes of results that are alive at one time."""

    def __init__(self):
        super().__init__()
        self.alive, self.now, self.most = {}, 0, 0

    def gone(self, key):
        self.now -= self.alive.pop(key)

    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        out = op(*args, **(kwargs or {}))
        for t in out if isinstance(out, tuple | list) else (out,):
            if isinstance(t, torch.Tensor) and (key := t.untyped_storage()._cdata) not in self.alive:
                self.alive[key] = t.untyped_storage().nbytes()
                self.now += self.alive[key]
                self.most = max(self.most, self.now)
                weakref.finalize(t.untyped_storage(), self.gone, key)
        return out


class TestBudget:
    @pytest.mark.parametrize(("tokens", "width"), [(64, 128), (32, 256)])
    def test_a_block_saves_fewer_bytes_than_the_60_per_token_and_unit_of_width_of_the_plan(self, tokens, width):
        block, saved = Block(width).bfloat16(), {}
        weights = {p.untyped_storage().data_ptr() for p in block.parameters()}

        def pack(t):
            if (key := t.untyped_storage().data_ptr()) not in weights:
                saved[key] = t.untyped_storage().nbytes()
            return t

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
            out = block(torch.randn(1, tokens, width, dtype=torch.bfloat16, requires_grad=True))
        assert 40 < sum(saved.values()) / (tokens * width) < 60, sum(saved.values()) / (tokens * width)
        out.sum().backward()

    def test_70b_times_16_bytes_over_the_shards(self):
        states = 16 * plan.PARAMS
        assert states == pytest.approx(1129e9, rel=0.001)
        for shard, each in ((64, 17.6e9), (1024, 1.1e9)):
            assert next(iter(plan.memory(shard).values())) == pytest.approx(each, rel=0.01)
            assert total(plan.memory(shard)) < plan.ROOM
        assert total(plan.memory(8)) > plan.ROOM
        assert total(plan.memory()) == pytest.approx(44.2e9, rel=0.01)

    def test_without_checkpoints_the_activations_would_not_fit(self):
        rows = plan.memory()
        kept = rows["inputs of 80 checkpointed blocks"] + rows["one block, computed again"]
        whole = plan.LAYERS * rows["one block, computed again"]
        assert (kept / 1e9, whole / 1e9) == pytest.approx((14.8, 322), rel=0.01)
        assert whole > plan.ROOM

    @pytest.mark.parametrize(("tokens", "days"), [(15e12, 212), (5e12, 71), (1e12, 14.2)])
    def test_days_are_proportional_to_tokens(self, tokens, days):
        assert total(plan.days(tokens)) == pytest.approx(days, rel=0.005)

    def test_90_days_are_6_4_trillion_tokens_or_about_2500_gpus_because_more_gpus_fail_more_often(self, monkeypatch):
        assert 90 / total(plan.days(1e12)) == pytest.approx(6.4, abs=0.05)
        assert total(plan.days()) / 90 * plan.GPUS == pytest.approx(2400, rel=0.01)  # if failures did not grow
        for gpus, days in ((2400, 92.4), (2466, 90.0), (2500, 88.8)):
            monkeypatch.setattr(plan, "GPUS", gpus)
            assert total(plan.days()) == pytest.approx(days, abs=0.1)

    def test_481_gflops_per_token_are_417_and_64(self):
        flops = plan.flops()
        assert [round(v / 1e9) for v in flops.values()] == [417, 64] and round(total(flops) / 1e9) == 481

    def test_a_causal_kernel_makes_131072_tokens_2_1_times_as_expensive_not_3(self):
        short, longer = ([f["parameters"], f["attention"] / 2] for f in (plan.flops(), plan.flops(131_072)))
        assert sum(longer) / sum(short) == pytest.approx(2.1, abs=0.05)
        assert longer[1] / sum(longer) == pytest.approx(0.55, abs=0.005)

    @pytest.mark.parametrize(("held", "each"), [(False, 12), (True, 16)])
    def test_a_plain_cross_entropy_has_12_to_16_bytes_per_logit_at_its_peak(self, held, each):
        tokens, vocab = 64, 4096
        hidden = torch.randn(tokens, 4, dtype=torch.bfloat16, requires_grad=True)
        table = torch.randn(vocab, 4, dtype=torch.bfloat16, requires_grad=True)
        with Peak() as peak:
            logits = [(hidden @ table.T).float()]
            target = torch.zeros(tokens, dtype=torch.long)
            loss = nn.functional.cross_entropy(logits[0] if held else logits.pop(), target)
            loss.backward()
        assert peak.most / (tokens * vocab) == pytest.approx(each, abs=0.3)
        assert each * plan.LENGTH * plan.VOCAB / 1e9 == pytest.approx({12: 13, 16: 17}[each], abs=0.5)

    def test_the_same_speed_is_35_percent_if_attention_is_not_counted(self):
        flops = plan.flops()
        assert plan.MFU * flops["parameters"] / total(flops) == pytest.approx(0.35, abs=0.005)
        assert total(flops) == pytest.approx(481e9, rel=0.002)

    def test_at_131072_tokens_attention_is_71_percent_and_a_token_costs_3_times(self):
        longer = plan.flops(131_072)
        assert longer["attention"] / total(longer) == pytest.approx(0.71, abs=0.005)
        assert total(longer) / total(plan.flops()) == pytest.approx(3.0, abs=0.02)

    def test_the_published_hours_are_260_days_and_32_percent(self):
        days, hours = 6.4e6 / 24 / plan.GPUS, total(plan.days()) * 24 * plan.GPUS
        assert days == pytest.approx(260, abs=1) and hours == pytest.approx(5.2e6, rel=0.01)
        at_peak = plan.days()["parameters"] + plan.days()["attention"]
        assert at_peak / days == pytest.approx(0.32, abs=0.005)

    def test_a_node_sends_for_a_tenth_of_the_step_at_400_gb_per_second_and_for_most_of_it_at_50(self):
        step = plan.SEQUENCES * plan.LENGTH / plan.tokens_per_second()
        for link, seconds in ((400e9, 1.1), (50e9, 9.0)):
            assert total(plan.wire()) / link == pytest.approx(seconds, abs=0.05)
        assert step == pytest.approx(10, abs=0.05)
        assert total(plan.wire()) - total(plan.wire(1024)) == pytest.approx(27e9, rel=0.01)

    def test_gradients_in_float32_send_622_gb(self):
        gathered, scattered, copies = plan.wire().values()
        assert gathered + 2 * scattered + 2 * copies == pytest.approx(622e9, rel=0.002)

    def test_over_a_thin_link_the_gradients_alone_take_longer_than_the_step(self):
        seconds = 2 * plan.PARAMS / 10e9
        assert seconds == pytest.approx(14, abs=0.2)
        assert plan.SEQUENCES * plan.LENGTH / plan.tokens_per_second() < 14

    def test_the_printed_rows_add_up(self, capsys):
        for rows, unit in ((plan.memory(), 1e9), (plan.wire(), 1e9), (plan.days(), 1)):
            plan.show("x", rows, unit, "y")
            numbers = [float(line.replace(" y", "").split()[-1]) for line in capsys.readouterr().out.splitlines()]
            assert numbers[0] == pytest.approx(sum(numbers[1:]), abs=0.01)


class TestCalendar:
    def test_its_constants_are_those_of_the_budget(self):
        days = plan.days()
        assert days["parameters"] + days["attention"] == pytest.approx(mfu.AT_PEAK, rel=0.001)
        between = plan.GPU_HOURS / plan.GPUS
        assert between == pytest.approx(mfu.BETWEEN_H, rel=0.001)
        assert mfu.calendar(0.4) == pytest.approx(total(days), rel=0.002)
        assert mfu.calendar(0.35) == pytest.approx(total(plan.days(mfu=0.35)), rel=0.002)

    def test_a_point_of_mfu_is_worth_about_as_much_as_all_failures(self):
        for at in (0.38, 0.42):
            point = mfu.calendar(at) - mfu.calendar(at + 0.01)
            failures = mfu.calendar(at) - mfu.calendar(at, 0.0)
            assert 0.7 < point / failures < 1.1


class TestSpares:
    def test_without_a_spare_the_job_waits_for_months_and_two_are_nearly_as_good_as_four(self):
        days = [mean(0, spares=s) for s in (0, 1, 2, 4)]
        assert days == sorted(days, reverse=True)
        assert (days[0], days[2], days[3]) == pytest.approx((315, 215, 212), abs=4)
        assert mean(1, spares=0) == pytest.approx(103, abs=4)

    def test_without_a_spare_the_calendar_is_half_as_long_again(self):
        assert mean(0, spares=0) / total(plan.days()) == pytest.approx(1.5, abs=0.03)

    @pytest.mark.parametrize("options", [{"broken": 0.0}, {"repair_h": 0.0}])
    def test_if_nothing_is_in_repair_a_spare_is_worth_nothing(self, options):
        assert mean(1, spares=0, **options) == 0
        assert mean(0, spares=0, **options) == mean(0, spares=4, **options)

    def test_longer_repairs_need_more_spares(self):
        assert mean(1, spares=2, repair_h=168.0) > 10 * mean(1, spares=2) > 10 * mean(1, spares=4) - 1e-9

    def test_days_are_work_and_lost_hours_and_waiting(self):
        days, waited = spares.calendar(1, broken=0.0, lost_h=0.0)
        assert (days, waited) == pytest.approx((206.4, 0))


class TestWire:
    @pytest.mark.parametrize(("copies", "shard"), [(4, 16), (8, 2)])
    def test_weights_are_gathered_twice_gradients_scattered_once_and_a_part_is_all_reduced(self, copies, shard):
        ratios = list(wire.step(copies, shard, layers=3, width=64).values())
        assert ratios == pytest.approx([2, 1, 1 / shard, 2 / shard])
