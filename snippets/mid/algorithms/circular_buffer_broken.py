import torch

rewards = torch.zeros(100)
for step in range(10):
    rewards[step % 100] = 1.0
picked = torch.randint(100, (1000,), generator=torch.Generator().manual_seed(0))
print(
    "unfilled slots: the mean of a sample is below 0.2:",
    (rewards[picked].mean() < 0.2).item(),
)

data = torch.zeros(4)
for step in range(4):
    data[step % 4] = step
snapshot = data[:4]  # in order, and a view
data[4 % 4] = 4
print("a view as snapshot:", snapshot.tolist())
