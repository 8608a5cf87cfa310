import gc
import weakref

import torch
from torch import nn

gc.disable()  # from here on, only reference counting frees anything
accelerator = torch.accelerator.current_accelerator(check_available=True)
device = accelerator or torch.device("cpu")
first, second = nn.Linear(64, 256, device=device), nn.Linear(256, 1, device=device)

hidden = first(torch.ones(128, 64, device=device)).relu()
activation = weakref.ref(hidden.untyped_storage())
history = [second(hidden).mean()]
del hidden
print("loss in the list             activation alive:", activation() is not None)
torch.cuda.empty_cache()
print("empty_cache()                activation alive:", activation() is not None)
gc.collect()
print("gc.collect()                 activation alive:", activation() is not None)
history[0] = history[0].detach()
print("detach() what is stored      activation alive:", activation() is not None)


class Recorder:
    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor
        self.callback = self.record  # a bound method refers to its object: a cycle

    def record(self) -> None: ...


recorder = Recorder(torch.ones(128, 256, device=device))
recorded = weakref.ref(recorder.tensor.untyped_storage())
del recorder
print("cycle, last name deleted     tensor alive:", recorded() is not None)
gc.collect()
print("cycle, gc.collect()          tensor alive:", recorded() is not None)
