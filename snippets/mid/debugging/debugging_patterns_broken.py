import warnings

import torch

CASES = {
    "log(w - 1)": lambda w: (w - 1).log(),
    "sqrt(w - 1)": lambda w: (w - 1).sqrt(),
    "1 / w": lambda w: 1 / w,
    "0 * sqrt(w)": lambda w: 0 * w.sqrt(),
}
warnings.filterwarnings("ignore", message="Anomaly Detection|Error detected")
print("w = 0          loss   gradient   anomaly mode")
for name, function in CASES.items():
    w = torch.zeros(1, requires_grad=True)
    loss = function(w).sum()
    loss.backward()
    row = f"{name:12}{loss.item():>7}{w.grad.item():>11}"
    try:
        with torch.autograd.set_detect_anomaly(True):
            function(w).sum().backward()
        print(row, "  silent")
    except RuntimeError as error:
        print(row, f"  {type(error).__name__}: {str(error).split(' returned')[0]}")
