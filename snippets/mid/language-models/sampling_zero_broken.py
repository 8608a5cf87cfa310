import torch

logits = torch.tensor([2.0, 0.0, -1.0])
try:
    torch.multinomial((logits / 0).softmax(dim=-1), 1)
except RuntimeError as error:
    print("RuntimeError:", error)
for T in (1.0, 0.5, 0.1):
    print(T, [f"{p:.3f}" for p in (logits / T).softmax(dim=-1).tolist()])
