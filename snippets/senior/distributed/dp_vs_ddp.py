import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # a machine without a GPU

import torch
from torch import nn

model = nn.Linear(2, 1)
parallel = nn.DataParallel(model)
x = torch.ones(4, 2)
print("GPUs that it uses:  ", parallel.device_ids)
print("same output:        ", torch.equal(parallel(x), model(x)))
print("names in state_dict:", list(parallel.state_dict()))
