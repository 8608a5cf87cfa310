import torch

capacity = 5
slots = torch.arange(capacity)
for added in (3, 8):
    states = torch.full((capacity,), -9)  # -9: not filled
    for step in range(added):
        states[step % capacity] = step
    steps = states[(slots + 1) % capacity] - states
    print(f"{added} writes, by slot:  ", steps.tolist())
    numbers = torch.arange(max(0, added - capacity), added - 1)
    steps = states[(numbers + 1) % capacity] - states[numbers % capacity]
    print(f"{added} writes, by number:", steps.tolist())
