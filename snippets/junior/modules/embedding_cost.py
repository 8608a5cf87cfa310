import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.flop_counter import FlopCounterMode


def one_hot_lookup(ids: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """An embedding, the long way: ids int64 (*), weight (V, D), output (*, D)."""
    one_hot = F.one_hot(ids, num_classes=len(weight)).to(weight.dtype)
    return one_hot @ weight


if __name__ == "__main__":
    torch.manual_seed(0)
    embedding = nn.Embedding(num_embeddings=10_000, embedding_dim=16, padding_idx=0)
    weight = embedding.weight.detach().clone().requires_grad_()
    ids = torch.tensor([[7, 42, 7, 5], [42, 9_999, 0, 0]])  # 0 is padding
    target = torch.randn(2, 4, 16)

    outputs = {}
    for name, lookup in {
        "embedding": embedding,
        "one-hot": lambda ids: one_hot_lookup(ids, weight),
    }.items():
        with FlopCounterMode(display=False) as counter:
            outputs[name] = lookup(ids)
        F.mse_loss(outputs[name], target).backward()
        print(f"{name:9}  floating-point operations: {counter.get_total_flops():,}")

    print(
        "bytes of the ids:",
        ids.nbytes,
        " of the one-hot matrix:",
        f"{ids.numel() * len(weight) * 4:,}",
    )
    print("outputs equal:", torch.equal(outputs["embedding"], outputs["one-hot"]))
    print("shape of the embedding's gradient:", tuple(embedding.weight.grad.shape))
    for name, grad in {
        "embedding": embedding.weight.grad,
        "one-hot": weight.grad,
    }.items():
        rows = grad.any(dim=1).nonzero().flatten().tolist()
        print(f"{name:9}  rows with a gradient: {rows}")
    print(
        "gradients equal in every row but 0:",
        torch.allclose(embedding.weight.grad[1:], weight.grad[1:]),
    )
