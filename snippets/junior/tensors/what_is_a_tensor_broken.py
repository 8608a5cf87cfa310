# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "numpy"]
# ///
import numpy as np
import torch

for dtype in (np.float64, np.float32):
    buffer, samples = np.empty(2, dtype=dtype), []
    for number in (1, 2, 3):
        buffer.fill(number)  # the reader uses its buffer again
        samples.append(torch.from_numpy(buffer).float())
    print(dtype.__name__, torch.stack(samples).tolist())
