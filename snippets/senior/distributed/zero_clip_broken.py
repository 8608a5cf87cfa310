import torch

gradient = torch.tensor([3.0, 4.0])  # its norm is 5
shards = gradient.chunk(2)  # one entry on each of two ranks


def clip(piece: torch.Tensor, norm: torch.Tensor) -> torch.Tensor:
    return piece * (1.0 / norm).clamp(max=1.0)  # to a norm of 1.0


wrong = [clip(shard, shard.norm()) for shard in shards]
squares = torch.stack([shard.square().sum() for shard in shards])
right = [clip(shard, squares.sum().sqrt()) for shard in shards]  # after all-reduce
print("norm of each shard:", torch.cat(wrong))
print("norm of them all:  ", torch.cat(right))
