from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn


class MixedPrecision:
    """Steps of one optimizer under autocast, and how many of them were skipped.

    Args:
        model: with float32 parameters, all on one kind of device; move it before.
        loss_fn: a scalar, from the model and a batch as the loader gives it.
        scheduler: stepped after each step that was not skipped.
        dtype: float16, with a GradScaler; or bfloat16 or float32, without.
        max_norm: limit for the norm of the unscaled gradient. Without a scaler, a
            norm that is not finite raises RuntimeError.
        scaler: arguments of the GradScaler, such as ``init_scale=1024.0``.

    Attributes: ``steps`` and ``skipped`` count; ``loss`` is the last one, detached.
    """

    def __init__(
        self,
        model: nn.Module,
        loss_fn: Callable[[nn.Module, Any], Tensor],
        optimizer: torch.optim.Optimizer,
        scheduler: Any = None,
        dtype: torch.dtype = torch.float16,
        max_norm: float | None = None,
        **scaler: Any,
    ) -> None:
        self.model, self.loss_fn, self.optimizer = model, loss_fn, optimizer
        self.scheduler, self.dtype, self.max_norm = scheduler, dtype, max_norm
        self.device = next(model.parameters()).device.type
        scaler["enabled"] = dtype == torch.float16
        self.scaler = torch.amp.GradScaler(self.device, **scaler)
        self.loss, self.steps, self.skipped = torch.zeros(()), 0, 0

    def step(self, batch: Any) -> bool:
        """Whether it stepped; in float16, False if a gradient held an inf or a NaN.

        It reads the scale twice, and on a GPU each reading waits for the device.
        Raises FloatingPointError if the scale has fallen to 0.
        """
        self.optimizer.zero_grad()
        use = self.dtype != torch.float32
        with torch.autocast(self.device, self.dtype if use else None, enabled=use):
            loss = self.loss_fn(self.model, batch)
        self.scaler.scale(loss.float()).backward()
        self.loss = loss.detach()
        if self.max_norm is not None:
            self.scaler.unscale_(self.optimizer)
            groups = self.optimizer.param_groups
            held = [parameter for group in groups for parameter in group["params"]]
            strict = not self.scaler.is_enabled()
            nn.utils.clip_grad_norm_(held, self.max_norm, error_if_nonfinite=strict)
        before = self.scaler.get_scale()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        after = self.scaler.get_scale()
        if after == 0:
            raise FloatingPointError("the scale has fallen to 0")
        stepped = after >= before
        self.steps, self.skipped = (
            self.steps + stepped,
            self.skipped + (not stepped),
        )
        if stepped and self.scheduler:
            self.scheduler.step()
        return stepped


if __name__ == "__main__":

    def new(inside: bool) -> tuple[MixedPrecision, Any]:
        torch.manual_seed(0)
        model = nn.Linear(4, 1)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, 9)
        given = scheduler if inside else None
        options = {"init_scale": 2.0**14, "growth_interval": 2}
        return MixedPrecision(model, loss, optimizer, given, **options), scheduler

    def loss(model: nn.Module, x: Tensor) -> Tensor:
        return model(x).float().sum()

    (training, inside), (other, outside) = new(inside=True), new(inside=False)
    print("                                      lr, if the scheduler steps")
    print("call  scale   stepped  weight moved   with the optimizer   each call")
    for call in range(1, 10):
        rates = [scheduler.get_last_lr()[0] for scheduler in (inside, outside)]
        scale, before = training.scaler.get_scale(), training.model.weight.clone()
        stepped = training.step(torch.ones(1, 4))
        other.step(torch.ones(1, 4))
        outside.step()
        moved = not torch.equal(training.model.weight, before)
        print(f"{call:4}  {scale:5.0f}   {stepped!s:7}  {moved!s:12}", end="   ")
        print("{:.3f}                {:.3f}".format(*rates))
    print(f"optimizer: {training.steps}, skipped: {training.skipped}, ", end="")
    print(f"schedulers: {inside.last_epoch} and {outside.last_epoch}")
