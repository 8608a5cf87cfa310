import torch
from torch import nn


class GPT(nn.Module):
    """Two blocks whose mask is an argument: logits (B, T, 17) of ids (B, T)."""

    def __init__(self, std: float, zero: bool = False) -> None:
        super().__init__()
        torch.manual_seed(0)
        layer = nn.TransformerEncoderLayer(
            32, 4, 128, 0.0, norm_first=True, batch_first=True
        )
        norm = nn.LayerNorm(32)
        self.token, self.head = nn.Embedding(17, 32), nn.Linear(32, 17)
        self.blocks = nn.TransformerEncoder(layer, 2, norm, False)
        for weight in self.parameters():
            if weight.dim() == 2:
                nn.init.normal_(weight, std=std)
        for layer in self.blocks.layers if zero else ():
            nn.init.zeros_(layer.self_attn.out_proj.weight)

    def forward(self, ids, mask):
        return self.head(self.blocks(self.token(ids), mask=mask))


@torch.no_grad()
def moves(model: GPT) -> tuple[float, float]:
    """How far logits move by a leak, and by scores without 1/sqrt(d)."""
    ids = torch.arange(16)[None]
    future = torch.ones(16, 16, dtype=torch.bool).triu(1)
    other = torch.cat([ids[:, :-1], ids[:, :1]], dim=1)  # another last token
    leak = (model(ids, None) - model(other, None))[:, :-1].abs().max()
    right = model(ids, future)
    for layer in model.blocks.layers:
        layer.self_attn.in_proj_weight[:32] *= 8**0.5  # heads of 8 channels
    return leak.item(), (model(ids, future) - right).abs().max().item()


if __name__ == "__main__":
    print("weights of the fresh model    no mask  no 1/sqrt(d)")
    for name, std, zero in (
        ("normal, std 1", 1.0, False),
        ("normal, std 0.02", 0.02, False),
        ("attention output at zero", 0.02, True),
    ):
        leak, scale = moves(GPT(std, zero))
        print(f"{name:28}  {leak:<7.2g}  {scale:.2g}")
