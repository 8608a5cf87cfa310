import torch
from torch import nn


def terms(
    batch: int, mixed: bool = False, dtype: torch.dtype = torch.float32
) -> list:
    """KB of parameters, gradients, Adam's states, saved tensors of one step."""
    blocks = [[nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 64)] for _ in range(4)]
    model = nn.Sequential(*sum(blocks, [])).to(dtype)
    weights, kept = list(model.parameters()), {}
    optimizer = torch.optim.Adam(weights)
    hooks = (lambda t: kept.setdefault(t.data_ptr(), t)), (lambda t: t)
    count = torch.autograd.graph.saved_tensors_hooks(*hooks)
    with count, torch.autocast("cpu", torch.bfloat16, enabled=mixed):
        loss = model(torch.randn(batch, 64, dtype=dtype)).square().mean()
    loss.backward()
    optimizer.step()
    saved = [kept[each] for each in kept.keys() - {w.data_ptr() for w in weights}]
    states = [v for state in optimizer.state.values() for v in state.values()]
    parts = weights, [w.grad for w in weights], states, saved
    return [sum(t.nbytes for t in part) / 1000 for part in parts]


if __name__ == "__main__":
    print(f"{'KB':28}  parameters  gradients  states  saved tensors")
    for batch in (256, 16):
        for name, case in (
            ("float32", {}),
            ("autocast", {"mixed": True}),
            ("model in bfloat16", {"dtype": torch.bfloat16}),
        ):
            a, b, c, d = terms(batch, **case)
            print(
                f"batch {batch:3}, {name:17}{a:12,.0f}{b:11,.0f}{c:8,.0f}{d:15,.0f}"
            )
