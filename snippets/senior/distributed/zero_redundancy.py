import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.testing._internal.distributed.fake_pg import FakeStore


def state_bytes(model: nn.Module, x: torch.Tensor) -> int:
    """Bytes of Adam's averages that this rank keeps after one step."""
    optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.AdamW)
    model(x).sum().backward()
    optimizer.step()
    states = optimizer.optim.state.values()
    return sum(s["exp_avg"].nbytes + s["exp_avg_sq"].nbytes for s in states)


if __name__ == "__main__":
    for rank in range(2):  # one process plays both
        dist.init_process_group("fake", rank=rank, world_size=2, store=FakeStore())
        equal = nn.Sequential(*[nn.Linear(64, 64) for _ in range(4)])
        embedding = nn.Sequential(nn.Embedding(1000, 64), nn.Linear(64, 64))
        print(
            f"rank {rank}: four equal layers {state_bytes(equal, torch.ones(64))},",
            f"embedding and layer {state_bytes(embedding, torch.tensor(0))}",
        )
        dist.destroy_process_group()
