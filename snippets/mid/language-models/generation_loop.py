import torch
from torch.nn.functional import one_hot


def generate(model, prompts, steps, end, pad):
    """Greedy next tokens (B, at most steps) for a list of prompts."""
    width = max(map(len, prompts))
    tokens = torch.tensor([[pad] * (width - len(p)) + p for p in prompts])
    keep = torch.tensor(
        [[i >= width - len(p) for i in range(width)] for p in prompts]
    )
    done = torch.zeros(len(prompts), dtype=torch.bool)
    while not done.all() and tokens.shape[1] < width + steps:
        places = (keep.cumsum(1) - 1).clamp(min=0)  # the first real token is 0
        best = model(tokens, keep, places)[:, -1].argmax(-1)
        tokens = torch.cat([tokens, torch.where(done, pad, best)[:, None]], 1)
        keep = torch.cat([keep, ~done[:, None]], 1)
        done = done | (best == end)
    return tokens[:, width:]


def model(tokens, keep, places):  # next: sum of the real tokens plus place, mod 10
    return one_hot(((tokens * keep).cumsum(1) + places) % 10, 10)


if __name__ == "__main__":
    prompts = [[7], [2, 3], [1, 2, 3]]
    print(generate(model, prompts, steps=9, end=7, pad=5))
    print(
        *(generate(model, [p], steps=9, end=7, pad=5).tolist()[0] for p in prompts)
    )
