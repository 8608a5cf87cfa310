import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence


def masked_mean(vectors: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Mean over the real tokens.

    Args:
        vectors: (B, T, D), float32 or float64, because a float16 sum can overflow;
            what is at a padded place does not matter.
        mask: (B, T), bool, True where there is a token; each row has at least one.

    Returns:
        (B, D).
    """
    kept = vectors.masked_fill(~mask.unsqueeze(-1), 0)
    return kept.sum(dim=1) / mask.sum(dim=1, keepdim=True)


if __name__ == "__main__":
    torch.manual_seed(0)
    embedding = nn.Embedding(10, 3, padding_idx=0)
    sentence = torch.tensor([4, 7])
    for neighbor_length in (2, 4, 20):
        tokens = pad_sequence(
            [sentence, torch.ones(neighbor_length, dtype=torch.int64)],
            batch_first=True,
        )
        vectors = embedding(tokens)
        means = vectors.mean(dim=1)[0], masked_mean(vectors, tokens != 0)[0]
        plain, masked = (", ".join(f"{v:+.3f}" for v in mean) for mean in means)
        print(f"with {neighbor_length:2} tokens: mean [{plain}]")
        print(f"{'':6}and the mask: mean [{masked}]")
