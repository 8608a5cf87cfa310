import torch
from torch.nn.utils import clip_grad_norm_


def step_length(mistake: str, max_norm: float = 1.0) -> float:
    """How far one step of SGD with learning rate 1 moves two weights.

    The gradient is 3 for one weight and 4 for the other, so its norm is 5.
    """
    w, v = torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w, v], lr=1.0)
    scaler = torch.amp.GradScaler("cpu", enabled=mistake == "before unscale_()")
    if mistake == "before backward()":
        clip_grad_norm_([w, v], max_norm)
    scaler.scale((3 * w + 4 * v).sum()).backward()
    if mistake in ("none", "before unscale_()"):
        clip_grad_norm_([w, v], max_norm)
    if mistake == "each parameter alone":
        for parameter in (w, v):
            clip_grad_norm_([parameter], max_norm)
    scaler.step(optimizer)
    if mistake == "after step()":
        clip_grad_norm_([w, v], max_norm)
    return torch.cat([w, v]).norm().item()


MISTAKES = [
    "none",
    "before backward()",
    "after step()",
    "each parameter alone",
    "before unscale_()",
]

if __name__ == "__main__":
    for mistake in MISTAKES:
        print(f"{mistake:21} moves by {step_length(mistake):.6f}")
