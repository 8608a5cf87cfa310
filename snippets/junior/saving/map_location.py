import io
import os
import textwrap
from unittest import mock

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # the laptop
import torch
from torch import nn

model, file = nn.Linear(3, 2), io.BytesIO()
with mock.patch("torch.serialization.location_tag", lambda storage: "cuda:0"):
    torch.save(model.state_dict(), file)  # with the tag that a GPU would write
file.seek(0)
try:
    torch.load(file)
except RuntimeError as error:
    print(textwrap.fill(f"RuntimeError: {error}", 76))

file.seek(0)
state = torch.load(file, map_location="cpu")
print(model.load_state_dict(state), model.weight.device)
