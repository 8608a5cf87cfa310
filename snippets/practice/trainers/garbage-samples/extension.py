import runpy
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

script = runpy.run_path(str(Path(__file__).with_name("fixed.py")))
TEXT, WIDTH, LAYERS = script["TEXT"], script["WIDTH"], script["LAYERS"]


class Chunked(script["GPT"]):
    """Logits (batch, time, chars) for ids (batch, time), any number per call."""

    def forward(self, ids: Tensor, caches: list[list]) -> Tensor:
        start, t = sum(kv.shape[2] for kv in caches[0]), ids.shape[1]
        x = self.token(ids) + self.position.weight[start : start + t]
        seen = torch.ones(t, start + t, dtype=torch.bool).tril(start)
        for qkv, cache in zip(self.qkv, caches):
            q, k, v = qkv(F.layer_norm(x, (WIDTH,))).chunk(3, dim=-1)
            cache.append(torch.stack([k, v]))
            k, v = torch.cat(cache, dim=2)
            x = x + F.scaled_dot_product_attention(q, k, v, attn_mask=seen)
        return self.head(F.layer_norm(x, (WIDTH,)))


@torch.no_grad()
def same_as_one_call(model: torch.nn.Module, size: int) -> bool:
    """Whether the text in calls of a size gives the logits of the text in one."""
    ids = torch.tensor([script["encode"](TEXT)])
    whole, cache = ([[] for _ in range(LAYERS)] for _ in range(2))
    parts = [model(part, cache) for part in ids.split(size, dim=1)]
    return torch.allclose(torch.cat(parts, dim=1), model(ids, whole), atol=1e-4)


if __name__ == "__main__":
    print("ids per call     is_causal=t > 1     tril(start)")
    for size in (1, 5, 26, len(TEXT)):
        torch.manual_seed(0)
        same = [same_as_one_call(kind(), size) for kind in (script["GPT"], Chunked)]
        print(f"{size:12}     {same[0]!s:15}     {same[1]}")
