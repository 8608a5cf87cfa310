import torch

g = torch.Generator().manual_seed(0)
x = torch.randn(128, 10, generator=g)
y = x.sum(dim=1) + torch.randn(128, generator=g)
per_sample = 2 * (x @ torch.zeros(10) - y).unsqueeze(1) * x  # at weights of zero
full = per_sample.mean(dim=0)
print("batch   with replacement   without   ratio   (N - B) / (N - 1)")
for b in (1, 8, 32, 64, 127, 128):
    drawn = torch.randint(128, (20_000, b), generator=g)
    shuffled = torch.rand(20_000, 128, generator=g).argsort(dim=1)[:, :b]
    noise = [per_sample[i].mean(dim=1) - full for i in (drawn, shuffled)]
    with_, without = (n.square().sum(dim=1).mean().item() for n in noise)
    ratio, factor = without / with_, (128 - b) / 127
    print(f"{b:5} {with_:15.1f} {without:12.1f} {ratio:9.2f} {factor:12.2f}")
