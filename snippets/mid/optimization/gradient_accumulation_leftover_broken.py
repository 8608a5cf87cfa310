import torch


def gradients_of_steps(fix: str, batches: int = 20, window: int = 8) -> list[float]:
    """What ``.grad`` is at each step of two epochs. Every batch has gradient 1."""
    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    found = []
    for _ in range(2):
        if fix == "clear per epoch":
            optimizer.zero_grad()
        for i in range(batches):
            size = window
            if fix == "step, divide by rest" and i >= batches - batches % window:
                size = batches % window
            (w.sum() / size).backward()
            last = fix.startswith("step") and i + 1 == batches
            if (i + 1) % window == 0 or last:
                found.append(w.grad.item())
                optimizer.step()
                optimizer.zero_grad()
    return found


if __name__ == "__main__":
    for fix in ("none", "clear per epoch", "step", "step, divide by rest"):
        print(f"{fix:20} {gradients_of_steps(fix)}")
