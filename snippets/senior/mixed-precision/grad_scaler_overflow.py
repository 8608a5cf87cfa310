import torch
from torch import nn


def train_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    x: torch.Tensor,
) -> bool:
    """One float16 autocast step on ``x``, float32, shape (batch, features), on the loss ``model(x).sum()``.

    Returns:
        Whether the optimizer stepped; False if the gradients held an inf or a NaN.
    """
    optimizer.zero_grad()
    with torch.autocast(x.device.type, dtype=torch.float16):
        output = model(x)
    scaler.scale(output.float().sum()).backward()
    scaler.step(optimizer)
    scale = scaler.get_scale()
    scaler.update()
    return scaler.get_scale() >= scale


if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    scheduler = torch.optim.lr_scheduler.LinearLR(
        optimizer, start_factor=1.0, end_factor=0.1, total_iters=9
    )
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**14, growth_interval=2)
    x = torch.ones(1, 4)

    print("call  scale   stepped  weight moved  lr")
    for call in range(1, 10):
        scale, lr = scaler.get_scale(), scheduler.get_last_lr()[0]
        before = model.weight.detach().clone()
        stepped = train_step(model, optimizer, scaler, x)
        moved = not torch.equal(model.weight, before)
        scheduler.step()
        print(f"{call:4}  {scale:5.0f}   {stepped!s:7}  {moved!s:12}  {lr:.3f}")
    print(
        f"optimizer: {optimizer.state[model.weight]['step']:.0f} steps, scheduler: {scheduler.last_epoch}"
    )
