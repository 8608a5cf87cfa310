import torch

samples = [[1, 2], [3, 4], [5, 6]]
loader = torch.utils.data.DataLoader(
    torch.utils.data.TensorDataset(torch.tensor(samples)), batch_size=3
)
batch = next(iter(loader))
print([part.tolist() for part in batch])
