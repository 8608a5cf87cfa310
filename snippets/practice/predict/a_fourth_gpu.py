from torch.utils.data import DistributedSampler

rates, speeds = [4, 4, 4], []  # samples per second of each GPU
for gpus in (3, 4):
    share = len(DistributedSampler(range(96), num_replicas=gpus, rank=0))
    step = max(share / rate for rate in rates)
    speeds.append(96 / step)
    rates.append(2)
print(speeds)
