import torch
from torch.nn import Linear, Sequential, Tanh

torch.manual_seed(3)
x = 2 * torch.rand(520, 1) - 1
y = torch.sin(3 * x) + torch.randn(520, 1) / 2  # noise of variance 0.25
model = Sequential(Linear(1, 64), Tanh(), Linear(64, 64), Tanh(), Linear(64, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
for step in range(301):
    squares = (model(x) - y).square()
    training, held_out = squares[:20].mean(), squares[20:].mean()
    if step in (0, 10, 70, 200, 300):
        print(f"step {step:3}: training {training:.2f}, held-out {held_out:.2f}")
    optimizer.zero_grad()
    training.backward()
    optimizer.step()
