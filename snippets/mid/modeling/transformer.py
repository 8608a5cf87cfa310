import torch
from torch import nn

torch.manual_seed(0)
embed, place, head = nn.Embedding(8, 32), nn.Embedding(6, 32), nn.Linear(32, 8)
layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
model = nn.ModuleList([embed, place, layer, head])
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(200):
    tokens = torch.randint(8, (32, 6))  # (B, T)
    x = embed(tokens) + place.weight  # (B, T, D) + (T, D)
    logits = head(layer(x))  # (B, T, V)
    loss = nn.functional.cross_entropy(logits.mT, tokens.flip(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
with torch.no_grad():
    tokens = torch.randint(8, (1000, 6))
    right = head(layer(embed(tokens) + place.weight)).argmax(-1) == tokens.flip(1)
print(f"new tokens in the right place: {right.float().mean():.0%}")
