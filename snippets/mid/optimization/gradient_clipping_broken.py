import torch
from torch.nn.utils import clip_grad_norm_


def step_length(when: str, max_norm: float = 1.0) -> float:
    """Length of a step of SGD with rate 1, where the gradient is (3, 4)."""
    w, v = (torch.zeros(1, requires_grad=True) for _ in range(2))
    optimizer = torch.optim.SGD([w, v], lr=1.0)
    if when == "before backward()":
        clip_grad_norm_([w, v], max_norm)
    (3 * w + 4 * v).sum().backward()
    if when == "in between":
        clip_grad_norm_([w, v], max_norm)
    if when == "each parameter alone":
        clip_grad_norm_([w], max_norm)
        clip_grad_norm_([v], max_norm)
    optimizer.step()
    if when == "after step()":
        clip_grad_norm_([w, v], max_norm)
    return torch.cat([w, v]).norm().item()


if __name__ == "__main__":
    others = ("before backward()", "after step()", "each parameter alone")
    for when in ("in between", *others):
        print(f"{when:20} {step_length(when):.3f}")
