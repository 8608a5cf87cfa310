import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
factors = torch.randn(2000, 2) @ torch.randn(2, 64) / 2  # two causes of 64 pixels
images = factors + 0.5 * torch.randn(2000, 64)

for reduction in ("sum", "mean"):
    torch.manual_seed(1)
    encoder, decoder = nn.Linear(64, 2 * 2), nn.Linear(2, 64)
    optimizer = torch.optim.Adam(
        [*encoder.parameters(), *decoder.parameters()], 1e-2
    )
    for _ in range(500):
        mu, log_var = encoder(images).chunk(2, dim=1)
        z = mu + (log_var / 2).exp() * torch.randn_like(mu)
        kl = 0.5 * (mu.square() + log_var.exp() - 1 - log_var).sum(dim=1).mean()
        error = F.mse_loss(decoder(z), images, reduction=reduction)
        loss = kl + (error / 2 / len(images) if reduction == "sum" else error)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    explained = 1 - (decoder(mu) - factors).var() / factors.var()
    print(f"{reduction}: KL {kl.item():.1f} nats, explains {explained.item():.0%}")
