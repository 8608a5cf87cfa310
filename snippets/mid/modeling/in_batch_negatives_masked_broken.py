import torch


def learned(p, q, batch_size, mask, steps=400):
    """Softmax of one user's scores after training with the log q correction.

    Args:
        p: probability of each item as this user's positive.
        q: probability of each item as a negative, drawn independently.
        mask: leave copies of the positive out of its softmax.
    """
    batch = torch.cartesian_prod(*[torch.arange(len(p))] * batch_size)
    chance = p[batch[:, 0]] * q[batch[:, 1:]].prod(dim=1)
    copies = batch == batch[:, :1]
    copies[:, 0] = False
    scores = torch.zeros_like(p, requires_grad=True)
    for _ in range(steps):
        logits = (scores - q.log())[batch]
        if mask:
            logits = logits.masked_fill(copies, -torch.inf)
        loss = -(chance * logits.log_softmax(dim=1)[:, 0]).sum()
        (grad,) = torch.autograd.grad(loss, scores)
        with torch.no_grad():
            scores -= 5 * grad
    return scores.detach().softmax(dim=0)


if __name__ == "__main__":
    p, q = torch.tensor([[0.6, 0.3, 0.1], [0.6, 0.2, 0.2]], dtype=torch.float64)
    print("batch   copies stay          copies masked")
    for size in (2, 4, 6):
        rows = [learned(p, q, size, mask).tolist() for mask in (False, True)]
        print(
            size,
            *("  ".join(f"{x:.2f}" for x in row) for row in rows),
            sep="       ",
        )
