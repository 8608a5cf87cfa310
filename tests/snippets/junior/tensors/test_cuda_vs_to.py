"""What docs/junior/tensors/cuda-vs-to.md claims, proven beyond the example shown."""

import warnings

import pytest
import torch
from torch import nn

from warmup.testing import load_snippet

cuda_vs_to = load_snippet("junior/tensors/cuda_vs_to_broken.py")


def cuda_error(call):
    """The exception that ``call`` raises, or None where there is a GPU."""
    try:
        call()
    except (AssertionError, RuntimeError) as error:
        return error
    return None


class TestCudaVsTo:
    def test_to_cuda_fails_exactly_as_cuda_does_for_tensors_and_modules(self):
        x, model = torch.ones(2), nn.Linear(2, 2)
        errors = [cuda_error(call) for call in (x.cuda, lambda: x.to("cuda"), model.cuda, lambda: model.to("cuda"))]
        assert len({(type(error), str(error)) for error in errors}) == 1
        assert (errors[0] is None) == torch.cuda.is_available()

    def test_the_exception_depends_on_the_build(self):
        error = cuda_error(torch.ones(1).cuda)
        if not torch.backends.cuda.is_built():
            assert type(error) is AssertionError and "not compiled with CUDA" in str(error)
        elif not torch.cuda.is_available():
            assert type(error) is RuntimeError

    def test_to_device_runs_anywhere(self):
        device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
        assert torch.ones(2).to(device).device.type == device.type
        assert nn.Linear(2, 2).to(device).weight.device.type == device.type

    def test_without_the_check_the_build_is_what_counts(self):
        built = torch.accelerator.current_accelerator()
        if not torch.accelerator.is_available():
            assert torch.accelerator.current_accelerator(check_available=True) is None
        if torch.backends.cuda.is_built():
            assert built.type == "cuda"

    def test_there_is_no_method_for_the_gpu_of_a_mac(self):
        assert not hasattr(torch.Tensor, "mps") and not hasattr(nn.Module, "mps")
        assert hasattr(torch.Tensor, "cuda") and torch.device("mps").type == "mps"

    @pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
    def test_without_a_gpu_a_cuda_call_raises_only_where_it_runs(self):
        def guarded(x):
            return x.cuda() if torch.cuda.is_available() else x

        assert guarded(torch.ones(1)).device.type == "cpu"
        with pytest.raises((RuntimeError, AssertionError)):
            torch.ones(1).cuda()

    @pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
    @pytest.mark.parametrize("build", [nn.CrossEntropyLoss, nn.ReLU, nn.Sequential])
    def test_without_a_gpu_a_module_without_tensors_does_not_raise(self, build):
        module = build()
        assert module.cuda() is module and module.to("cuda") is module
        for holds_one in (nn.CrossEntropyLoss(weight=torch.ones(2)), nn.BatchNorm1d(2, affine=False)):
            assert cuda_error(holds_one.cuda) is not None

    def test_cuda_takes_no_other_device_and_no_dtype(self):
        for wrong in ("cpu", "meta"):
            with pytest.raises((RuntimeError, AssertionError)):
                torch.ones(1).cuda(wrong)
        with pytest.raises(TypeError):
            torch.ones(1).cuda(dtype=torch.float16)

    @pytest.mark.parametrize("dtype", [torch.float16, torch.float64, torch.int32, torch.bool])
    def test_to_takes_a_device_a_dtype_both_in_this_order_or_a_tensor(self, dtype):
        x = torch.ones(3)
        assert (x.to("meta").device.type, x.to("meta").dtype) == ("meta", torch.float32)
        assert (x.to(dtype).device.type, x.to(dtype).dtype) == ("cpu", dtype)
        both = x.to("meta", dtype), x.to(dtype=dtype, device="meta"), x.to(torch.ones((), dtype=dtype, device="meta"))
        assert all((result.device.type, result.dtype) == ("meta", dtype) for result in both)
        with pytest.raises(TypeError, match="invalid combination of arguments"):
            x.to(dtype, "meta")

    @pytest.mark.parametrize("device", ["cpu", "meta"])
    def test_nothing_to_do_returns_the_same_object_unless_a_copy_is_asked_for(self, device):
        x = torch.ones(2, device=device)
        for same in (x.to(device), x.to(x.dtype), x.to(device, x.dtype), x.to(x), x.float()):
            assert same is x
        assert x.to(device, copy=True) is not x and x.to(torch.float64) is not x

    @pytest.mark.parametrize("values", [[4.0, 8.0], [1.0, 2.0, 9.0]])
    def test_an_in_place_function_overwrites_its_caller_only_without_a_move(self, values):
        x = torch.tensor(values)
        assert cuda_vs_to.standardize(x, "meta", copy=False).is_meta and x.tolist() == values
        copied = cuda_vs_to.standardize(x, "cpu", copy=True)
        assert x.tolist() == values
        overwritten = cuda_vs_to.standardize(x, "cpu", copy=False)
        assert overwritten is x and torch.equal(x, copied)
        torch.testing.assert_close(torch.stack([x.mean(), x.std()]), torch.tensor([0.0, 1.0]))

    def test_a_module_moves_integers_and_keeps_their_dtype(self):
        layer = nn.BatchNorm1d(2).to("meta", torch.bfloat16)
        assert layer.num_batches_tracked.is_meta and layer.num_batches_tracked.dtype == torch.int64
        assert layer.weight.dtype == layer.running_mean.dtype == torch.bfloat16
        for dtype in (torch.int64, torch.bool):
            with pytest.raises(TypeError, match="floating point or complex"):
                layer.to(dtype)
        layer.register_buffer("phase", torch.ones(2, dtype=torch.complex128))
        layer.register_buffer("mask", torch.ones(2, dtype=torch.bool))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # complex modules are experimental
            layer.to(torch.complex64)
        assert layer.phase.dtype == layer.weight.dtype == torch.complex64 and layer.mask.dtype == torch.bool

    def test_a_tensor_without_a_device_is_created_on_the_default_device(self):
        assert torch.zeros(3).device.type == "cpu"
        with torch.device("meta"):
            assert torch.zeros(3).is_meta and torch.zeros(3, device="cpu").device.type == "cpu"
            assert torch.zeros(3, device="cpu").to(torch.float64).device.type == "cpu"

    def test_a_counter_in_float16_stops_counting_and_a_tensor_truncates(self):
        counter = torch.zeros((), dtype=torch.float16)
        for _ in range(3000):
            counter += 1
        assert counter.item() == 2048
        assert torch.tensor([1.9, -1.9]).to(torch.int64).tolist() == [1, -1]

    def test_meta_finds_a_tensor_made_on_the_cpu_inside_forward(self):
        class Noisy(nn.Module):
            def forward(self, x):
                return x + torch.randn(x.shape)

        assert Noisy()(torch.ones(2)).shape == (2,)
        with pytest.raises(RuntimeError, match="device"):
            Noisy()(torch.ones(2, device="meta"))
        assert (torch.ones(1, 2, device="meta") @ torch.ones(2, 2)).is_meta  # no proof: a product does not compare
        assert (torch.ones(2, device="meta") + torch.tensor(2.0)).is_meta  # nor does a 0-dim tensor raise
