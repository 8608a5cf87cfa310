import io
import os
from unittest import mock

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # the laptop
import torch

file, tags = io.BytesIO(), mock.Mock(side_effect=["cuda:0", "cuda:1"])
with mock.patch("torch.serialization.location_tag", tags):
    torch.save({"body": torch.ones(2), "head": torch.ones(3)}, file)

for map_location in ({"cuda:0": "cpu"}, "cpu"):
    file.seek(0)
    try:
        loaded = torch.load(file, map_location=map_location)
        print(map_location, {name: str(x.device) for name, x in loaded.items()})
    except RuntimeError as error:
        print(map_location, f"RuntimeError: {str(error)[:49]}")
