import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, rank: int, alpha: float) -> None:
        if rank <= 0:
            raise ValueError("rank must be positive")
        super().__init__()
        out_features, in_features = base.weight.shape
        for parameter in base.parameters():
            parameter.requires_grad = False
        self.base, self.rank, self.alpha = base, rank, alpha
        options = {"dtype": base.weight.dtype, "device": base.weight.device}
        self.lora_a = nn.Parameter(torch.randn(rank, in_features, **options))
        self.lora_b = nn.Parameter(torch.zeros(out_features, rank, **options))
        with torch.no_grad():
            self.lora_a.mul_(1 / math.sqrt(in_features))
        self.register_buffer("sign", torch.zeros((), dtype=torch.bool))

    def forward(self, x: Tensor) -> Tensor:
        out = F.linear(x, self.base.weight, self.base.bias)
        if not bool(self.sign):
            low = F.linear(x, self.lora_a)
            out = out + self.alpha * F.linear(low, self.lora_b) / self.rank
        return out

    def _write(self, merged: bool) -> None:
        if bool(self.sign) == merged:
            return
        delta = torch.mm(self.lora_b.data, self.lora_a.data)
        factor = self.alpha / self.rank
        self.base.weight.data.add_(delta, alpha=factor if merged else -factor)
        self.sign.fill_(merged)

    def merge(self) -> None:
        self._write(True)

    def unmerge(self) -> None:
        self._write(False)
