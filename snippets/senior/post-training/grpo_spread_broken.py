import torch

correct, tokens = torch.ones(4).double(), torch.tensor([300, 310, 340, 370])
for name, rewards in (
    ("one is wrong", torch.tensor([1, 1, 1, 0]).double()),
    ("one is 0.01 worse", torch.tensor([1, 1, 1, 0.99]).double()),
    ("all right, 0.001 a token", correct - 0.001 * tokens),
):
    centered = rewards - rewards.mean()
    divided = centered / (rewards.std() + 1e-4)
    for label, advantage in ("minus mean", centered), ("divided by std", divided):
        print(f"{name:24}  {label:14}", *(f"{a:+.2f}" for a in advantage))
