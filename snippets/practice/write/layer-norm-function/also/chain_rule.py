import torch


class LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        mean = x.sum(-1, keepdim=True) / x.shape[-1]
        centered = x - mean
        var = (centered * centered).mean(-1, keepdim=True)
        ctx.eps = eps
        ctx.save_for_backward(centered, var, weight)
        return centered / (var + eps) ** 0.5 * weight + bias

    @staticmethod
    def backward(ctx, g):
        centered, var, weight = ctx.saved_tensors
        std = (var + ctx.eps).sqrt()
        d_normal = g * weight
        d_var = (d_normal * centered * -0.5 / std**3).sum(-1, keepdim=True)
        d_centered = d_normal / std + 2 * centered * d_var / centered.shape[-1]
        dx = d_centered - d_centered.mean(-1, keepdim=True)
        d_weight, d_bias = g * centered / std, g
        while d_bias.dim() > 1:
            d_weight, d_bias = d_weight.sum(0), d_bias.sum(0)
        return dx, d_weight, d_bias, None
