import copy

import torch
from torch import nn


class EMA:
    """An exponential moving average of a model's weights, to evaluate with.

    Attributes:
        module: the averaged copy, a model of the same class. It is in evaluation
            mode, none of its parameters requires a gradient or has a graph, and it
            shares no memory with the model. Weights that are tied stay tied.
    """

    module: nn.Module

    def __init__(self, model: nn.Module, decay: float) -> None:
        """Begin with the weights of model, which does not change.

        decay is from 0 to 1.
        """
        raise NotImplementedError

    def update(self, model: nn.Module) -> None:
        """Take in the model's weights of now.

        Each parameter becomes decay * average + (1 - decay) * model's. Each buffer,
        floating or integer and in the state_dict or not, becomes a copy of the
        model's. Both are written in place, so that references to the tensors of
        module stay valid. The model does not change: neither its values, nor its
        gradients, nor the mode of any part. Both have the same device and dtypes.
        """
        raise NotImplementedError
