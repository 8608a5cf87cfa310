import io
import pickle

import torch
from torch import nn


class RunsCode:
    def __reduce__(self):  # what pickle calls when the file is read
        return print, ("  code from the file is running",)


def load(what, weights_only):
    """Save and load ``what``: the type that came back, or the error."""
    file = io.BytesIO()
    torch.save(what, file)
    file.seek(0)
    try:
        return type(torch.load(file, weights_only=weights_only)).__name__
    except pickle.UnpicklingError as error:
        return "UnpicklingError: " + str(error).split(". ")[0]


if __name__ == "__main__":
    for what in (nn.Linear(4, 2).state_dict(), nn.Linear(4, 2), RunsCode()):
        for flag in (True, False):
            print(f"{type(what).__name__}, weights_only={flag}: {load(what, flag)}")
