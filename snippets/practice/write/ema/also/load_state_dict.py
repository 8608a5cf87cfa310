import copy


class EMA:
    def __init__(self, model, decay):
        self.decay = decay
        self.module = copy.deepcopy(model).requires_grad_(False).eval()

    def update(self, model):
        new = {
            name: self.decay * average + (1 - self.decay) * value.detach()
            for (name, average), value in zip(
                self.module.named_parameters(), model.parameters()
            )
        }
        self.module.load_state_dict(new, strict=False)
        theirs = dict(model.named_buffers())
        for name, buffer in self.module.named_buffers():
            buffer.copy_(theirs[name])
