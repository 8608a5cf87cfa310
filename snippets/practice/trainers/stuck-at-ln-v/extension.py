import runpy
from pathlib import Path

import torch
import torch.nn.functional as F

script = runpy.run_path(str(Path(__file__).with_name("fixed.py")))
FROZEN = 50  # steps, before the body trains at a tenth of the head's rate


def fine_tune(way: str, seed: int = 0) -> dict:
    """300 steps; ``way`` keeps the body as it is in the first 50 of them."""
    model = script["load_pretrained"]()
    torch.manual_seed(seed)
    centers = torch.randn(script["CLASSES"], 16)
    test = script["draw"](1000, centers)
    script["replace_head"](model, script["CLASSES"])
    body, head = list(model.body.parameters()), list(model.head.parameters())
    if way != "rate 0":
        model.body.requires_grad_(False)
    groups = [{"params": head, "lr": 3e-3}, {"params": body, "lr": 3e-4}]
    if way == "frozen, not in optimizer":
        groups[1]["params"] = [p for p in body if p.requires_grad]  # none
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    before, seen = [p.detach().clone() for p in body], {}
    for step in range(1, script["STEPS"] + 1):
        model.body.requires_grad_(way == "rate 0" or step > FROZEN)
        optimizer.param_groups[1]["lr"] = (
            0.0 if way == "rate 0" and step <= FROZEN else 3e-4
        )
        x, y = script["draw"](script["BATCH"], centers)
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
        if step == FROZEN:
            same = all(map(torch.equal, before, body))
            seen["body after step 50"] = "as it was" if same else "moved"
        if step == FROZEN + 1:
            update = (body[0].detach() - before[0]).abs().mean().item()
            seen["update of step 51"] = f"{update / 3e-4:.1f} of its rate"
    for name, one in (("body", body[0]), ("head", head[0])):
        count = int(optimizer.state.get(one, {}).get("step", 0))
        seen[f"Adam's count, {name}"] = count
    seen["test accuracy"] = round(script["evaluate"](model, *test)[1], 2)
    return seen


if __name__ == "__main__":
    for way in ("frozen", "rate 0", "frozen, not in optimizer"):
        print(way)
        for name, value in fine_tune(way).items():
            print(f"  {name:20} {value}")
