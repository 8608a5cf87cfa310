import io
import sys
import types

import torch
from torch import nn

sys.modules["gone"] = gone = types.ModuleType("gone")
exec(
    """
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 3)
""",
    vars(gone),
)
net, file = gone.Net(), io.BytesIO()
torch.save(net, file)
del sys.modules["gone"]  # the code is lost


class Stub(nn.Module):
    """Stands in for the class: takes its attributes, has none of its methods."""


file.seek(0)
print(torch.serialization.get_unsafe_globals_in_checkpoint(file))
file.seek(0)
with torch.serialization.safe_globals([nn.Linear, (Stub, "gone.Net")]):
    weights = torch.load(file).state_dict()  # weights_only=True, the default
print(list(weights), torch.equal(weights["body.weight"], net.body.weight))
