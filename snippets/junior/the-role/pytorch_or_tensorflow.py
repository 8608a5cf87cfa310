import io

import torch


class Model(torch.nn.Linear):
    def forward(self, x):
        return super().forward(x).relu()


model, x = Model(3, 2).eval(), torch.ones(5, 3)
pickled, program, expected = io.BytesIO(), io.BytesIO(), model(x)
torch.save(model, pickled)
torch.export.save(torch.export.export(model, (x,)), program)
del Model  # as in a process that does not have the class

pickled.seek(0), program.seek(0)
output = torch.export.load(program).module()(x)
print("exported program: same output", torch.equal(output, expected))
try:
    torch.load(pickled, weights_only=False)
except AttributeError as error:
    print("pickled model:   ", type(error).__name__)
