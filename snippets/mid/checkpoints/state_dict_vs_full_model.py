import io
import pickle

import torch
from torch import nn


class Net(nn.Linear): ...


whole, state = io.BytesIO(), io.BytesIO()
torch.save(Net(2, 3), whole)
torch.save(Net(2, 3).state_dict(), state)

del Net


class Network(nn.Linear): ...  # the new name of the class


for weights_only in (True, False):
    whole.seek(0)
    try:
        torch.load(whole, weights_only=weights_only)
    except (pickle.UnpicklingError, AttributeError) as error:
        text = str(error).split(". ")[0].split(" on ")[0]
        print(f"whole model, {weights_only=}: {type(error).__name__}: {text}")
state.seek(0)
print("state dict:", Network(2, 3).load_state_dict(torch.load(state)))
