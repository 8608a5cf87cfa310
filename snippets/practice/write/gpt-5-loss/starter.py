import torch.nn.functional as F
from torch import Tensor, nn


class GPT(nn.Module):
    """A language model of given parts.

    Its modules are embed, places, blocks (an nn.ModuleList) and norm, used as

        embed(tokens)           (B, T) int64 to (B, T, dim)
        places(x, start)        adds positions, the first of which is start
        block(x, past)          for each block, in order; past None if there is none
        norm(x)                 behind the last block
        embed.logits(x)         (B, T, dim) to (B, T, V)
    """

    def __init__(
        self,
        embed: nn.Module,
        places: nn.Module,
        blocks: list[nn.Module],
        norm: nn.Module,
    ) -> None:
        raise NotImplementedError

    def forward(self, tokens: Tensor, pasts: list | None = None) -> Tensor:
        """tokens: (B, T) int64. Returns the logits, (B, T, V).

        pasts: for each block the cache of the tokens before. Its length says how
        many they are, which is where the positions start; a block adds to it.
        """
        raise NotImplementedError

    def loss(self, tokens: Tensor, counts: Tensor | None = None) -> Tensor:
        """The mean cross-entropy with which tokens predict the next ones, 0-dim.

        tokens: (B, T) int64, T >= 2. counts: (B, T) bool, which tokens are
        predicted; all but the first if it is left out. At least one that has a
        token before it counts.
        """
        raise NotImplementedError
