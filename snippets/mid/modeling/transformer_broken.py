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
            loss.backward(), optimizer.step()
    return (logits.argmax(-1) == tokens.flip(1)).float().mean().item()


torch.set_num_threads(1)
for places in (True, False):
    scores = [accuracy(places, seed) for seed in range(3)]
    print(f"positions={places!s:5} three seeds", end=" ")
    print("above 0.97:", min(scores) > 0.97, " below 0.45:", max(scores) < 0.45)
