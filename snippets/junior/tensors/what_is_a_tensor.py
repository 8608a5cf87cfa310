# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "numpy"]
# ///
import numpy as np
import torch

array = np.array([1.0, 2.0, 3.0])
tensor = torch.from_numpy(array)
array[0] = 5.0
print("tensor  ", tensor.tolist())

tensor.requires_grad_()
(tensor**2).sum().backward()
print("gradient", tensor.grad.tolist())

moved = tensor.to("meta")  # stands in for a GPU: every machine has a meta device
print("devices ", array.device, tensor.device, moved.device)
