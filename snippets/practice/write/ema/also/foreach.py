import copy

import torch


class EMA:
    def __init__(self, model, decay):
        self.decay = decay
        self.module = copy.deepcopy(model)
        self.module.eval()
        self.parameters = list(self.module.parameters())
        for one in self.parameters:
            one.requires_grad_(False)

    @torch.inference_mode(False)
    @torch.no_grad()
    def update(self, model):
        values = [one.detach() for one in model.parameters()]
        torch._foreach_mul_(self.parameters, self.decay)
        torch._foreach_add_(self.parameters, values, alpha=1 - self.decay)
        for mine, theirs in zip(self.module.modules(), model.modules()):
            for name, buffer in theirs.named_buffers(recurse=False):
                getattr(mine, name).copy_(buffer)
