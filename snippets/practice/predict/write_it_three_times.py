import torch

key = torch.tensor([1.0, 1.0])
state = torch.zeros(2)
readings = []
for _ in range(3):
    error = 1.0 - key @ state  # the value to store is 1
    state = state + key * error
    readings.append((key @ state).item())
print(readings)
