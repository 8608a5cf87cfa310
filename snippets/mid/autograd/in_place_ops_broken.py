import textwrap

import torch

w = torch.ones(4, requires_grad=True)
with torch.no_grad():
    made_without = w.view(2, 2)


def first_chunk() -> torch.Tensor:
    return (w * 1).chunk(2)[0]


CASES = {
    "a leaf": lambda: w.add_(1),
    "a view of a leaf": lambda: w[:2].add_(1),
    "a view from no_grad()": lambda: made_without.add_(1),
    "one of several views": lambda: first_chunk().mul_(2),
    "an expanded tensor": lambda: (w[:1] * 1).expand(4).add_(1),
}
for name, write in CASES.items():
    try:
        write()
    except RuntimeError as error:
        first = str(error).split(". ")[0].rstrip(".")
        print(textwrap.fill(f"{name}: {first}", width=80, subsequent_indent="    "))
