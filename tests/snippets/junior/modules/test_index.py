"""What docs/junior/modules/index.md claims, proven beyond the example shown."""

import pytest
import torch
from torch import nn


class TestTheTopicsTable:
    @pytest.mark.parametrize(
        ("layer", "parameters", "buffers", "mode"),
        [
            (nn.Linear(3, 3), ["weight", "bias"], [], False),
            (nn.Conv2d(3, 3, 1), ["weight", "bias"], [], False),
            (nn.Embedding(4, 2), ["weight"], [], False),
            (nn.Dropout(), [], [], True),
            (nn.BatchNorm1d(3), ["weight", "bias"], ["running_mean", "running_var", "num_batches_tracked"], True),
            (nn.ReLU(), [], [], False),
        ],
    )
    def test_what_each_layer_remembers(self, layer, parameters, buffers, mode):
        assert [name for name, _ in layer.named_parameters()] == parameters
        assert [name for name, _ in layer.named_buffers()] == buffers
        assert list(layer.state_dict()) == parameters + buffers
        images = isinstance(layer, nn.Conv2d)
        x = torch.arange(4) if parameters == ["weight"] else torch.randn(8, 3, 1, 1) if images else torch.randn(8, 3)
        assert torch.equal(layer.train()(x), layer.eval()(x)) is not mode
