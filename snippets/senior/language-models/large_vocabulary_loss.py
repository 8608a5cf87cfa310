import torch
import torch.nn.functional as F


def backward_in_chunks(hidden, weight, targets, size):
    """Mean cross-entropy of hidden @ weight.T, with its gradients; ignores -100."""
    leaf, total, n = hidden.detach().requires_grad_(), 0.0, (targets != -100).sum()
    for h, y in zip(leaf.split(size), targets.split(size), strict=True):
        loss = F.cross_entropy((h @ weight.T).float(), y, reduction="sum") / n
        loss.backward()  # now, while no other chunk has logits
        total += loss.detach()
    hidden.backward(leaf.grad)  # through the rest of the model
    return total


if __name__ == "__main__":
    torch.manual_seed(0)
    hidden, weight = (torch.randn(n, 64, requires_grad=True) for n in (512, 8000))
    targets = torch.randint(8000, (512,))
    whole = F.cross_entropy(hidden @ weight.T, targets)
    exact = torch.autograd.grad(whole, (hidden, weight))
    loss = backward_in_chunks(hidden, weight, targets, size=64)
    for a, b in zip((loss, hidden.grad, weight.grad), (whole, *exact), strict=True):
        print(list(a.shape), "same:", torch.allclose(a, b, atol=1e-6))
