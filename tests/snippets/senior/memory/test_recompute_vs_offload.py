"""What docs/senior/memory/recompute-vs-offload.md claims, proven beyond the example shown."""

import pytest
import torch
from torch import nn
from torch.autograd.graph import save_on_cpu, saved_tensors_hooks
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import FlopCounterMode

from warmup.testing import load_snippet

load_snippet("senior/memory/recompute_vs_offload.py")
block = load_snippet("senior/memory/recompute_vs_offload_block.py")
hooks = load_snippet("senior/memory/recompute_vs_offload_hooks.py")
measured = load_snippet("senior/memory/training_memory_7b_measured.py")


def ratio(run, *args: torch.Tensor) -> float:
    """FLOPs that the counter sees, for each byte of the output."""
    with FlopCounterMode(display=False) as flops:
        out = run(*args)
    return flops.get_total_flops() / out.nbytes


def empty(*shape: int) -> torch.Tensor:
    return torch.empty(shape, dtype=torch.bfloat16, device="meta")


class TestRecomputeVsOffload:
    @pytest.mark.parametrize("inputs", [256, 4096, 14336])
    @pytest.mark.parametrize(("rows", "outputs"), [(8, 4096), (4096, 512)])
    def test_a_linear_layer_costs_as_many_flops_per_byte_as_it_has_inputs(self, inputs, rows, outputs):
        assert ratio(F.linear, empty(rows, inputs), empty(outputs, inputs)) == inputs

    @pytest.mark.parametrize(("tokens", "heads", "size"), [(1024, 4, 64), (4096, 32, 128)])
    @pytest.mark.parametrize("causal", [False, True])
    def test_attention_costs_two_flops_per_byte_and_token_and_causal_counts_the_same(self, tokens, heads, size, causal):
        q = empty(2, heads, tokens, size)
        assert ratio(lambda q: F.scaled_dot_product_attention(q, q, q, is_causal=causal), q) == 2 * tokens

    @pytest.mark.parametrize("run", [F.gelu, F.silu, F.dropout, lambda x: F.layer_norm(x, x.shape[-1:])])
    def test_elementwise_functions_and_norms_have_no_matrix_product_to_repeat(self, run):
        assert ratio(run, empty(64, 4096)) == 0

    def test_the_links_compute_rate_and_limits(self):
        pcie, c2c = block.PEAK / block.PCIE, block.PEAK / block.C2C
        assert round(pcie) == 15453 and round(c2c) == 2198 and round(0.4 * pcie) == 6181
        assert ratio(F.scaled_dot_product_attention, *[empty(1, 2, 4096, 64)] * 3) > 0.4 * pcie
        assert ratio(F.scaled_dot_product_attention, *[empty(1, 2, 32768, 64)] * 3) / 2 == 32768 > pcie

    @pytest.mark.parametrize("width", [2048, 4096])
    def test_the_input_of_a_block_has_at_least_12_times_the_width_flops_a_byte(self, width: int):
        saved = block.flops_per_byte(width, tokens=0) * 34 / 2
        assert saved == 12 * width and (12 * 4096 == 49152 > block.PEAK / block.PCIE)

    @pytest.mark.parametrize(("width", "tokens"), [(256, 128), (512, 64)])
    def test_the_forward_flops_of_a_block_are_those_of_the_formula(self, width: int, tokens: int):
        with torch.device("meta"):
            layers = hooks.Block(width)
            x = torch.empty(2, tokens, width)
        with FlopCounterMode(display=False) as flops:
            layers(x)
        assert flops.get_total_flops() == 2 * tokens * (24 * width**2 + 4 * tokens * width)
        assert block.flops_per_byte(width, tokens) == flops.get_total_flops() / (2 * tokens * 34 * width)

    def test_at_width_4096_pcie_hides_a_fifth_and_c2c_everything(self):
        value = block.flops_per_byte(4096)
        assert value * block.PCIE / block.PEAK == pytest.approx(0.22, abs=0.005) and value > block.PEAK / block.C2C
        assert value == pytest.approx(0.7 * 4096 + 0.12 * 4096, rel=0.01)

    def test_save_on_cpu_moves_weights_too(self, monkeypatch: pytest.MonkeyPatch):
        moved: list[torch.Tensor] = []
        monkeypatch.setattr(torch.Tensor, "cpu", lambda t: moved.append(t) or t)
        for layer, x in (
            (nn.Linear(4, 4), torch.randn(2, 4, requires_grad=True)),
            (nn.Conv1d(2, 3, 1), torch.randn(1, 2, 4, requires_grad=True)),
        ):
            moved.clear()
            with save_on_cpu():
                layer(x)
            storages = {t.untyped_storage().data_ptr() for t in moved}
            assert {x.untyped_storage().data_ptr(), layer.weight.untyped_storage().data_ptr()} <= storages

    def test_the_shared_input_of_three_projections_is_packed_three_times(self):
        x, packed = torch.randn(2, 8, requires_grad=True), []
        layers = [nn.Linear(8, 8) for _ in range(3)]
        with saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):
            for layer in layers:
                layer(x)
        assert sum(t.data_ptr() == x.data_ptr() for t in packed) == 3

    def test_around_checkpointed_blocks_only_their_inputs_are_packed(self):
        moved, weights, repeated = hooks.measure(hooks.again)
        assert (moved, weights, repeated) == (3 * hooks.x.nbytes, 0, 0)
        for reentrant in (False, True):
            packed, y = [], torch.randn(3, 8, requires_grad=True)
            with saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):  # noqa: B023
                for layer in (nn.Linear(8, 8), nn.GELU(), nn.Linear(8, 8)):
                    y = checkpoint(layer, y, use_reentrant=reentrant)
            assert sum(t.nbytes for t in packed) == 3 * 3 * 8 * 4

    def test_the_shares_of_weights_and_repeats(self):
        moved, weights, repeated = hooks.measure(hooks.plain)
        assert weights / moved == pytest.approx(0.15, abs=0.005) and repeated / moved == pytest.approx(0.10, abs=0.005)
        assert hooks.measure(hooks.again)[0] / moved == pytest.approx(0.05, abs=0.005)
        linear = sum(p.nbytes for p in hooks.blocks.parameters() if p.dim() == 2)
        assert weights == linear and repeated == 3 * 2 * hooks.x.nbytes

    def test_offloading_the_inputs_of_checkpoints_leaves_the_gradient_bit_equal(self):
        exact = hooks.gradients(lambda t: t, lambda t: t, hooks.plain)
        assert torch.equal(exact, hooks.gradients(lambda t: t.clone(), lambda t: t, hooks.again))

    def test_on_a_cpu_save_on_cpu_copies_nothing(self):
        x = torch.randn(3, requires_grad=True)
        with save_on_cpu():
            y = x.exp()
        assert y.grad_fn._saved_result.data_ptr() == y.data_ptr()

    def test_bfloat16_activations_change_the_gradient_by_less_than_a_percent_but_not_by_nothing(self):
        assert 0.0005 < hooks.error < 0.0015

    @pytest.mark.parametrize(("width", "ffn", "tokens"), [(4096, 11008, 4096), (2048, 5504, 2048)])
    def test_a_block_with_a_gated_mlp_has_fewer_flops_a_byte(self, width: int, ffn: int, tokens: int):
        with torch.device("meta"):
            llama, x = measured.Block(width, ffn, 32), torch.empty(1, tokens, width)
        with FlopCounterMode(display=False) as flops:
            llama(x)
        value = flops.get_total_flops() / (50 * x.numel())
        assert value < block.flops_per_byte(width, tokens)
        if width == 4096:
            assert value * block.PCIE / block.PEAK == pytest.approx(0.15, abs=0.005)
            assert 1 < value * block.C2C / block.PEAK < 1.1

    def test_of_the_bytes_of_q_k_and_v_two_thirds_are_repeats(self):
        _, _, repeated = hooks.measure(hooks.plain)
        assert repeated == 3 * 3 * hooks.x.nbytes * 2 / 3
