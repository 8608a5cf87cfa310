import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint


def chunked_loss(
    head: nn.Linear, hidden: torch.Tensor, targets: torch.Tensor, chunk: int
) -> torch.Tensor:
    """Mean cross-entropy without ever holding all logits.

    hidden: (tokens, width), floating point; targets: (tokens,), int64, -100 is
    ignored. In backward, each chunk's logits are computed again. Raises ValueError
    if chunk < 1 or the lengths differ.
    """
    if chunk < 1 or len(hidden) != len(targets):
        raise ValueError("chunk must be positive, hidden and targets of one length")

    def part(h: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(head(h), t, reduction="sum")

    parts = zip(hidden.split(chunk), targets.split(chunk), strict=True)
    losses = [checkpoint(part, h, t, use_reentrant=False) for h, t in parts]
    return torch.stack(losses).sum() / (targets != -100).sum()


def kept_bytes(make_loss) -> int:
    """Bytes of the storages that autograd keeps for backward."""
    kept: dict[int, torch.UntypedStorage] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        kept[storage._cdata] = storage
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        loss = make_loss()  # noqa: F841, its graph keeps what was saved
    return sum(storage.nbytes() for storage in kept.values())


if __name__ == "__main__":
    torch.manual_seed(0)
    head = nn.Linear(64, 5000, dtype=torch.float64)
    hidden = torch.randn(600, 64, dtype=torch.float64, requires_grad=True)
    targets = torch.randint(5000, (600,))
    whole = lambda: F.cross_entropy(head(hidden), targets)  # noqa: E731
    results = []
    for name, loss in (
        ("all logits", whole),
        ("chunks of 128", lambda: chunked_loss(head, hidden, targets, 128)),
    ):
        results.append(
            torch.autograd.grad(loss(), [hidden, head.weight, head.bias])
        )
        print(f"{name:14} kept for backward: {kept_bytes(loss) / 1e6:6.2f} MB")
    same = all(
        torch.allclose(a, b, rtol=1e-9) for a, b in zip(*results, strict=True)
    )
    print("same gradients:", same)
