import torch
from torch.utils.data import DataLoader

for name, options in (
    ("training step (Dropout)", None),
    ("validation, shuffle=False", {"shuffle": False}),
    (
        "validation, own generator",
        {"shuffle": False, "generator": torch.Generator()},
    ),
):
    torch.manual_seed(0)
    before = torch.get_rng_state()
    if options is None:
        torch.nn.Dropout()(torch.ones(4))
    else:
        list(DataLoader(range(4), **options))
    print(
        f"{name:26} leaves the global generator as it was: {torch.equal(torch.get_rng_state(), before)}"
    )
