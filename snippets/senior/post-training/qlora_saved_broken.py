import torch
from torch.autograd.graph import saved_tensors_hooks


def dequantize(packed, scale):
    """Two 4-bit codes a byte and a scale per row to a bfloat16 matrix."""
    codes = torch.stack([packed & 15, packed >> 4], dim=2).flatten(1)
    return (codes.to(scale) - 8).mul(scale).bfloat16()


class Linear4bit(torch.autograd.Function):
    """x @ W.T for a frozen W, which is dequantized once more for backward."""

    @staticmethod
    def forward(ctx, x, packed, scale):
        ctx.save_for_backward(packed, scale)
        return x @ dequantize(packed, scale).T

    @staticmethod
    def backward(ctx, gradient):
        return gradient @ dequantize(*ctx.saved_tensors), None, None


def plain(x, packed, scale):
    return x @ dequantize(packed, scale).T


def run(layer, weights, x):
    """Gradient of x, and the bytes kept for backward that are no weights."""
    owned, kept = {t.data_ptr() for pair in weights for t in pair}, {}

    def pack(t):
        if t.data_ptr() not in owned:
            kept[t.data_ptr()] = t.untyped_storage().nbytes()
        return t

    h = x
    with saved_tensors_hooks(pack, lambda t: t):
        for packed, scale in weights:
            h = layer(h, packed, scale)
        h.sum().backward()
    return x.grad, sum(kept.values())


if __name__ == "__main__":
    torch.manual_seed(0)
    weights = [
        (
            torch.randint(256, (512, 256), dtype=torch.uint8),
            torch.full((512, 1), 0.01),
        )
        for _ in range(8)
    ]
    owned = sum(t.nbytes for pair in weights for t in pair)
    print(f"8 layers in 4 bits   {owned / 2**20:.2f} MiB")
    gradients = []
    for name, layer in ("plain product", plain), ("own backward", Linear4bit.apply):
        x = torch.ones(4, 512, dtype=torch.bfloat16, requires_grad=True)
        gradient, kept = run(layer, weights, x)
        gradients.append(gradient)
        print(f"{name:13} keeps  {kept / 2**20:.2f} MiB")
    print("same gradient:", torch.equal(*gradients))
