import io
import os
import textwrap

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # the laptop

import torch

# Save with the tag that a GPU would write into the file. Loading is left as it is.
torch.serialization.register_package(0, lambda storage: "cuda:0", lambda *_: None)
file = io.BytesIO()
torch.save(torch.ones(2), file)

for map_location in ("cpu", None):
    file.seek(0)
    try:
        print(map_location, torch.load(file, map_location=map_location).device)
    except RuntimeError as error:
        print(map_location, textwrap.fill(f"RuntimeError: {error}", 76))
