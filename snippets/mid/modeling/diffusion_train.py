# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# output = "measured"
# tolerance = 0.06
# slow = "trains three networks"
# ///
import math

import torch
from torch import nn

MODES = torch.tensor([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])


def data(count: int) -> torch.Tensor:
    """Points around the four modes, standard deviation 0.1; float32, (count, 2)."""
    return MODES[torch.randint(4, (count,))] + 0.1 * torch.randn(count, 2)


def kept_variance(steps: int) -> torch.Tensor:
    """Cosine schedule for steps 1 to T: float32, (T,), from near 1 to 1e-5."""
    t = torch.arange(steps + 1, dtype=torch.float64) / steps
    kept = ((t + 0.008) / 1.008 * math.pi / 2).cos() ** 2
    return (kept / kept[0]).clamp(min=1e-5)[1:].float()


class Denoiser(nn.Module):
    """Predicts the noise in x (N, 2) from x and the step t / T (N,)."""

    def __init__(self, width: int = 64) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            *(nn.Linear(8, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU()),
            nn.Linear(width, 2),
        )

    def forward(self, x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
        angle = t[:, None] * math.pi * torch.tensor([0.5, 1.0, 2.0])
        return self.layers(torch.cat([x, angle.sin(), angle.cos()], dim=1))


def train(kept: torch.Tensor, updates: int = 1000) -> Denoiser:
    """A denoiser after some updates of Adam; kept has the shape (T,)."""
    model = Denoiser()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.02, updates)
    for _ in range(updates):
        x, noise = data(256), torch.randn(256, 2)
        t = torch.randint(len(kept), (256,))  # another step for each point
        k = kept[t][:, None]
        guess = model(k.sqrt() * x + (1 - k).sqrt() * noise, (t + 1) / len(kept))
        optimizer.zero_grad()
        (guess - noise).square().mean().backward()
        optimizer.step()
        schedule.step()
    return model


@torch.no_grad()
def sample(model: nn.Module, kept: torch.Tensor, count: int) -> torch.Tensor:
    """Points drawn by DDPM's sampler: float32, shape (count, 2)."""
    x = torch.randn(count, 2)
    before = torch.cat([torch.ones(1), kept[:-1]])
    for t in range(len(kept) - 1, -1, -1):
        now, then = kept[t], before[t]
        alpha = now / then
        noise = model(x, torch.full((count,), (t + 1) / len(kept)))
        clean = ((x - (1 - now).sqrt() * noise) / now.sqrt()).clamp(-1.5, 1.5)
        mean = then.sqrt() * (1 - alpha) * clean + alpha.sqrt() * (1 - then) * x
        deviation = ((1 - alpha) * (1 - then) / (1 - now)).sqrt()
        x = mean / (1 - now) + deviation * torch.randn(count, 2)
    return x


def summary(x: torch.Tensor) -> tuple[float, float]:
    """Share of points within 0.5 of a mode, and the share of the rarest mode."""
    distance, mode = torch.cdist(x, MODES).min(dim=1)
    count = mode.bincount(minlength=4)
    return (distance < 0.5).float().mean().item(), (count.min() / len(x)).item()


if __name__ == "__main__":
    torch.set_num_threads(1)
    print("                near a mode   rarest mode")
    for seed in range(3):
        torch.manual_seed(seed)
        kept = kept_variance(50)
        model = train(kept)
        for name, net in (("untrained", Denoiser()), ("trained", model)):
            near, rarest = summary(sample(net, kept, 2000))
            print(f"seed {seed} {name:9} {near:9.2f} {rarest:13.2f}")
