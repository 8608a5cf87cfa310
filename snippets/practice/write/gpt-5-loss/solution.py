import torch.nn.functional as F
from torch import Tensor, nn


class GPT(nn.Module):
    def __init__(
        self,
        embed: nn.Module,
        places: nn.Module,
        blocks: list[nn.Module],
        norm: nn.Module,
    ) -> None:
        super().__init__()
        self.embed, self.places = embed, places
        self.blocks = nn.ModuleList(blocks)
        self.norm = norm

    def forward(self, tokens: Tensor, pasts: list | None = None) -> Tensor:
        start = pasts[0].length if pasts else 0
        x = self.places(self.embed(tokens), start)
        for block, past in zip(self.blocks, pasts or [None] * len(self.blocks)):
            x = block(x, past)
        return self.embed.logits(self.norm(x))

    def loss(self, tokens: Tensor, counts: Tensor | None = None) -> Tensor:
        logits, targets = self(tokens)[:, :-1], tokens[:, 1:]
        if counts is not None:
            targets = targets.masked_fill(~counts[:, 1:], -100)
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())
