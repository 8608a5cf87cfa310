"""What docs/senior/memory/selective-checkpointing.md claims, proven beyond the example shown."""

from functools import partial

import pytest
import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts
from torch.utils.flop_counter import FlopCounterMode

from warmup.testing import load_snippet

selective = load_snippet("senior/memory/selective_checkpointing.py")
compiled = load_snippet("senior/memory/selective_checkpointing_compile.py")
aten = torch.ops.aten


def encoder(width: int = 32, heads: int = 1) -> nn.Module:
    return nn.TransformerEncoderLayer(width, heads, 4 * width, 0.0, "gelu", batch_first=True, norm_first=True)


def run(block: nn.Module, x: torch.Tensor, policy: object) -> torch.Tensor:
    if policy is None:
        return block(x)
    contexts = partial(create_selective_checkpoint_contexts, policy)
    return checkpoint(block, x, use_reentrant=False, context_fn=contexts)


def measure(block: nn.Module, x: torch.Tensor, policy: object) -> tuple[float, float, int]:
    """Activations kept besides the input, FLOPs over forward, runs of attention."""
    weights = list(block.parameters())
    with FlopCounterMode(display=False) as counter, selective.Live([x, *weights]) as live:
        y = run(block, x, policy)
        kept, forward = (live.now - y.nbytes) / x.nbytes, counter.get_total_flops()
        torch.autograd.grad(y.square().sum(), weights)
    return kept, counter.get_total_flops() / forward, live.calls[selective.attention]


class TestSelectiveCheckpointing:
    @pytest.mark.parametrize(("name", "kept", "linear", "runs"), [
        ("plain", 15, 3, 1), ("keep linear and attention", 10, 3, 1), ("keep linear", 9, 3, 2),
        ("keep attention", 1, 11 / 3, 1), ("keep nothing", 0, 11 / 3, 2),
    ])  # fmt: skip
    @pytest.mark.parametrize(("length", "width"), [(64, 32), (128, 64)])
    def test_what_each_policy_keeps_and_computes(
        self, name: str, kept: float, linear: float, runs: int, length: int, width: int
    ):
        x = torch.randn(2, length, width, requires_grad=True)
        found = measure(encoder(width), x, selective.policies[name])
        assert found[0] == pytest.approx(kept, abs=0.3)
        assert found[1] == pytest.approx(linear) and found[2] == runs

    @pytest.mark.parametrize("policy", [[], selective.linear, [selective.attention]])
    def test_gradients_do_not_depend_on_the_policy(self, policy: list):
        block, x = encoder(), torch.randn(2, 16, 32)
        found = [
            torch.autograd.grad(run(block, x, each).square().sum(), list(block.parameters())) for each in (None, policy)
        ]
        assert all(map(torch.equal, *found))

    @pytest.mark.parametrize("policy", [[], selective.linear, [*selective.linear, selective.attention]])
    def test_saved_tensor_hooks_see_only_the_input(self, policy: list):
        block, x, kept = encoder(), torch.randn(2, 16, 32, requires_grad=True), []
        with saved_tensors_hooks(kept.append, lambda _: None):
            run(block, x, policy)
        assert {t.data_ptr() for t in kept if t.numel()} == {x.data_ptr()}

    @pytest.mark.parametrize("bias", [True, False])
    @pytest.mark.parametrize("depth", [2, 3])
    def test_a_linear_layer_with_a_bias_is_addmm_and_without_one_mm(self, bias: bool, depth: int):
        layers = [part for _ in range(depth) for part in (nn.Linear(16, 16, bias=bias), nn.GELU())]
        block, x = nn.Sequential(*layers), torch.randn(2, 4, 16)
        fits, other = (aten.addmm.default, aten.mm.default) if bias else (aten.mm.default, aten.addmm.default)
        plain = (2 * depth - 1) / depth  # the input needs no gradient
        for op, again in ((fits, 0), (other, 1)):
            with FlopCounterMode(display=False) as counter:
                y = run(block, x, [op])
                forward = counter.get_total_flops()
                y.sum().backward()
            assert counter.get_total_flops() / forward == pytest.approx(1 + plain + again)

    def test_a_policy_can_be_a_function(self):
        for policy, runs in ((CheckpointPolicy.MUST_SAVE, 1), (CheckpointPolicy.PREFER_RECOMPUTE, 2)):

            def decide(ctx: object, op: object, *_: object, policy: CheckpointPolicy = policy, **__: object):
                return policy if op == selective.attention else CheckpointPolicy.PREFER_RECOMPUTE

            x = torch.randn(2, 16, 32, requires_grad=True)
            assert measure(encoder(), x, decide)[2] == runs

    @pytest.mark.parametrize("allow", [True, False])
    def test_a_kept_result_that_is_changed_in_place_raises_unless_allowed(self, allow: bool):
        contexts = partial(create_selective_checkpoint_contexts, [aten.sin.default], allow_cache_entry_mutation=allow)
        x = torch.ones(3, requires_grad=True)

        def function(x: torch.Tensor) -> torch.Tensor:
            return x.sin().mul_(2).exp()

        y = checkpoint(function, x, use_reentrant=False, context_fn=contexts)
        if allow:
            y.sum().backward()
        else:
            with pytest.raises(RuntimeError, match="mutated"):
                y.sum().backward()

    def test_the_budget_trades_activations_for_matmuls(self, capsys: pytest.CaptureFixture):
        for shape in ((48, 16), (64, 32)):
            compiled.x = torch.randn(shape, requires_grad=True)
            compiled.weights = [torch.randn(shape[1], shape[1], requires_grad=True) for _ in range(3)]
            compiled.report("all", compiled.default_partition, 1.0)
            for budget in (1.0, 0.5, 0.0):
                compiled.report("cut", compiled.min_cut_rematerialization_partition, budget)
            found = [(float(s[26:32]), int(s.split()[-4])) for s in capsys.readouterr().out.splitlines()]
            everything, cut, half, nothing = found
            assert everything[0] > cut[0] > half[0] > nothing[0] == 1
            assert everything[1] == cut[1] == half[1] == 6 and nothing[1] == 9

    def test_a_region_budget_works_under_compile_only(self):
        with pytest.raises(RuntimeError, match=r"torch\.compile region"):
            torch.autograd.graph.region_activation_memory_budget(0.5).__enter__()

    @pytest.mark.parametrize("contiguous", [True, False])
    def test_a_linear_layer_on_a_transposed_input_is_mm_and_an_addition(self, contiguous: bool):
        layer, x = nn.Linear(8, 8), torch.randn(3, 4, 8)
        with selective.Live([]) as live:
            layer(x if contiguous else x.transpose(0, 1))
        ops = {op for op in live.calls if op in selective.linear}
        assert ops == {aten.addmm.default if contiguous else aten.mm.default}

    @pytest.mark.parametrize("width", [4, 64])
    @pytest.mark.parametrize(("kept", "same"), [(0, True), (1, False), (2, True)])
    def test_a_kept_random_operation_shifts_a_recomputed_one_behind_it(self, width: int, kept: int, same: bool):
        layer, x = nn.Linear(width, width), torch.randn(32, width, requires_grad=True)

        def block(x: torch.Tensor) -> torch.Tensor:
            return torch.native_dropout(layer(torch.native_dropout(x, 0.5, True)[0]).exp(), 0.5, True)[0]

        def policy(ctx: object, op: object, *args: object, **_: object) -> CheckpointPolicy:
            save = op == aten.native_dropout.default and (kept == 2 or (kept == 1 and args[0] is x))
            return CheckpointPolicy.MUST_SAVE if save else CheckpointPolicy.PREFER_RECOMPUTE

        found = []
        for each in (None, policy):
            torch.manual_seed(0)
            y = each and run(block, x, each)
            found.append(torch.autograd.grad((block(x) if y is None else y).sum(), x)[0])
        assert torch.equal(*found) is same

    @pytest.mark.parametrize(
        ("policy", "budget", "matmuls"),
        [("MUST_SAVE", 1, 12), ("MUST_SAVE", 0.5, 12), ("MUST_SAVE", 0, 18), ("PREFER_SAVE", 1, 12),
         ("PREFER_SAVE", 0.5, 16), ("MUST_RECOMPUTE", 1, 18), (None, 1, 18), (None, 0.5, 18)],
    )  # fmt: skip
    def test_a_compiled_policy_obeys_must_save_unless_the_budget_is_zero(
        self, policy: str | None, budget: float, matmuls: int
    ):
        def decide(ctx: object, op: object, *_: object, **__: object) -> CheckpointPolicy:
            return CheckpointPolicy[policy] if op == aten.mm.default else CheckpointPolicy.PREFER_RECOMPUTE

        def count(graph: torch.fx.GraphModule, _: object) -> object:
            found.append([node.target for node in graph.graph.nodes].count(aten.mm.default))
            return compiled.make_boxed_func(graph.forward)

        options = {"context_fn": partial(create_selective_checkpoint_contexts, decide)} if policy else {}
        call = lambda *given: checkpoint(compiled.chain, *given, use_reentrant=False, **options)  # noqa: E731
        x, found = torch.randn(64, 32, requires_grad=True), []
        weights = [torch.randn(32, 32, requires_grad=True) for _ in range(6)]
        cut = compiled.min_cut_rematerialization_partition
        backend = compiled.aot_autograd(fw_compiler=count, bw_compiler=count, partition_fn=cut)
        torch._dynamo.reset()
        with compiled.config.patch(activation_memory_budget=float(budget)):
            torch.compile(call, backend=backend)(x, *weights).sum().backward()
        assert found == [6, matmuls]
