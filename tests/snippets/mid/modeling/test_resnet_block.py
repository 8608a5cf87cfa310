"""The claims of docs/mid/modeling/resnet-block.md, proven beyond the examples shown."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from warmup.testing import load_snippet

BasicBlock = load_snippet("mid/modeling/resnet_block.py").BasicBlock
whole = load_snippet("mid/modeling/resnet_block_resnet.py")
broken = load_snippet("mid/modeling/resnet_block_broken.py")
gradient = load_snippet("mid/modeling/resnet_block_gradient.py")
digits = load_snippet("mid/modeling/resnet_block_digits.py")


def numel(module: nn.Module) -> int:
    return sum(p.numel() for p in module.parameters())


def functional(block, x: torch.Tensor, stride: int) -> torch.Tensor:
    """The same formula on torch's functions, with copies of the running statistics."""

    def norm(t, bn):
        mean, var = bn.running_mean.clone(), bn.running_var.clone()
        return F.batch_norm(t, mean, var, bn.weight, bn.bias, training=bn.training)

    y = F.relu(norm(F.conv2d(x, block.conv1.weight, stride=stride, padding=1), block.bn1))
    y = norm(F.conv2d(y, block.conv2.weight, padding=1), block.bn2)
    if len(block.skip):
        x = norm(F.conv2d(x, block.skip[0].weight, stride=stride), block.skip[1])
    return F.relu(y + x)


class TestResnetBlock:
    @pytest.mark.parametrize("mode", [True, False])
    @pytest.mark.parametrize(
        ("inputs", "outputs", "stride", "size"),
        [
            (4, 4, 1, (2, 5, 7)),
            (4, 6, 1, (3, 4, 4)),
            (4, 4, 2, (2, 7, 9)),
            (3, 8, 2, (1, 15, 8)),
            (4, 8, 3, (2, 7, 8)),
            (4, 8, 2, (2, 1, 1)),
        ],
    )
    def test_agrees_with_torchs_functions_on_shared_weights(self, inputs, outputs, stride, size, mode):
        n, h, w = size
        block = BasicBlock(inputs, outputs, stride).double()
        x = torch.randn(n, inputs, h, w, dtype=torch.float64)
        with torch.no_grad():
            for layer in block.modules():
                if isinstance(layer, nn.BatchNorm2d):
                    layer.weight.normal_(), layer.bias.normal_()
                    layer.running_mean.normal_(), layer.running_var.uniform_(0.5, 2)
        block.train(mode)
        expected = functional(block, x, stride)
        y = block(x)
        assert y.shape == (n, outputs, math.ceil(h / stride), math.ceil(w / stride))
        torch.testing.assert_close(y, expected, rtol=0, atol=1e-12)

    @pytest.mark.parametrize("stride", [1, 2])
    def test_a_batch_of_one_is_the_same_in_eval_mode_and_not_in_train_mode(self, stride):
        block = BasicBlock(4, 8, stride)
        x = torch.randn(4, 4, 7, 5)
        for _ in range(3):
            block(x)
        assert not torch.allclose(block(x)[:1], block(x[:1]), atol=1e-3)
        block.eval()
        torch.testing.assert_close(block(x)[:1], block(x[:1]), rtol=0, atol=1e-5)

    def test_running_statistics_move_in_train_mode_only(self):
        block, x = BasicBlock(4, 8, 2), torch.randn(2, 4, 5, 5)
        before = block.skip[1].running_mean.clone()
        block.eval()(x)
        assert torch.equal(block.skip[1].running_mean, before)
        block.train()(x)
        plain = F.conv2d(x, block.skip[0].weight, stride=2).mean((0, 2, 3))
        torch.testing.assert_close(block.skip[1].running_mean, 0.1 * plain)

    def test_gradients_reach_all_parameters_and_the_input(self):
        block, x = BasicBlock(4, 8, 2), torch.randn(2, 4, 5, 5, requires_grad=True)
        block(x).square().sum().backward()
        assert x.grad.abs().max() > 0
        assert all(p.grad.abs().max() > 0 for p in block.parameters())

    def test_parameter_counts(self):
        with torch.device("meta"):
            assert numel(whole.resnet((2, 2, 2, 2), 1)) == 11_689_512
            assert numel(whole.resnet((3, 4, 6, 3), 1)) == 21_797_672
            assert numel(whole.resnet((3, 4, 6, 3), 4)) == 25_557_032
            assert numel(whole.resnet((2, 2, 2, 2), 1, classes=10)) == 11_689_512 - 990 * 513
        assert numel(BasicBlock(64, 64)) == 73_984
        assert numel(BasicBlock(64, 128, 2)) == numel(BasicBlock(64, 128)) == 230_144

    @pytest.mark.parametrize("expansion", [1, 4])
    @pytest.mark.parametrize("stride", [1, 2])
    def test_block_of_the_whole_network(self, expansion, stride):
        block = whole.Block(8, 4, stride, expansion).eval()
        x = torch.randn(1, 8, 7, 5)
        y = block(x)
        assert y.shape == (1, 4 * expansion, math.ceil(7 / stride), math.ceil(5 / stride))
        torch.testing.assert_close(y, F.relu(block.branch(x) + block.skip(x)))
        strides = [m.stride[0] for m in block.branch.modules() if isinstance(m, nn.Conv2d)]
        assert strides == ([stride, 1] if expansion == 1 else [1, stride, 1])

    def test_basic_block_of_the_whole_network_is_the_other_one(self):
        for stride in (1, 2):
            one, other = BasicBlock(8, 8, stride).eval(), whole.Block(8, 8, stride, 1).eval()
            weights = [p.detach() for p in one.parameters()]
            with torch.no_grad():
                for p, w in zip(other.parameters(), weights, strict=True):
                    p.copy_(w)
            x = torch.randn(2, 8, 9, 5)
            torch.testing.assert_close(one(x), other(x))

    @pytest.mark.parametrize("args", [((2, 2, 2, 2), 1), ((1, 1, 1, 1), 4)])
    def test_the_whole_network_runs_on_odd_sizes(self, args):
        with torch.no_grad():
            assert whole.resnet(*args, classes=7).eval()(torch.randn(1, 3, 65, 47)).shape == (1, 7)

    @pytest.mark.parametrize("size", [1, 2])
    def test_a_missing_projection_broadcasts_at_tiny_sizes(self, size):
        block = broken.Block(8, 8, stride=2)
        x = torch.randn(1, 8, size, size)
        assert block(x).shape == x.shape
        for larger in (3, 4, 7):
            with pytest.raises(RuntimeError, match="must match"):
                block(torch.randn(1, 8, larger, larger))
        assert broken.Block(8, 4, stride=2)(torch.randn(1, 8, 2, 2)).shape == (1, 4, 1, 1)

    def test_gradient_of_the_first_block(self):
        torch.set_num_threads(1)
        ratios = {}
        for skip in (False, True):
            first, last = gradient.first_and_last(16, skip)
            ratios[skip] = first / last
        assert ratios[False] > 10 and 0.5 < ratios[True] < 10

    @pytest.mark.parametrize("size", [(7, 8), (8, 5)])
    def test_a_skip_without_parameters_has_the_shape_of_the_branch(self, size):
        block, x = BasicBlock(4, 6, 2), torch.randn(2, 4, *size)
        skip = F.pad(x[:, :, ::2, ::2], (0, 0, 0, 0, 0, 6 - 4))
        assert skip.shape == block(x).shape
        assert torch.equal(skip[:, :4], x[:, :, ::2, ::2]) and not skip[:, 4:].any()

    def test_a_checkpoint_of_the_other_bottleneck_loads(self):
        ours, other = whole.Block(8, 4, 2, 4), whole.Block(8, 4, 2, 4)
        convolutions = [m for m in other.branch.modules() if isinstance(m, nn.Conv2d)]
        convolutions[0].stride, convolutions[1].stride = (2, 2), (1, 1)
        other.load_state_dict(ours.state_dict())
        x = torch.randn(2, 8, 9, 9)
        assert ours.eval()(x).shape == other.eval()(x).shape and not torch.allclose(ours(x), other(x), atol=1e-3)

    @pytest.mark.parametrize("size", [(8, 8), (7, 5)])
    def test_a_stride_on_the_second_convolution_has_the_same_shapes_and_a_larger_map_between(self, size):
        block, other = BasicBlock(4, 6, 2).eval(), BasicBlock(4, 6, 2).eval()
        other.conv1.stride, other.conv2.stride = (1, 1), (2, 2)
        other.load_state_dict(block.state_dict())
        x = torch.randn(2, 4, *size)
        assert block(x).shape == other(x).shape and not torch.allclose(block(x), other(x), atol=1e-3)
        assert other.conv1(x)[0, 0].shape == size
        assert block.conv1(x)[0, 0].shape == (math.ceil(size[0] / 2), math.ceil(size[1] / 2))
        other.conv2.stride = (1, 1)
        with pytest.raises(RuntimeError, match="must match"):
            other(x)

    def test_zero_in_the_last_scale_makes_the_block_a_relu(self):
        block, x = BasicBlock(4, 4), torch.randn(2, 4, 5, 5)
        nn.init.zeros_(block.bn2.weight)
        assert torch.equal(block(x), x.relu())
        block(x).sum().backward()
        assert block.conv1.weight.grad.abs().max() == 0 and block.bn2.weight.grad.abs().max() > 0

    def test_three_blocks_learn_digits(self):
        torch.set_num_threads(1)
        assert digits.accuracy(1, steps=0) < 40 < 80 < digits.accuracy(1, steps=25)

    def test_weights_of_a_bottleneck(self):
        block = whole.Block(256, 64, 1, 4)
        assert sum(m.weight.numel() for m in block.modules() if isinstance(m, nn.Conv2d)) == 69_632

    def test_strides_read_every_other_position(self):
        x = torch.randn(1, 2, 4, 4, requires_grad=True)
        F.conv2d(x, torch.ones(2, 2, 1, 1), stride=2).sum().backward()
        assert (x.grad[0, 0] != 0).float().mean() == 0.25
