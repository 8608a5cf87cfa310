import textwrap
import warnings

import torch

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    torch.cuda.amp.GradScaler()
    torch.cuda.amp.autocast()
for warning in caught:
    if warning.category is FutureWarning:
        print(textwrap.fill(f"FutureWarning: {warning.message}", 80))
