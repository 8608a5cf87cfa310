import torch

torch.manual_seed(0)
for d in (4, 64, 1024):
    q, k = torch.randn(1000, 1, d), torch.randn(1000, 16, d)
    raw = (q @ k.mT).squeeze(1)
    for name, scores in (("raw", raw), ("scaled", raw / d**0.5)):
        largest = scores.softmax(dim=1).amax(dim=1).mean()
        print(f"head width {d:4}, {name:6} scores: deviation", end=" ")
        print(f"{scores.std():4.1f}, largest of 16 weights {largest:.2f}")
