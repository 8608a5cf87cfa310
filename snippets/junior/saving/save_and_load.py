import io

import torch
from torch import nn

config = {"embed_dim": 8, "num_heads": 2}
model, x = nn.MultiheadAttention(**config).eval(), torch.randn(5, 8)
file = io.BytesIO()  # a path works as well
torch.save({"config": config, "model": model.state_dict()}, file)

file.seek(0)
checkpoint = torch.load(file, map_location="cpu", weights_only=True)
for built_from in (checkpoint["config"], {"embed_dim": 8, "num_heads": 4}):
    loaded = nn.MultiheadAttention(**built_from)
    print(built_from, loaded.load_state_dict(checkpoint["model"]))
    same = torch.equal(loaded.eval()(x, x, x)[0], model(x, x, x)[0])
    print("  same outputs:", same)
