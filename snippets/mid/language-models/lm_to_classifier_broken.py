import torch
from torch import nn

LONGEST, POOLS = (
    12,
    ("last column", "last real token", "mean of all", "mean of real"),
)


class Body(nn.Module):
    """A frozen causal layer without training, in the place of a language model."""

    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.embed = nn.Embedding(6, width)
        self.block = nn.TransformerEncoderLayer(
            width, 4, 2 * width, 0.0, batch_first=True, norm_first=True
        )

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Hidden states (B, T, width) for tokens (B, T); 0 is padding."""
        size = tokens.shape[1]
        causal = torch.ones(size, size).triu(1).bool()
        return self.block(self.embed(tokens), src_mask=causal)


def pool(h: torch.Tensor, keep: torch.Tensor, how: str) -> torch.Tensor:
    """One vector (B, C) per text from h (B, T, C); keep (B, T) marks tokens."""
    if how == "last column":
        return h[:, -1]
    if how == "last real token":
        last = (keep * torch.arange(keep.shape[1])).argmax(1)
        return h[torch.arange(len(h)), last]
    if how == "mean of all":
        return h.mean(1)
    return (h * keep[..., None]).sum(1) / keep.sum(1, keepdim=True)


def texts(count: int, length: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Tokens from 1 to 5, and 1 where a text has more 1s than 2s, else -1."""
    tokens = torch.randint(1, 6, (count, length))
    more = (tokens == 1).sum(1) > (tokens == 2).sum(1)
    return tokens, 2 * more.double() - 1


def features(
    body: Body, tokens: torch.Tensor, how: str, to: int = 0
) -> torch.Tensor:
    """Pooled vectors and a one, with short texts padded on the right."""
    tokens = nn.functional.pad(tokens, (0, max(0, to - tokens.shape[1])))
    pooled = pool(body(tokens), tokens > 0, how)
    return nn.functional.pad(pooled, (0, 1), value=1.0)


@torch.no_grad()
def study(how: str, train_to: int = 0) -> list[float]:
    """Accuracy of a least-squares head, alone and in padded batches."""
    torch.manual_seed(0)
    body = Body().double()
    train = [texts(150, length) for length in range(3, LONGEST + 1)]
    test = [texts(100, length) for length in range(3, LONGEST + 1)]
    x = torch.cat([features(body, tokens, how, train_to) for tokens, _ in train])
    head = torch.linalg.lstsq(x, torch.cat([y for _, y in train])).solution
    shares = []
    for to in (0, LONGEST, 2 * LONGEST):
        right = [(features(body, t, how, to) @ head).sign() == y for t, y in test]
        shares.append(torch.cat(right).double().mean().item())
    return shares


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(f"{'right':15}  alone  to 12  to 24")
    for how in POOLS:
        print(f"{how:15}", *(f"{share:6.2f}" for share in study(how)))
    print("last column after training on texts padded to 12:")
    print(f"{'':15}", *(f"{share:6.2f}" for share in study("last column", LONGEST)))
