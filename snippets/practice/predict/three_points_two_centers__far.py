import torch

points = torch.tensor([[0.0], [1.0], [9.0]])
centers = torch.tensor([[0.5], [9.0], [torch.inf]])
distances = torch.cdist(points, centers)
print(distances.argmin(dim=1).tolist())
