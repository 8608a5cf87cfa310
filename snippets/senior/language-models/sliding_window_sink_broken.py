import torch

CONTEXT, WIDTH = 32, 8
FIRST, ORDINARY, FIND = 0, 1, 2


def contexts(count: int):
    """Kinds (count, 32) and values (count, 32, 8) of tokens, and targets.

    One context of four has a token to find, whose value is the target. The
    target of the others is zero: the head has nothing to say.
    """
    kinds = torch.full((count, CONTEXT), ORDINARY)
    kinds[:, 0] = FIRST
    kinds[::4, -2] = FIND
    values = torch.randn(count, CONTEXT, WIDTH) + 1
    return kinds, values, values[:, -2] * (kinds[:, -2:-1] == FIND)


def head(scores, first, kinds, values):
    """Softmax attention with a score per kind: output (count, 8), weights."""
    weights = scores[kinds].softmax(-1)
    values = torch.where(kinds[..., None] == FIRST, first, values)
    return (weights[..., None] * values).sum(1), weights


def train(steps: int = 300, rate: float = 10.0):
    """The scores of the three kinds, and the value of the first token."""
    learned = [torch.zeros(3), torch.zeros(WIDTH)]
    for _ in range(steps):
        learned = [z.detach().requires_grad_() for z in learned]
        kinds, values, targets = contexts(64)
        out, _ = head(*learned, kinds, values)
        loss = (out - targets).square().mean()
        grads = torch.autograd.grad(loss, learned)
        learned = [z - rate * g for z, g in zip(learned, grads)]
    return [z.detach() for z in learned]


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float64)
    learned = train()
    kinds, values, targets = contexts(1000)
    nothing = kinds[:, -2] != FIND
    print("keys in the cache          weight of the first  error  if found")
    for name, keep in (
        ("all 32", list(range(32))),
        ("the last 16", list(range(16, 32))),
        ("the first and the last 15", [0, *range(17, 32)]),
    ):
        out, weights = head(*learned, kinds[:, keep], values[:, keep])
        first = weights[nothing, 0].mean() * (keep[0] == 0)
        error = (out - targets).norm(dim=1)
        errors = error[nothing].mean(), error[~nothing].mean()
        print(f"{name:25}  {first:19.2f}  {errors[0]:5.2f}  {errors[1]:8.2f}")
