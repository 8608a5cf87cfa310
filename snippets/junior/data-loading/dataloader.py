import torch
from torch.utils.data import DataLoader, Dataset


class Squares(Dataset):
    def __len__(self):
        return 7

    def __getitem__(self, index):
        print(f"read {index}", end="  ")
        return torch.tensor([index**2.0]), index


torch.manual_seed(0)
loader = DataLoader(Squares(), batch_size=3, shuffle=True)
for epoch in (1, 2):
    for inputs, labels in loader:
        print(f"epoch {epoch}: {tuple(inputs.shape)}, {labels}")
