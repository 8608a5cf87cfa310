import warnings

import torch

warnings.simplefilter("ignore")
for function in (torch.log, torch.sqrt):
    try:
        with torch.autograd.set_detect_anomaly(True):
            function(torch.tensor([-1.0], requires_grad=True)).backward()
        print("no error")
    except RuntimeError:
        print("RuntimeError")
