import torch
from torch.utils.data import DataLoader


def draws(loader: DataLoader) -> int | None:
    """How many numbers a pass over the loader draws from the global generator."""
    torch.manual_seed(0)
    list(loader)
    after = torch.get_rng_state()
    torch.manual_seed(0)
    for count in range(10):
        if torch.equal(torch.get_rng_state(), after):
            return count
        torch.empty((), dtype=torch.int64).random_()
    return None


if __name__ == "__main__":
    print("no shuffling:             ", draws(DataLoader(range(4))))
    print("shuffle=True:             ", draws(DataLoader(range(4), shuffle=True)))
    own = DataLoader(range(4), shuffle=True, generator=torch.Generator())
    print("its own generator:        ", draws(own))
