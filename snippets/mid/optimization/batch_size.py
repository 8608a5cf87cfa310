import torch

torch.manual_seed(0)
x = torch.randn(20_000, 10)
y = x.sum(dim=1) + torch.randn(20_000)
w = torch.zeros(10)
per_sample = 2 * (x @ w - y).unsqueeze(1) * x  # gradients of the squared errors
full = per_sample.mean(dim=0)
print("batch   variance of the gradient   times batch")
for batch in (1, 4, 16, 64, 256):
    drawn = torch.randint(20_000, (400_000 // batch, batch))
    noise = per_sample[drawn].mean(dim=1) - full
    variance = noise.square().sum(dim=1).mean().item()
    print(f"{batch:5} {variance:26.1f} {variance * batch:13.0f}")
