"""What docs/mid/autograd/inference-mode.md claims, proven beyond the example shown."""

import io
import threading
from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from warmup.testing import load_snippet

lazy = load_snippet("mid/autograd/inference_mode_broken.py")

SAVED = "Inference tensors cannot be saved for backward"


class TestInferenceMode:
    @pytest.mark.parametrize("use", [torch.mul, F.mse_loss, torch.dot, torch.atan2])
    def test_what_is_saved_for_backward_may_be_no_inference_tensor(self, use: Callable):
        w = torch.ones(3, requires_grad=True)
        for mode in (torch.no_grad, torch.inference_mode):
            with mode():
                t = w * 2
            use(w, t.clone()).sum().backward()
            if mode is torch.no_grad:
                use(w, t).sum().backward()
            else:
                with pytest.raises(RuntimeError, match=SAVED):
                    use(w, t)

    @pytest.mark.parametrize("use", [torch.add, torch.sub, lambda w, t: torch.cat([w, t]), lambda w, t: w.add(t)])
    def test_what_saves_nothing_runs(self, use: Callable):
        w = torch.ones(3, requires_grad=True)
        with torch.inference_mode():
            t = w * 2
        use(w, t).sum().backward()
        assert w.grad.tolist() == [1, 1, 1]

    @pytest.mark.parametrize("mode", [torch.enable_grad, torch.no_grad])
    def test_outside_an_inference_tensor_takes_no_write_and_no_flag(self, mode: type):
        with torch.inference_mode():
            t = torch.ones(3)
            t.add_(1)
        with mode():
            for write in (lambda: t.add_(1), lambda: t.copy_(torch.ones(3)), lambda: t.__setitem__(0, 1.0)):
                with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode"):
                    write()
            with pytest.raises(RuntimeError, match="Setting requires_grad=True on inference tensor"):
                t.requires_grad_()
        assert t.clone().requires_grad_().requires_grad
        with pytest.raises(RuntimeError, match="do not track version counter"):
            _ = t._version

    def test_the_memory_decides_what_an_inference_tensor_is(self):
        x = torch.ones(4, requires_grad=True)
        with torch.inference_mode():
            t = x * 2
            assert not x.view(2, 2).is_inference() and not x[1:].is_inference()
            assert t.view(2, 2).is_inference() and t.clone().is_inference()
        assert t.view(2, 2).is_inference() and t.detach().is_inference() and t.float().is_inference()
        assert not any(f(t).is_inference() for f in (torch.clone, torch.Tensor.double, lambda t: t * 1))

    def test_a_write_into_a_normal_tensor_is_counted(self):
        for write in (lambda y: y.add_(1), lambda y: y.view(2).add_(1)):
            y = torch.ones(2, requires_grad=True).exp()
            with torch.inference_mode():
                write(y)
            assert y._version == 1
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                y.sum().backward()

    def test_a_lazy_cache_keeps_the_mode_of_its_first_call(self):
        assert lazy.validate_then_train(torch.no_grad).tolist() == [1, 2, 3, 4]
        with pytest.raises(RuntimeError, match=SAVED):
            lazy.validate_then_train(torch.inference_mode)

    @pytest.mark.parametrize("made", ["constructor", "double"])
    def test_a_weight_made_in_the_block_gets_no_gradient(self, made: str):
        layer = nn.Linear(3, 1)
        with torch.inference_mode():
            layer = nn.Linear(3, 1) if made == "constructor" else layer.double()
        layer(torch.ones(2, 3, dtype=layer.weight.dtype)).sum().backward()
        assert layer.weight.requires_grad and layer.weight.is_inference() and layer.weight.grad is None
        assert layer.bias.grad is not None

    def test_features_and_targets(self):
        head = nn.Linear(3, 2)
        with torch.inference_mode():
            features, labels = torch.randn(4, 3), torch.ones(4).long()
        with pytest.raises(RuntimeError, match=SAVED):
            head(features)
        with pytest.raises(RuntimeError, match=SAVED):
            F.cross_entropy(head(torch.ones(4, 3)), labels)
        head(features.clone()).sum().backward()
        file = io.BytesIO()
        torch.save(features, file)
        file.seek(0)
        for normal in (torch.load(file), torch.from_numpy(features.numpy())):
            head(normal).sum().backward()

    def test_enable_grad_inside_does_not_record(self):
        with torch.inference_mode(), torch.enable_grad():
            x = torch.ones(2, requires_grad=True)
            assert torch.is_grad_enabled() and not (2 * x).requires_grad and not (x * x).requires_grad
        with torch.no_grad(), torch.enable_grad():
            assert (2 * torch.ones(2, requires_grad=True)).requires_grad
        with torch.inference_mode(), torch.inference_mode(False):
            assert (2 * torch.ones(2, requires_grad=True)).requires_grad

    def test_the_mode_belongs_to_a_thread_and_leaves_layers_alone(self):
        seen, norm = [], nn.BatchNorm1d(2)
        with torch.inference_mode():
            thread = threading.Thread(target=lambda: seen.append(torch.is_inference_mode_enabled()))
            thread.start()
            thread.join()
            norm(torch.randn(4, 2))
            assert (F.dropout(torch.ones(1000)) == 0).any()
        assert seen == [False] and norm.num_batches_tracked == 1

    def test_layers_that_save_their_weight_raise_in_the_forward_pass(self):
        x = torch.ones(2, 3)
        with torch.inference_mode():
            two = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
            others = nn.Conv1d(3, 1, 1), nn.LayerNorm(3)
        for layer, at in ((two, x), (others[0], x[..., None]), (others[1], x)):
            with pytest.raises(RuntimeError, match=SAVED):
                layer(at)

    def test_a_cache_that_is_made_before_the_block_stays_normal(self):
        model = lazy.Scaled()
        model.factors = torch.arange(1.0, 5.0)
        with torch.inference_mode():
            model(torch.ones(4))
        model(torch.ones(4)).sum().backward()
        assert model.weight.grad.tolist() == [1, 2, 3, 4]
