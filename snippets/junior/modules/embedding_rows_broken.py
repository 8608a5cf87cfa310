import torch
from torch import nn

ROWS = {
    "in this batch": 3,
    "in an earlier one": 2,
    "never looked up": 1,
    "padding": 0,
}


def moved(
    optimizer_class: type[torch.optim.Optimizer], **options: float
) -> list[bool]:
    """Which of ``ROWS`` change in a step that looks up row 3 only."""
    torch.manual_seed(0)
    embedding = nn.Embedding(4, 8, padding_idx=0)
    nn.init.normal_(embedding.weight)
    optimizer = optimizer_class(embedding.parameters(), lr=0.1, **options)
    for batch in ([0, 2], [0, 3]):
        before = embedding.weight.detach().clone()
        optimizer.zero_grad()
        embedding(torch.tensor(batch)).sum().backward()
        optimizer.step()
    changed = (embedding.weight != before).any(dim=1)
    return [bool(changed[row]) for row in ROWS.values()]


if __name__ == "__main__":
    print(f"{'did it move?':12}", *(f"{name:>17}" for name in ROWS))
    for optimizer_class, options in (
        (torch.optim.SGD, {}),
        (torch.optim.SGD, {"momentum": 0.9}),
        (torch.optim.Adam, {}),
        (torch.optim.AdamW, {}),
    ):
        name = optimizer_class.__name__ + (" momentum" if options else "")
        print(
            f"{name:12}",
            *(f"{answer!s:>17}" for answer in moved(optimizer_class, **options)),
        )
