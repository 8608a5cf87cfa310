from copy import deepcopy

import torch


class EMA:
    def __init__(self, model, decay):
        self.module = deepcopy(model)
        self.module.train(False)
        for parameter in self.module.parameters():
            parameter.requires_grad = False
            parameter.grad = None
        self._keep = decay

    def update(self, model):
        mine = dict(self.module.named_parameters())
        with torch.no_grad():
            for name, parameter in model.named_parameters():
                mine[name].mul_(self._keep).add_(parameter, alpha=1 - self._keep)
            for ours, theirs in zip(self.module.buffers(), model.buffers()):
                ours[...] = theirs
