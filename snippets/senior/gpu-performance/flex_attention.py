import warnings

import torch
import torch.nn.functional as F
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

warnings.filterwarnings("ignore", message="flex_attention called without")
i = torch.arange(256)
document = (i >= 100).long() + (i >= 180).long()
slope = torch.tensor([0.5, 0.25])  # one per head


def visible(batch, head, query, key):
    window = (query >= key) & (query - key < 64)
    return window & (document[query] == document[key])


def alibi(score, batch, head, query, key):
    return score - slope[head] * (query - key)


q, k, v = torch.randn(3, 1, 2, 256, 16, generator=torch.manual_seed(0))
blocks = create_block_mask(visible, None, None, 256, 256, "cpu", BLOCK_SIZE=32)
out = flex_attention(q, k, v, score_mod=alibi, block_mask=blocks)
mask = visible(0, 0, i[:, None], i)
bias = (-slope[:, None, None] * (i[:, None] - i)).masked_fill(~mask, -torch.inf)
same = torch.allclose(out, F.scaled_dot_product_attention(q, k, v, bias), atol=1e-5)
print(f"equal to a dense mask: {same}, blocks skipped: {blocks.sparsity()}%")
