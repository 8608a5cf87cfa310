import torch


class LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(x, weight, bias, eps):
        mean = x.mean(-1, keepdim=True)
        var = ((x - mean) ** 2).mean(-1, keepdim=True)
        return (x - mean) * torch.rsqrt(var + eps) * weight + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, weight, _, ctx.eps = inputs
        ctx.save_for_backward(x, weight)

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        centered = x - x.mean(-1, keepdim=True)
        rstd = torch.rsqrt(centered.pow(2).mean(-1, keepdim=True) + ctx.eps)
        xhat = centered * rstd
        d = grad * weight
        dx = d - d.mean(-1, keepdim=True) - xhat * (d * xhat).mean(-1, keepdim=True)
        rows = tuple(range(grad.dim() - 1))
        if rows:
            return dx * rstd, (grad * xhat).sum(rows), grad.sum(rows), None
        return dx * rstd, grad * xhat, grad, None
