import torch.nn.functional as F
from torch import Tensor, nn


class TokenEmbedding(nn.Embedding):
    def __init__(self, vocabulary: int, dim: int) -> None:
        super().__init__(vocabulary, dim)

    def reset_parameters(self) -> None:
        self.weight.data.normal_(0, 0.02)

    def logits(self, hidden: Tensor) -> Tensor:
        return F.linear(hidden, self.weight)
