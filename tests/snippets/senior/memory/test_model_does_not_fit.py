"""What docs/senior/memory/model-does-not-fit.md claims, proven beyond the example shown."""

import functools

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from warmup.testing import load_snippet

budget = load_snippet("senior/memory/model_does_not_fit.py")
chunked = load_snippet("senior/memory/model_does_not_fit_chunked.py")
peaks = functools.cache(load_snippet("senior/memory/model_does_not_fit_peaks.py").peaks)
measured = load_snippet("senior/memory/training_memory_7b_measured.py")
counting = load_snippet("senior/memory/training_memory_7b.py")


def sizes(**levers) -> list[float]:
    return [float(size) for size in budget.row(**levers).split()]


class GroupedBlock(measured.Block):
    """The block of Llama 3 8B: four query heads share a key and value head, gated MLP of 3.5 widths."""

    def __init__(self, width: int) -> None:
        super().__init__(width, width * 7 // 2, 8)
        self.k, self.v = (nn.Linear(width, width // 4, bias=False) for _ in range(2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n = self.norms[0](x)
        q, k, v = (
            layer(n).unflatten(-1, (heads, -1)).transpose(1, 2)
            for layer, heads in ((self.q, 8), (self.k, 2), (self.v, 2))
        )
        mixed = F.scaled_dot_product_attention(q, k, v, enable_gqa=True)
        x = x + self.o(mixed.transpose(1, 2).flatten(2))
        n = self.norms[1](x)
        return x + self.down(F.silu(self.gate(n)) * self.up(n))


class TestModelDoesNotFit:
    def test_the_shapes_give_8_billion_parameters(self):
        assert counting.count(32, 4096, 14336, 1024, 128256) / 1e9 == pytest.approx(8.03, abs=0.001)

    @pytest.mark.parametrize(("width", "tokens", "batch"), [(64, 128, 2), (128, 64, 1)])
    def test_a_block_saves_53_bytes_per_token_and_unit_of_width(self, width: int, tokens: int, batch: int):
        x = torch.randn(batch, tokens, width, dtype=torch.bfloat16, requires_grad=True)
        kept = measured.saved_bytes(GroupedBlock(width).bfloat16(), x) / x.numel()
        assert kept == pytest.approx(budget.BLOCK, abs=0.8)

    def test_rows_add_up_and_activation_levers_leave_the_states_alone(self):
        for levers in ({}, {"batch": 1}, {"batch": 1, "checkpoint": True, "chunk": 1024}):
            states, kept, logits, total = sizes(**levers)
            assert states == 128.5 and total == pytest.approx(states + kept + logits, abs=0.15)
        assert sum(sizes()[1:3]) == pytest.approx(523, abs=0.6)

    def test_what_the_levers_leave(self):
        done = {"batch": 1, "checkpoint": True, "chunk": 1024}
        assert sizes(**done)[3] > 80 and sizes(**done, states=10)[3] > 80 > sizes(**done, gpus=8)[3]
        parameters = budget.PARAMETERS / 1e9
        for per_parameter, total in ((10, 80.3), (6, 48.2), (4, 32.1), (12, 96.4), (2, 16.1), (16 / 8, 16.1)):
            assert per_parameter * parameters == pytest.approx(total, abs=0.06)
        assert 4 < parameters * 4.125 / 8 < 5

    def test_logits_and_block_inputs_by_hand(self):
        assert pytest.approx(67.2, abs=0.05) == 2 * 4 * 65536 * 128256 / 1e9 and sizes(batch=1)[2] == 8.4
        one = (2 * 32 + budget.BLOCK) * 131072 * 4096 / 1e9
        assert one == pytest.approx(62.8, abs=0.05)

    def test_the_first_step_shows_neither_of_the_later_peaks(self):
        found = peaks()
        first = found["step 1, short batch, backward"]
        assert first < 1500 < found["step 1, short batch, optimizer"] < 2000
        assert found["step 2, short batch, backward"] < 2000 < found["step 3, longest batch, backward"]

    def test_from_the_second_step_on_backward_is_higher_by_the_states(self):
        found = peaks()
        states = 2 * 4 * sum(p.numel() for p in self.model().parameters()) / 1e6
        grown = found["step 2, short batch, backward"] - found["step 1, short batch, backward"]
        assert grown == pytest.approx(states, rel=0.01)

    def test_the_optimizer_peak_does_not_depend_on_the_batch_and_evaluation_needs_more_with_a_graph(self):
        found = peaks()
        optimizer = {round(size) for name, size in found.items() if name.endswith("optimizer")}
        assert len(optimizer) == 1
        assert found["evaluation without no_grad"] > found["evaluation, longest batch"] * 1.1

    @staticmethod
    def model() -> nn.Module:
        with torch.device("meta"):
            return load_snippet("senior/memory/model_does_not_fit_peaks.py").Model()

    @pytest.mark.parametrize("chunk", [1, 7, 64, 1000])
    @pytest.mark.parametrize("tokens", [1, 64, 65])
    def test_the_loss_in_chunks_is_the_loss_and_has_its_gradients(self, chunk: int, tokens: int):
        torch.manual_seed(tokens)
        head = nn.Linear(8, 30, dtype=torch.float64)
        hidden = torch.randn(tokens, 8, dtype=torch.float64, requires_grad=True)
        targets = torch.randint(30, (tokens,))
        targets[3::5] = -100
        whole = F.cross_entropy(head(hidden), targets)
        parts = chunked.chunked_loss(head, hidden, targets, chunk)
        assert torch.allclose(whole, parts)
        wanted = [hidden, *head.parameters()]
        for a, b in zip(torch.autograd.grad(whole, wanted), torch.autograd.grad(parts, wanted), strict=True):
            assert torch.allclose(a, b)

    def test_the_loss_in_chunks_refuses_what_it_cannot_do(self):
        head, hidden, targets = nn.Linear(4, 5), torch.randn(6, 4), torch.randint(5, (6,))
        for chunk, rows in ((0, 6), (-1, 6), (2, 5)):
            with pytest.raises(ValueError, match="chunk must be positive"):
                chunked.chunked_loss(head, hidden, targets[:rows], chunk)

    @pytest.mark.skipif(not hasattr(nn, "LinearCrossEntropyOptions"), reason="this torch has no linear_cross_entropy")
    def test_linear_cross_entropy_keeps_all_logits_unless_options_are_given(self):
        head, hidden, targets = (
            nn.Linear(16, 2000),
            torch.randn(100, 16, requires_grad=True),
            torch.randint(2000, (100,)),
        )

        def kept(**options) -> int:
            return chunked.kept_bytes(
                lambda: F.linear_cross_entropy(hidden, head.weight, targets, linear_bias=head.bias, **options)
            )

        whole = chunked.kept_bytes(lambda: F.cross_entropy(head(hidden), targets))
        assert kept() == whole > 100 * 2000 * 4 > 10 * kept(options=nn.LinearCrossEntropyOptions())

    @pytest.mark.parametrize("layers", [12, 24])
    def test_foreach_needs_temporaries_as_large_as_the_parameters_and_fused_needs_none(self, layers: int):
        bytes_per_parameter = {}
        for name in ("foreach", "fused"):
            with load_snippet("senior/memory/model_does_not_fit_peaks.py").Live() as live:
                model = nn.Sequential(*(nn.Linear(64, 64, bias=False) for _ in range(layers)))
                optimizer = torch.optim.AdamW(model.parameters(), **{name: True})
                for _ in range(2):
                    for p in model.parameters():
                        p.grad = torch.empty_like(p)
                    live.peak = 0
                    optimizer.step()
                bytes_per_parameter[name] = live.peak / sum(p.numel() for p in model.parameters())
        assert bytes_per_parameter == pytest.approx({"foreach": 20, "fused": 16}, abs=0.01)
