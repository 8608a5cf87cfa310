import torch


def gradient(clip: str, calls: int, uses: int = 1) -> float:
    """Gradient of a weight, 2 for each use in each call, with a clamp to 1.

    Args:
        clip: "tensor hook", "accumulated" or "before step".
        calls: number of backward() calls.
        uses: how often one loss uses the weight.
    """

    def clamp_accumulated(parameter: torch.Tensor) -> None:
        parameter.grad.clamp_(max=1)

    w = torch.ones(1, requires_grad=True)
    if clip == "tensor hook":
        w.register_hook(lambda grad: grad.clamp(max=1))
    if clip == "accumulated":
        w.register_post_accumulate_grad_hook(clamp_accumulated)
    for _ in range(calls):
        sum(2 * w for _ in range(uses)).sum().backward()
    if clip == "before step":
        torch.nn.utils.clip_grad_value_([w], 1.0)
    return w.grad.item()


if __name__ == "__main__":
    for clip in ("tensor hook", "accumulated", "before step"):
        for calls, uses in ((1, 3), (3, 1)):
            found = gradient(clip, calls, uses)
            print(
                f"{clip:12} calls: {calls}  uses in each: {uses}  gradient {found}"
            )
