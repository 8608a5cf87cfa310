import torch

index, ones = torch.tensor([0, 0]), torch.ones(2)
torch.use_deterministic_algorithms(True)

buffer = torch.empty(3)
print("torch.empty(3):", buffer.tolist())
print("times zero:    ", (buffer * 0).tolist())
print("index_add_:    ", torch.zeros(3).index_add_(0, index, ones).tolist())
try:
    torch.zeros(3).put_(index, ones)
except RuntimeError as error:
    print("put_:           RuntimeError:", str(error).split(",")[0])
