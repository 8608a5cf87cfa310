import torch


def step_after_resume(forgotten: str, steps_before: int = 2000) -> list[float]:
    """Steps 1, 12 and 100 after a resume, in units of the learning rate.

    Args:
        forgotten: "nothing", "step" (the counter restarts at 0), or "all".
    """
    w = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.Adam([w], lr=0.001)
    moves = []
    for t in range(1, steps_before + 101):
        if t == steps_before + 1:
            if forgotten == "step":
                optimizer.state[w]["step"].zero_()
            elif forgotten == "all":
                optimizer.state.clear()
        before = w.item()
        w.grad = torch.ones(1)
        optimizer.step()
        if t - steps_before in (1, 12, 100):
            moves.append((before - w.item()) / 0.001)
    return moves


if __name__ == "__main__":
    print("steps after the resume     1     12    100")
    for forgotten in ("nothing", "all", "step"):
        moves = step_after_resume(forgotten)
        print(f"forgotten: {forgotten:10}", *[f"{move:6.2f}" for move in moves])
