import torch

capacity, added = 5, 8
states = torch.zeros(capacity, dtype=torch.long)
for step in range(added):
    states[step % capacity] = step
slots = torch.arange(capacity)
print("by slot:  ", (states[(slots + 1) % capacity] - states).tolist())

ages = torch.arange(added - capacity, added - 1)  # all but the newest
print(
    "by number:", (states[(ages + 1) % capacity] - states[ages % capacity]).tolist()
)
