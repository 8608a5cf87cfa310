import torch
from torch import nn


class BatchNorm(nn.Module):
    """Batch normalization of float32 (N, C), (N, C, L) or (N, C, H, W).

    One mean and variance per channel. State dicts fit those of ``nn.BatchNorm2d``.

    Raises:
        ValueError: in train mode, with one value per channel or none.
    """

    def __init__(
        self, channels: int, momentum: float = 0.1, eps: float = 1e-5
    ) -> None:
        super().__init__()
        self.momentum, self.eps = momentum, eps
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))
        self.register_buffer("running_mean", torch.zeros(channels))
        self.register_buffer("running_var", torch.ones(channels))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        channel_shape = (1, -1) + (1,) * (x.dim() - 2)
        if self.training:
            if x.numel() <= x.size(1):
                raise ValueError("training needs more than one value per channel")
            dims = [dim for dim in range(x.dim()) if dim != 1]
            mean = x.mean(dims)
            var = x.var(dims, correction=0)
            with torch.no_grad():
                self.running_mean.lerp_(mean, self.momentum)
                self.running_var.lerp_(x.var(dims, correction=1), self.momentum)
                self.num_batches_tracked += 1
        else:
            mean, var = self.running_mean, self.running_var
        mean, var = mean.view(channel_shape), var.view(channel_shape)
        weight = self.weight.view(channel_shape)
        bias = self.bias.view(channel_shape)
        return (x - mean) / (var + self.eps).sqrt() * weight + bias


if __name__ == "__main__":
    torch.manual_seed(0)
    by_hand, built_in = BatchNorm(3), nn.BatchNorm2d(3)
    x = torch.randn(2, 3, 2, 2) * 5 + 7
    output = built_in(x)
    channel, normalized = x[:, 0].flatten(), output[:, 0].flatten()
    divided_by = (channel - channel.mean())[0] ** 2 / normalized[0] ** 2
    towards = 1 + (built_in.running_var[0] - 1) / 0.1
    print(f"variance, divided by n                {channel.var(correction=0):.3f}")
    print(f"variance, divided by n - 1            {channel.var(correction=1):.3f}")
    print(f"the output was divided by the root of {divided_by:.3f}")
    print(f"running_var moved from 1 towards      {towards:.3f}")

    same = torch.allclose(by_hand(x), output, atol=1e-5)
    print("same output in train mode:", same)
    for name, buffer in by_hand.named_buffers():
        print(f"same {name}:", torch.allclose(buffer, built_in.get_buffer(name)))
    same = torch.allclose(by_hand.eval()(x), built_in.eval()(x), atol=1e-5)
    print("same output in eval mode:", same)
