import weakref

import torch


def most_alive(parts: int, sum_first: bool) -> tuple[int, torch.Tensor]:
    """Activations alive at most over some micro-batches, and the gradient."""
    weight, x = torch.ones(4, 1, requires_grad=True), torch.arange(32.0).view(8, 4)
    alive, most, total = weakref.WeakSet(), 0, 0.0
    for part in x.chunk(parts):
        activation = (part @ weight).exp2()
        alive.add(activation.untyped_storage())
        loss = activation.log2().mean() / parts
        del activation
        most = max(most, len(alive))
        if sum_first:
            total += loss
        else:
            loss.backward()
    if sum_first:
        total.backward()
    return most, weight.grad


if __name__ == "__main__":
    for parts in (1, 4, 8):
        first, a = most_alive(parts, sum_first=True)
        each, b = most_alive(parts, sum_first=False)
        print(
            f"{parts} micro-batches: {first} alive if summed, {each} if not", end=""
        )
        print(f", gradients equal: {torch.allclose(a, b)}")
