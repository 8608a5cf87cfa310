import torch

torch.manual_seed(0)
points = torch.randn(500, 64)
other = torch.randn(500, 64)

pairs = points[:, None] - other[None]  # (500, 500, 64)
squared = pairs.square().sum(-1)
print(f"points    {points.nbytes:>11,} bytes")
print(f"pairs     {pairs.nbytes:>11,} bytes")
print(f"result    {squared.nbytes:>11,} bytes")

norms = points.square().sum(1)[:, None] + other.square().sum(1)
by_product = norms - 2 * points @ other.T
print("largest tensor of |p|^2 + |q|^2 - 2 pq:", f"{norms.nbytes:,} bytes")
print("same result:", torch.allclose(squared, by_product, atol=1e-3))
