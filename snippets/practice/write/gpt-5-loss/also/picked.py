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
        self.blocks = nn.ModuleList(blocks)
        self.embed, self.places, self.norm = embed, places, norm

    def forward(self, tokens: Tensor, pasts: list | None = None) -> Tensor:
        if pasts is None:
            pasts, start = [None] * len(self.blocks), 0
        else:
            start = pasts[0].length
        x = self.places(self.embed(tokens), start)
        for i, block in enumerate(self.blocks):
            x = block(x, pasts[i])
        return self.embed.logits(self.norm(x))

    def loss(self, tokens: Tensor, counts: Tensor | None = None) -> Tensor:
        # The last token predicts nothing, so it need not be read.
        log_p = self(tokens[:, :-1]).log_softmax(dim=-1)
        picked = log_p.gather(-1, tokens[:, 1:, None])[..., 0]
        if counts is None:
            return -picked.mean()
        return -picked[counts[:, 1:]].mean()
