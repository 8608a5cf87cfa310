import torch
import torch.nn.functional as F


def log_sum_exp(logits: torch.Tensor) -> torch.Tensor:
    """log(sum(exp(logits))) over the last dimension, (..., C) -> (...)."""
    largest = logits.max(dim=-1, keepdim=True).values
    largest = largest.masked_fill(largest.isinf(), 0)  # inf - inf would be NaN
    return largest.squeeze(-1) + (logits - largest).exp().sum(dim=-1).log()


def softmax(logits: torch.Tensor) -> torch.Tensor:
    """Softmax over the last dimension, (..., C) -> (..., C); float32, float64."""
    return (logits - log_sum_exp(logits).unsqueeze(-1)).exp()


def backpropagate(
    x: torch.Tensor, y: torch.Tensor, w1: torch.Tensor, w2: torch.Tensor
) -> tuple[torch.Tensor, ...]:
    """Gradients of ``cross_entropy(relu(x @ w1) @ w2, y)`` for w1 and w2.

    Args:
        x: inputs, floating point, shape (N, inputs).
        y: class indices, int64, shape (N,).
        w1, w2: weights, shapes (inputs, hidden) and (hidden, classes).
    """
    before = x @ w1
    hidden = before.clamp(min=0)
    d_logits = (softmax(hidden @ w2) - F.one_hot(y, w2.shape[1])) / len(y)
    d_before = d_logits @ w2.T * (before > 0)
    # The sum over the batch of outer products: input times what comes back.
    d_w1 = (x.unsqueeze(2) * d_before.unsqueeze(1)).sum(dim=0)
    d_w2 = (hidden.unsqueeze(2) * d_logits.unsqueeze(1)).sum(dim=0)
    return d_w1, d_w2


if __name__ == "__main__":
    torch.manual_seed(0)
    x, y = torch.randn(8, 5), torch.randint(3, (8,))
    w1 = torch.randn(5, 4, requires_grad=True)
    w2 = torch.randn(4, 3, requires_grad=True)
    loss = F.cross_entropy((x @ w1).relu() @ w2, y)
    automatic = torch.autograd.grad(loss, (w1, w2))
    by_hand = backpropagate(x, y, w1, w2)
    large = torch.tensor([1000.0, 1001.0])
    products = torch.randn(4000, 256) * torch.randn(4000, 256)

    naive = large.exp()
    print(f"{'':42}by hand    PyTorch")
    for name, left, right in (
        (
            "1 chain rule: norm of the gradient of w1",
            *(g[0].norm() for g in (by_hand, automatic)),
        ),
        (
            "2 norm of the gradient of w2",
            *(g[1].norm() for g in (by_hand, automatic)),
        ),
        (
            "3 softmax of (1000, 1001): the second",
            softmax(large)[1],
            large.softmax(0)[1],
        ),
        ("4 log-sum-exp of (1000, 1001)", log_sum_exp(large), large.logsumexp(0)),
        (
            "3 as the textbook writes it",
            (naive / naive.sum())[1],
            large.softmax(0)[1],
        ),
        ("4 as the textbook writes it", naive.sum().log(), large.logsumexp(0)),
    ):
        print(f"{name:42}{left:7.2f}    {right:7.2f}")
    spread = products.sum(dim=1).std()
    print(
        f"{'5 spread of a sum of 256 products':42}{256**0.5:7.2f}    {spread:7.2f}"
    )
