import torch

x, target, lr = torch.tensor([1.0, 2.0]), 4.0, 0.1


def gradient_of_W(update_v_at_once: bool) -> list[list[float]]:
    """Gradient of the first layer, in a backward pass by hand."""
    W = torch.tensor([[1.0, 1.0], [1.0, -1.0]])
    v = torch.tensor([2.0, 5.0])
    z = W @ x
    h = z.relu()
    dy = 2 * (v @ h - target)
    if update_v_at_once:
        v -= lr * dy * h
    dh = dy * v
    return [
        [round(n, 2) for n in row] for row in torch.outer(dh * (z > 0), x).tolist()
    ]


if __name__ == "__main__":
    print("gradients first, then updates:", gradient_of_W(False))
    print("each layer updated at once:   ", gradient_of_W(True))
