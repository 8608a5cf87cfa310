import torch
from torch.utils.data import DataLoader, Dataset


class Squares(Dataset):
    """Item i: i squared, float32 of shape (1,), and i. It says what it reads."""

    def __len__(self) -> int:
        return 7

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        print(f"read {index}", end="  ")
        return torch.tensor([index**2.0]), index


if __name__ == "__main__":
    torch.manual_seed(0)
    loader = DataLoader(Squares(), batch_size=3, shuffle=True)
    for epoch in (1, 2):
        for inputs, labels in loader:
            print(f"epoch {epoch}: {tuple(inputs.shape)}, {labels}")
