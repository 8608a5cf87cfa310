"""What the table of docs/mid/modeling/index.md claims: dependence, weights and multiplications of four layers."""

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

SIZES = [(6, 4), (9, 8)]  # n positions of d channels


def ring(n: int) -> torch.Tensor:
    """Dense matrix of a ring of ``n`` nodes with one chord and self-loops: entry (i, j) is 1 where j sends to i."""
    a = torch.eye(n) + torch.eye(n).roll(1, dims=0) + torch.eye(n).roll(-1, dims=0)
    a[0, n // 2] = 1
    return a


def multiplications(layer, *inputs: torch.Tensor) -> int:
    """Half of what FlopCounterMode counts: it counts a multiplication and an addition as two."""
    with FlopCounterMode(display=False) as counter:
        layer(*inputs)
    return counter.get_total_flops() // 2


def depends(layer, x: torch.Tensor) -> torch.Tensor:
    """Boolean matrix (n, n): whether any channel of output i depends on any channel of input j."""
    jacobian = torch.autograd.functional.jacobian(layer, x)  # (n, d, n, d)
    return jacobian.abs().amax(dim=(1, 3)) > 0


def weights(layer: nn.Module) -> int:
    return sum(p.numel() for name, p in layer.named_parameters() if "bias" not in name)


class GraphConvolution(nn.Module):
    """Each node multiplies its features by one matrix, then sums the weighted messages of its neighbors."""

    def __init__(self, d: int):
        super().__init__()
        self.linear = nn.Linear(d, d)
        self.products = 0

    def forward(self, x: torch.Tensor, a: torch.Tensor) -> torch.Tensor:
        target, source = a.nonzero(as_tuple=True)
        messages = (a / a.sum(dim=1, keepdim=True))[target, source][:, None] * self.linear(x)[source]
        self.products = messages.numel()  # FlopCounterMode counts no elementwise product
        return torch.zeros_like(x).index_add(0, target, messages)


@pytest.mark.parametrize(("n", "d"), SIZES)
class TestIndex:
    def test_a_linear_layer_reads_its_own_position(self, n, d):
        layer, x = nn.Linear(d, d), torch.randn(n, d)
        assert torch.equal(depends(layer, x), torch.eye(n).bool())
        assert weights(layer) == d**2 and multiplications(layer, x) == n * d**2

    @pytest.mark.parametrize("k", [3, 5])
    def test_a_convolution_reads_k_neighboring_positions(self, n, d, k):
        conv, x = nn.Conv1d(d, d, k, padding=k // 2), torch.randn(n, d)
        distance = (torch.arange(n)[:, None] - torch.arange(n)).abs()
        assert torch.equal(depends(lambda x: conv(x.T[None])[0].T, x), distance <= k // 2)
        assert weights(conv) == k * d**2 and multiplications(conv, x.T[None]) == n * k * d**2

    @pytest.mark.parametrize("heads", [1, 2])
    def test_self_attention_reads_all_positions(self, n, d, heads):
        attention, x = nn.MultiheadAttention(d, heads, batch_first=True), torch.randn(n, d)

        def layer(x):
            return attention(x[None], x[None], x[None])[0][0]

        assert depends(layer, x).all()
        assert weights(attention) == 4 * d**2 and multiplications(layer, x) == 4 * n * d**2 + 2 * n**2 * d

    def test_a_graph_convolution_reads_its_neighbors(self, n, d):
        a = ring(n)
        layer, x, e = GraphConvolution(d), torch.randn(n, d), int(a.sum())
        assert torch.equal(depends(lambda x: layer(x, a), x), a.bool())
        counted = multiplications(layer, x, a)
        assert weights(layer) == d**2 and counted + layer.products == n * d**2 + e * d

    def test_one_layer_takes_inputs_of_any_length(self, n, d):
        attention, conv = nn.MultiheadAttention(d, 1, batch_first=True), nn.Conv1d(d, d, 3, padding=1)
        linear, graph = nn.Linear(d, d), GraphConvolution(d)
        for length in (n, n + 3):
            x = torch.randn(1, length, d)
            assert linear(x).shape == attention(x, x, x)[0].shape == conv(x.mT).mT.shape == x.shape
            assert graph(x[0], ring(length)).shape == (length, d)

    def test_a_causal_mask_cuts_the_dependence_to_the_past(self, n, d):
        attention, x = nn.MultiheadAttention(d, 1, batch_first=True), torch.randn(n, d)
        mask = nn.Transformer.generate_square_subsequent_mask(n)
        found = depends(lambda x: attention(x[None], x[None], x[None], attn_mask=mask)[0][0], x)
        assert torch.equal(found, torch.ones(n, n).tril().bool())
