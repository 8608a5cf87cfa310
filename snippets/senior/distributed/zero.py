import torch

RANKS = 4
torch.manual_seed(0)
weight, gradients = torch.randn(1000), torch.randn(RANKS, 1000)  # one per rank


def update(piece: torch.Tensor, gradient: torch.Tensor) -> torch.Tensor:
    parameter = torch.nn.Parameter(piece.clone())
    optimizer = torch.optim.AdamW([parameter], lr=0.1)
    for _ in range(3):
        parameter.grad = gradient
        optimizer.step()
    mean, variance = list(optimizer.state[parameter].values())[1:]
    print("  bytes of state:", mean.nbytes + variance.nbytes)
    return parameter.detach()


print("DDP, every rank:")
ddp = update(weight, gradients.mean(0))  # all-reduce
print("ZeRO, rank 0 to 3:")
scattered = gradients.mean(0).chunk(RANKS)  # reduce-scatter
zero = torch.cat(list(map(update, weight.chunk(RANKS), scattered)))  # all-gather
print("same weights:", torch.equal(ddp, zero))
