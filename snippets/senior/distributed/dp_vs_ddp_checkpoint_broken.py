import os

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # a machine without a GPU

from torch import nn
from torch.nn.modules.utils import consume_prefix_in_state_dict_if_present

saved = nn.DataParallel(nn.Linear(2, 1)).state_dict()
plain = nn.Linear(2, 1)
try:
    plain.load_state_dict(saved)
except RuntimeError as error:
    for line in str(error).replace("\t", "  ").splitlines():
        print(line.rstrip())

consume_prefix_in_state_dict_if_present(saved, "module.")
print("without the prefix:", plain.load_state_dict(saved))
