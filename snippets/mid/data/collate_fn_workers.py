# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "multiprocess"
# ///
import pickle
import warnings
from functools import partial

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

if __name__ == "__main__":
    # DataLoader also warns when a worker cannot be started.
    warnings.simplefilter("ignore")
    sentences = [torch.tensor([7, 8]), torch.tensor([4, 5, 6])]
    collate_fns = {
        "a lambda": lambda samples: pad_sequence(samples, batch_first=True),
        "partial(pad_sequence)": partial(pad_sequence, batch_first=True),
    }
    for start_method in ("fork", "spawn"):
        for name, collate_fn in collate_fns.items():
            loader = DataLoader(
                sentences,
                batch_size=2,
                collate_fn=collate_fn,
                num_workers=1,
                multiprocessing_context=start_method,
            )
            try:
                result = f"a batch of shape {tuple(next(iter(loader)).shape)}"
            except (pickle.PicklingError, AttributeError) as error:
                result = (
                    f"{type(error).__name__}: {str(error).split(' at 0x')[0]}..."
                )
            print(f"{start_method:5} {name:22} {result}")
