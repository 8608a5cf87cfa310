import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))  # in training mode
x = torch.ones(1, 4)
traced = torch.jit.trace(model, x, check_trace=False)
model.eval()
traced.eval()
print("the model repeats itself:", model(x).equal(model(x)))
print(
    "the trace repeats itself:", all(traced(x).equal(traced(x)) for _ in range(9))
)
print("its flag says training:", traced.training)

exported = torch.export.export(model.train(), (x,)).module()
try:
    exported.eval()
except NotImplementedError as error:
    print("exported:", error)
