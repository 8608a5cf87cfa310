# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "numpy"]
# ///
import numpy as np
import torch

conversions = {
    "torch.from_numpy(array)": torch.from_numpy,
    "torch.from_numpy(array).float()": lambda a: torch.from_numpy(a).float(),
    "torch.as_tensor(array)": torch.as_tensor,
    "torch.as_tensor(array, dtype=torch.float32)": lambda a: torch.as_tensor(
        a, dtype=torch.float32
    ),
    "torch.tensor(array)": torch.tensor,
    "torch.tensor(array, dtype=torch.float32)": lambda a: torch.tensor(
        a, dtype=torch.float32
    ),
}

print(f"{'':45} float32 array    float64 array")
for name, convert in conversions.items():
    row = []
    for dtype in (np.float32, np.float64):
        array = np.zeros(1, dtype=dtype)
        tensor = convert(array)
        array[0] = 1
        kind = "shares" if tensor.item() else "copies"
        row.append(f"{kind} {str(tensor.dtype).removeprefix('torch.')}")
    print(f"{name:45} {row[0]:16} {row[1]}")
