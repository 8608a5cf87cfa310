import torch

x = torch.randn(24, 4, generator=torch.manual_seed(0))
start = {"weight": x[0], "momentum": 0, "random": torch.get_rng_state(), "step": 0}


def train(stop, weight, momentum, random, step):
    torch.set_rng_state(random)
    for now in range(step, stop):
        epoch = torch.Generator().manual_seed(now // 6)
        row = x[torch.randperm(24, generator=epoch)[now % 6]]
        momentum = 0.9 * momentum + weight * torch.nn.functional.dropout(row)
        weight = weight - 0.1 * momentum
    return dict(zip(start, (weight, momentum, torch.get_rng_state(), stop)))


whole, half = train(15, **start), train(9, **start)
for lost in ("nothing", *start):
    state = {part: (start if part == lost else half)[part] for part in start}
    print(lost, torch.equal(train(15, **state)["weight"], whole["weight"]))
