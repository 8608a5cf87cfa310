import copy

from torch import nn

model = nn.Linear(1, 1)
state = model.state_dict()
best = {
    "state_dict()": state,
    "copy.copy(state)": copy.copy(state),
    "v.detach()": {k: v.detach() for k, v in state.items()},
    "v.cpu()": {k: v.cpu() for k, v in state.items()},
    "v.clone()": {k: v.clone() for k, v in state.items()},
    "copy.deepcopy(state)": copy.deepcopy(state),
}
nn.init.constant_(model.weight, 7)  # the training goes on
for how, kept in best.items():
    print(f"{how:20} follows the training: {kept['weight'].item() == 7}")
