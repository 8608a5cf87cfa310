import torch
from torch._dynamo.testing import CompileCounter


class Model(torch.nn.Module):
    step = 0.0

    def forward(self, x):
        self.step = self.step + 1
        return x * self.step


counter = CompileCounter()
model = torch.compile(Model(), backend=counter)
for _ in range(20):
    model(torch.ones(2))
print(counter.frame_count, "graphs")
