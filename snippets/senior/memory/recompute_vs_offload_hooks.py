import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.q, self.k, self.v, self.out = (
            nn.Linear(width, width) for _ in range(4)
        )
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = (p(x).unflatten(-1, (4, -1)) for p in (self.q, self.k, self.v))
        heads = [t.transpose(1, 2) for t in (q, k, v)]
        mixed = F.scaled_dot_product_attention(*heads).transpose(1, 2).flatten(2)
        x = x + self.out(mixed)
        return x + self.mlp(x)


torch.manual_seed(0)
blocks = nn.ModuleList(Block(64) for _ in range(3))
x = torch.randn(2, 128, 64, requires_grad=True)
own = {p.untyped_storage()._cdata for p in blocks.parameters()}


def is_weight(tensor: torch.Tensor) -> bool:
    return tensor.untyped_storage()._cdata in own


def gradients(pack, unpack, call) -> torch.Tensor:
    blocks.zero_grad()
    with saved_tensors_hooks(pack, unpack):
        y = x
        for block in blocks:
            y = call(block, y)
    y.square().mean().backward()
    return torch.cat([p.grad.flatten() for p in blocks.parameters()])


def measure(call) -> list[int]:
    """Bytes that save_on_cpu would move; of these weights; of these repeated."""
    seen: list[torch.Tensor] = []
    gradients(lambda t: seen.append(t) or t, lambda t: t, call)
    rest = [t for t in seen if not is_weight(t)]
    once = {(t.data_ptr(), t.shape, t.stride()): t.nbytes for t in rest}
    moved = sum(t.nbytes for t in seen)
    activations = sum(t.nbytes for t in rest)
    return [moved, moved - activations, activations - sum(once.values())]


print("save_on_cpu around          bytes moved    weights   repeated")
plain = lambda block, y: block(y)  # noqa: E731
again = lambda block, y: checkpoint(block, y, use_reentrant=False)  # noqa: E731
for name, call in (("the blocks", plain), ("checkpointed blocks", again)):
    print(f"{name:25}", *(f"{size:12,}" for size in measure(call)))
exact = gradients(lambda t: t, lambda t: t, plain)
rounded = gradients(
    lambda t: t if is_weight(t) else t.to(torch.bfloat16),
    lambda t: t.float(),
    plain,
)
error = (exact - rounded).norm() / exact.norm()
print(f"activations kept in bfloat16: gradient off by {error:.1%}")
