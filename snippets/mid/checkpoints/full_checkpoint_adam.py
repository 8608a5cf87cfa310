import copy

import torch

torch.manual_seed(0)
gradients = 0.01 + torch.randn(101, 1000, dtype=torch.float64)
for name, make in (
    ("AdamW", lambda p: torch.optim.AdamW(p, lr=0.01, weight_decay=0)),
    ("SGD, momentum 0.9", lambda p: torch.optim.SGD(p, lr=0.01, momentum=0.9)),
):
    weight = torch.nn.Parameter(torch.zeros(1000, dtype=torch.float64))
    optimizer = make([weight])
    for weight.grad in gradients[:100]:
        optimizer.step()
    for lost in (False, True):
        other = torch.nn.Parameter(weight.detach().clone())
        resumed = make([other])
        if not lost:
            resumed.load_state_dict(copy.deepcopy(optimizer.state_dict()))
        other.grad = gradients[100]
        resumed.step()
        moved = (other - weight).abs().median().item() / 0.01
        state = "lost" if lost else "kept"
        print(f"{name:18} state {state}: a weight moves by {moved:.2f} lr")
