import torch
from torch.utils.data import DataLoader


def epoch(loader: DataLoader) -> list[list[int]]:
    """The samples of each batch of one epoch."""
    return [batch.tolist() for batch in loader]


if __name__ == "__main__":
    torch.manual_seed(0)
    loader = DataLoader(range(12), batch_size=2, shuffle=True)
    epoch(loader)

    state = torch.get_rng_state()
    second = epoch(loader)
    torch.set_rng_state(state)
    same = epoch(loader) == second
    print(f"saved between two epochs, the next epoch is the same: {same}")

    batches = iter(loader)
    seen = [next(batches).tolist() for _ in range(3)]
    state = torch.get_rng_state()
    rest = [batch.tolist() for batch in batches]
    torch.manual_seed(1)  # as if in a new process
    torch.set_rng_state(state)
    resumed = epoch(loader)
    print(f"saved in mid-epoch:  seen so far     {seen}")
    print(f"                     still to come   {rest}")
    print(f"                     after resuming  {resumed[:3]}")
    twice = sorted(
        {i for batch in seen for i in batch}
        & {i for batch in resumed[:3] for i in batch}
    )
    print(f"in this epoch twice, and as many never: {twice}")
