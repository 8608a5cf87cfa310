import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

torch.manual_seed(0)
sentences = [torch.randint(1, 50, (length,)) for length in (2, 6, 3, 40)]
lengths = torch.tensor([len(sentence) for sentence in sentences])
embedding, project = nn.Embedding(50, 16), nn.Linear(16, 48)


def attend(tokens: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
    """Attention of one head: tokens (B, T), a bool mask (B or 1, T, T)."""
    query, key, value = project(embedding(tokens)).chunk(3, dim=-1)
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask)


padded = pad_sequence(sentences, batch_first=True)
is_token = torch.arange(padded.shape[1]) < lengths.unsqueeze(1)
expected = attend(padded, is_token.unsqueeze(1))[is_token]
row = torch.cat(sentences).unsqueeze(0)
sentence = torch.arange(4).repeat_interleave(lengths)
same_sentence = sentence.unsqueeze(1) == sentence
print(f"padded places {padded.numel()}, packed {row.numel()}")
for name, mask in (("no mask", None), ("same sentence", same_sentence[None])):
    equal = torch.allclose(attend(row, mask)[0], expected, atol=1e-5)
    print(f"packed, {name:14} as if padded: {equal}")

jagged = torch.nested.nested_tensor(sentences, layout=torch.jagged)
vectors = project(embedding(jagged))
pooled = project(embedding(sentences[0])).mean(dim=0)
print(f"jagged: {vectors.values().shape[0]} rows computed")
print(
    "jagged, mean of a sentence as alone:",
    torch.allclose(vectors.mean(dim=1)[0], pooled, atol=1e-5),
)
