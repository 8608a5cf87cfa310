import torch

small = torch.randn(64, 16, 4, generator=torch.Generator().manual_seed(0))
ways = {"small": (small, 1), "accumulated": (small, 8)}
ways["large"] = (small.view(8, 128, 4), 1)
for name, (batches, every) in ways.items():
    w = torch.zeros(4, requires_grad=True)
    optimizer = torch.optim.AdamW([w], lr=0.01)
    for i, x in enumerate(batches, start=1):
        ((x @ w - x.sum(dim=1)).square().mean() / every).backward()
        if i % every == 0:
            optimizer.step()
            optimizer.zero_grad()
    steps = int(optimizer.state[w]["step"])
    print(f"{name:11} {steps:2} steps, mean weight {w.mean():.2f}, solution 1")
