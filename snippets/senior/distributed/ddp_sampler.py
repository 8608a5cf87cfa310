from torch.utils.data import DistributedSampler

for forget in (True, False):
    print("without set_epoch()" if forget else "with set_epoch()")
    for epoch in range(2):
        for rank in range(2):
            sampler = DistributedSampler(range(8), num_replicas=2, rank=rank)
            if not forget:
                sampler.set_epoch(epoch)
            print(f"  epoch {epoch}, rank {rank}: {list(sampler)}")
