import torch
from torch import Tensor, nn


class Positions(nn.Embedding):
    def __init__(self, max_length: int, dim: int) -> None:
        super().__init__(max_length, dim)
        nn.init.normal_(self.weight, 0.0, 0.02)

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        T = x.shape[1]
        if start + T > self.num_embeddings:
            raise ValueError("the text is longer than the positions")
        places = start + torch.arange(T, device=x.device)
        return x + super().forward(places)[None]
