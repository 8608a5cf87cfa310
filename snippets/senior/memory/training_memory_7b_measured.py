import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.nn import functional as F


class Block(nn.Module):
    """A block of Llama: width h, gated MLP, no biases, no dropout."""

    def __init__(
        self, width: int, ffn: int, heads: int, fused: bool = True
    ) -> None:
        super().__init__()
        self.heads, self.fused = heads, fused
        self.norms = nn.ModuleList(nn.RMSNorm(width) for _ in range(2))
        self.q, self.k, self.v, self.o = (
            nn.Linear(width, width, bias=False) for _ in range(4)
        )
        self.gate, self.up = (nn.Linear(width, ffn, bias=False) for _ in range(2))
        self.down = nn.Linear(ffn, width, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n = self.norms[0](x)
        q, k, v = (
            layer(n).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for layer in (self.q, self.k, self.v)
        )
        if self.fused:
            mixed = F.scaled_dot_product_attention(q, k, v)
        else:
            mixed = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v
        x = x + self.o(mixed.transpose(1, 2).flatten(2))
        n = self.norms[1](x)
        return x + self.down(F.silu(self.gate(n)) * self.up(n))


class Llama(nn.Module):
    def __init__(self, layers: int, width: int, ffn: int, heads: int, vocab: int):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.blocks = nn.ModuleList(Block(width, ffn, heads) for _ in range(layers))
        self.norm, self.head = (
            nn.RMSNorm(width),
            nn.Linear(width, vocab, bias=False),
        )


def saved_bytes(block: Block, x: torch.Tensor) -> int:
    """Bytes that autograd keeps for backward, weights excluded, storages once."""
    own = {p.untyped_storage()._cdata for p in block.parameters()}
    kept = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage._cdata not in own:
            kept[storage._cdata] = storage
        return tensor

    with saved_tensors_hooks(pack, lambda t: t):
        y = block(x)  # noqa: F841, its graph keeps the saved tensors alive
    return sum(storage.nbytes() for storage in kept.values())


def state_bytes(model: nn.Module) -> dict[str, int]:
    """Bytes of parameters, gradients and AdamW's states after one step."""
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for p in model.parameters():
        p.grad = torch.empty_like(p)
    optimizer.step()
    states = [t for s in optimizer.state.values() for t in s.values()]
    return {
        "weights": sum(p.nbytes for p in model.parameters()),
        "gradients": sum(p.grad.nbytes for p in model.parameters()),
        "moments": sum(t.nbytes for t in states if t.dim()),
    }


if __name__ == "__main__":
    with torch.device("meta"):
        model = Llama(32, 4096, 11008, 32, 32000)
    count = sum(p.numel() for p in model.parameters())
    print(f"{count:,} parameters")
    for dtype in (torch.float32, torch.bfloat16):
        sizes = state_bytes(model.to(dtype))
        each = {name: round(size / count, 2) for name, size in sizes.items()}
        dtype_name = str(dtype).removeprefix("torch.")
        whole = round(sum(each.values()), 2)
        print(dtype_name, "bytes per parameter:", each, whole)
    print(
        "bytes saved per token and unit of width, with fused attention and without"
    )
    for width, tokens in ((128, 128), (256, 256), (256, 512)):
        x = torch.randn(1, tokens, width, dtype=torch.bfloat16, requires_grad=True)
        ffn = width * 43 // 16  # as 11008 to 4096
        for fused in (True, False):
            block = Block(width, ffn, 4, fused).bfloat16()
            kept = saved_bytes(block, x) / x.numel()
            name = "fused" if fused else "scores kept"
            print(f"  width {width}, {tokens} tokens, {name:12}{kept:6.1f}")
