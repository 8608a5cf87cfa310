import torch
import torch.distributed as dist

dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
expert = torch.tensor([[2.0]], requires_grad=True)
gate = torch.tensor([[0.5]], requires_grad=True)
results = torch.tensor([[3.0]]) @ expert
back = torch.empty(1, 1)
dist.all_to_all_single(back, results)  # one rank: the rows come back to it
loss = (gate * back).sum()
loss.backward()
print("loss, should be 3:           ", loss.item())
print("gradient of the gate:        ", gate.grad)
print("gradient of the expert (1.5):", expert.grad)
dist.destroy_process_group()
