# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F

USERS, ITEMS, WIDTH, BATCH, STEPS = 64, 40, 8, 128, 500


def train(p, correction, lr=12.0):
    """Scores (USERS, ITEMS) of two towers, here one vector per user and per item.

    Args:
        p: probability of each item given the user, shape (USERS, ITEMS).
        correction: is subtracted from the logits in training, shape (ITEMS,).
    """
    user, item = (torch.randn(n, WIDTH, dtype=p.dtype) / 3 for n in (USERS, ITEMS))
    user.requires_grad_(), item.requires_grad_()
    for step in range(STEPS):
        u = torch.randint(USERS, (BATCH,))
        i = torch.multinomial(p[u], 1)[:, 0]
        logits = user[u] @ item[i].T - correction[i]
        loss = F.cross_entropy(logits, torch.arange(BATCH))
        grads = torch.autograd.grad(loss, (user, item))
        with torch.no_grad():
            for weight, grad in zip((user, item), grads, strict=True):
                weight -= lr * (1 - step / STEPS) * grad
    return (user @ item.T).detach()


def correlation(a, b):
    """Correlation of two tables (USERS, ITEMS) whose rows have mean 0."""
    return F.cosine_similarity(a.flatten(), b.flatten(), dim=0)


def centered(table):
    return table - table.mean(dim=1, keepdim=True)


if __name__ == "__main__":
    torch.manual_seed(0)
    popular = torch.arange(1, ITEMS + 1).double() ** -1  # Zipf's law
    taste = torch.randn(USERS, 3).double() @ torch.randn(3, ITEMS).double() / 2
    p = (popular.log() + taste).softmax(dim=1)
    q = p.mean(dim=0)
    print("          correlation with   share of all clicks   different items")
    print("          log p/q   log p    of a top item         on top")
    for name, correction, mark in (
        ("plain", 0 * q, "o"),
        ("- log q", q.log(), "x"),
    ):
        scores = centered(train(p, correction))
        fits = [correlation(scores, centered(x.log())) for x in (p / q, p)]
        best = scores.argmax(dim=1)
        print(
            f"{name:9} {fits[0]:.2f}      {fits[1]:.2f}     {q[best].mean():.2f}",
            end="",
        )
        print(f"{len(best.unique()):20}")
        plt.plot(q, scores.mean(dim=0), mark, label=name)
    plt.xscale("log")
    plt.xlabel("share of all clicks, q")
    plt.ylabel("mean score over users")
    plt.legend()
    plt.show()
