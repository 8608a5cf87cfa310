import itertools

import torch
from torch import nn


class EncoderLayer(nn.Module):
    """One transformer encoder layer: self-attention, then a feed-forward network.

    Args:
        d_model: width D of a token.
        heads: number of heads H, at least 1; must divide D, else ValueError.
        d_ff: hidden width of the feed-forward network.
        dropout: on attention weights, hidden units and both branches.
        norm_first: True for pre-norm, False for post-norm.
    """

    def __init__(
        self,
        d_model: int,
        heads: int,
        d_ff: int,
        dropout: float = 0.1,
        norm_first: bool = True,
    ) -> None:
        super().__init__()
        if heads < 1 or d_model % heads:
            raise ValueError(f"{heads} heads do not divide a width of {d_model}")
        self.heads, self.norm_first = heads, norm_first
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.out = nn.Linear(d_model, d_model)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def attend(self, x: torch.Tensor, padding: torch.Tensor | None) -> torch.Tensor:
        B, T, D = x.shape
        heads = self.qkv(x).view(B, T, 3, self.heads, D // self.heads)
        q, k, v = heads.permute(2, 0, 3, 1, 4)  # each (B, H, T, D / H)
        scores = q @ k.mT / q.shape[-1] ** 0.5  # (B, H, T, T)
        if padding is not None:
            scores = scores.masked_fill(padding[:, None, None, :], -torch.inf)
        mixed = self.dropout(scores.softmax(dim=-1)) @ v  # (B, H, T, D / H)
        return self.dropout(self.out(mixed.transpose(1, 2).reshape(B, T, D)))

    def feed(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.dropout(self.linear1(x).relu())  # (B, T, d_ff)
        return self.dropout(self.linear2(hidden))

    def forward(
        self, x: torch.Tensor, padding: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Encodes floats (B, T, D) into floats of the same shape and dtype.

        Args:
            padding: bool (B, T), True where a position is to be ignored. A
                sequence that is padding altogether comes out as NaN.
        """
        if self.norm_first:
            x = x + self.attend(self.norm1(x), padding)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, padding))
        return self.norm2(x + self.feed(x))


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(2, 5, 12)
    padding = torch.tensor([[False] * 5, [False, False, False, True, True]])
    for norm_first, train in itertools.product((False, True), (False, True)):
        theirs = nn.TransformerEncoderLayer(
            12, 3, 48, dropout=0.0, batch_first=True, norm_first=norm_first
        ).train(train)
        ours = EncoderLayer(12, 3, 48, 0.0, norm_first).train(train)
        weights = theirs.state_dict()
        for name in list(weights):
            new = name.replace("self_attn.in_proj_", "qkv.")
            weights[new.replace("self_attn.out_proj", "out")] = weights.pop(name)
        ours.load_state_dict(weights)
        difference = ours(x, padding) - theirs(x, src_key_padding_mask=padding)
        print("pre-norm, " if norm_first else "post-norm,", end=" ")
        print("train:" if train else "eval: ", difference.abs().max().item() < 1e-5)
