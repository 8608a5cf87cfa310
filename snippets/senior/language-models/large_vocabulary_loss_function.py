import torch
import torch.nn.functional as F


class ChunkedLoss(torch.autograd.Function):
    """Mean cross-entropy of hidden (N, D) @ weight (V, D).T, in chunks of N."""

    @staticmethod
    def forward(ctx, hidden, weight, targets, size):
        w, total = weight.detach().requires_grad_(), 0.0
        d_hidden = torch.empty_like(hidden)
        d_weight = torch.zeros_like(weight, dtype=torch.float32)
        for start in range(0, len(hidden), size):
            rows = slice(start, start + size)
            h = hidden[rows].detach().requires_grad_()
            with torch.enable_grad():
                loss = F.cross_entropy(  # no name keeps the logits
                    F.linear(h, w).float(), targets[rows], reduction="sum"
                )
            d_hidden[rows], d_w = torch.autograd.grad(loss, (h, w))
            d_weight += d_w
            del d_w
            total += loss.detach()
        ctx.save_for_backward(d_hidden, d_weight.to(weight.dtype))
        ctx.count = (targets != -100).sum()
        return total / ctx.count

    @staticmethod
    def backward(ctx, grad):
        d_hidden, d_weight = ctx.saved_tensors
        scale = grad / ctx.count
        return scale * d_hidden, scale * d_weight, None, None


if __name__ == "__main__":
    torch.manual_seed(0)
    hidden = torch.randn(512, 64, requires_grad=True)
    weight = torch.randn(8000, 64, requires_grad=True)
    targets = torch.randint(8000, (512,))
    whole = F.cross_entropy(hidden @ weight.T, targets)
    chunked = ChunkedLoss.apply(hidden, weight, targets, 64)
    found = []
    for loss in (whole, chunked):
        loss = 8 * loss + hidden.square().mean()  # a loss scale and a second loss
        found.append(torch.autograd.grad(loss, (hidden, weight)))
    same = [torch.allclose(a, b, atol=1e-6) for a, b in zip(*found, strict=True)]
    print("same loss:", torch.allclose(whole, chunked), "same gradients:", *same)
