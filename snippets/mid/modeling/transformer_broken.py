# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# output = "measured"
# tolerance = 0.1
# ///
import torch
from torch import nn


def accuracy(places: bool, seed: int) -> float:
    torch.manual_seed(seed)
    embed, place, head = nn.Embedding(8, 32), nn.Embedding(6, 32), nn.Linear(32, 8)
    layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
    model = nn.ModuleList([embed, place, layer, head])
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for size in [32] * 100 + [1000]:  # the last batch is the test
        tokens = torch.randint(8, (size, 6))
        x = embed(tokens) + (place.weight if places else 0)
        logits = head(layer(x))
        if size == 32:
            loss = nn.functional.cross_entropy(logits.mT, tokens.flip(1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return (logits.argmax(-1) == tokens.flip(1)).float().mean().item()


torch.set_num_threads(1)
for places in (True, False):
    name = "with positions" if places else "without positions"
    scores = "  ".join(f"{accuracy(places, seed):.2f}" for seed in range(3))
    print(f"{name:18} accuracy of three seeds  {scores}")
