import torch


def decay_left(every: int) -> float:
    """What decay leaves of a weight after 64 micro-batches with gradient zero."""
    w = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.AdamW([w], lr=0.01, weight_decay=1.0)
    for i in range(1, 65):
        (0 * w).sum().backward()
        if i % every == 0:
            optimizer.step()
            optimizer.zero_grad()
    return w.item()


def steps_in_backward(every: int) -> int:
    """Steps in 64 micro-batches if a hook steps as soon as a gradient is there."""
    w = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.Adam([w])

    def step(parameter: torch.Tensor) -> None:
        optimizer.step()
        optimizer.zero_grad()

    w.register_post_accumulate_grad_hook(step)
    for _ in range(64):
        (w.sum() / every).backward()
    return int(optimizer.state[w]["step"])


if __name__ == "__main__":
    print("decay alone leaves:", *[f"{decay_left(k):.2f}" for k in (1, 8)])
    print("steps of 8, with a step in backward:", steps_in_backward(8))
