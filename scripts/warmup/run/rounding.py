"""Another vendor's rounding: what processors may round differently is off by one rounding, as far as we can tell.

IEEE 754 fixes + - * / and sqrt to the last bit, but neither in which order a sum is taken, nor what exp returns.
`install` puts a kernel of ours in front of each kernel of ATen for the CPU whose result depends on such a choice. Ours
calls that one and then moves elements of the result by one unit in the last place: up, down or not at all. Which of
the three is a function of the element's own digits and the seed, so what is computed twice the same way stays equal to
the bit, and so does what differs by a sign or a power of two.

What stays as it is: elementwise + - * / and sqrt, comparisons, copies, views, sums of two terms, scatters (which a CPU
adds one after another), random draws, other devices, code that a compiler generated, NumPy, processes that a
program spawns anew; numbers of 16 bits, which are rounded once from sums in 32: one unit of those vanishes in that,
but near a tie; of any result, what the operation did not change, and what is exact or looks like it: integers,
and what needs only half of the digits.

Why kernels and no TorchDispatchMode: a kernel works in each thread, below autograd, torch.func, fake tensors and
modes of the program itself, none of which sees it. What it does to memory it does through NumPy, so that no operation
is recorded, no version counted and no storage allocated.
"""

from __future__ import annotations

import ctypes
import re
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch

_BLOCK = 1 << 14  # elements that are moved at once: they and what is made of them stay in the cache
_NAMES = re.compile(
    r"""_?(
      sum | nansum | mean | prod | trace | std | var | (std|var)_mean | cumsum | cumprod | _?logcumsumexp | logsumexp
    | norm | native_norm | linalg_.+ | _linalg_.+ | renorm | dist | cdist_(forward|backward) | pdist_(forward|backward)
    | mm | bmm | mv | dot | vdot | addmm | addmv | addr | addbmm | baddbmm | addmm_activation | grouped_mm | trilinear
    | scaled_mm(_v2)? | cholesky | cholesky_(inverse|solve|solve_helper) | geqrf | ormqr | triangular_solve | lerp
    | addcmul | addcdiv | fft_.+ | slow_conv.+ | convolution | convolution_backward | mkldnn_(convolution|linear)
    | mkldnn_rnn_layer(_backward)? | nnpack_spatial_convolution | conv_depthwise3d | conv_tbc
    | native_(layer|group|batch)_norm(_.+)? | batch_norm_.+ | weight_norm_interface(_backward)?
    | fused_(adam|adamw|sgd|adagrad) | scaled_dot_product_flash_attention_for_cpu(_backward)?
    | native_multi_head_attention | transformer_encoder_layer_fwd | transform_bias_rescale_qkv
    | thnn_fused_(lstm|gru)_cell(_backward|_backward_impl)? | embedding_bag(_forward_only)?
    | (log_|masked_|safe_)?softmax | (log_)?softmax_backward_data | masked_softmax_backward | nll_loss(2d)?_forward
    | mse_loss | smooth_l1_loss | huber_loss | soft_margin_loss(_backward)? | multi_margin_loss
    | multilabel_margin_loss_forward | binary_cross_entropy(_backward|_with_logits)? | ctc_loss(_backward)?
    | (gelu|silu|mish|elu|softplus|sigmoid|tanh|glu|logit|log_sigmoid)(_backward)? | log_sigmoid_forward | celu
    | a?(sin|cos|tan)h? | atan2 | exp | exp2 | expm1 | log | log2 | log10 | log1p | logaddexp2? | xlogy | pow | rsqrt
    | erf | erfc | erfinv | lgamma | mvlgamma | digamma | polygamma | i0 | igammac? | hypot | sinc | polar |
      special_(entr|erfcx|log_ndtr|ndtri|i0e|i1|i1e|xlog1py|zeta)
    | (adaptive_)?avg_pool[123]d(_backward)? | upsample_(linear|bilinear|bicubic|trilinear|lanczos).+
    | grid_sampler_[23]d(_backward)?
    )_?""",
    re.VERBOSE,
)
# Convolutions have no kernel of the CPU's own: they choose one by shape, and their backward calls it directly.
_COMPOSITE = re.compile(r"_?convolution(_backward)?")
# An optimizer's fused step declares that it writes these, but it does so only for a gradient scaler.
_READ = {"grads", "grad_scale", "found_inf"}
_SIZES = {  # bytes of one number; of a complex one, of each of its two
    torch.float32: 4,
    torch.complex64: 4,
    torch.float64: 8,
    torch.complex128: 8,
}
_UNSIGNED: dict[int, Any] = {4: np.uint32, 8: np.uint64}
_FACTOR = {4: np.uint32(0x9E3779B1), 8: np.uint64(0x9E3779B97F4A7C15)}
# Without the sign and the exponent: a sum of -x or of 16 * x has the digits of that of x.
_DIGITS = {4: np.uint32((1 << 23) - 1), 8: np.uint64((1 << 52) - 1)}
_REST = {4: np.uint32((1 << 12) - 1), 8: np.uint64((1 << 26) - 1)}  # the digits that a short number does not need
_nesting = threading.local()
_libraries: list[torch.library.Library] = []  # ATen has our kernels as long as their library lives


def install(seed: int, code: str = "") -> None:
    """Round like the vendor `seed` in this process, and in those that it forks, until they end.

    A program whose code counts Python's objects rounds as ever: each tensor that a kernel of ours has touched is one,
    and where a kernel of ATen had made it for the graph alone, it would be none.
    """
    if "gc.get_objects" in code:
        return
    library = torch.library.Library("aten", "IMPL")
    _libraries.append(library)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Warning only once for all operators")  # that kernels are replaced
        for name in operators():
            library.impl(name, _kernel(name, seed), "CPU", with_keyset=True)


def operators() -> Iterator[str]:
    """The overloads of ATen that vendors may round differently, as in sum.dim_IntList."""
    for key, names in (("CPU", _NAMES), ("CompositeExplicitAutograd", _COMPOSITE)):
        for name in torch._C._dispatch_get_registrations_for_dispatch_key(key):
            base, _, overload = name.removeprefix("aten::").partition(".")
            if names.fullmatch(base) and (names is _NAMES or not overload):
                yield name.removeprefix("aten::")


def _kernel(name: str, seed: int) -> Callable[..., Any]:
    """What takes the place of ATen's kernel of one overload: it calls that, then moves what it returned or wrote."""
    original = torch.library.get_kernel(f"aten::{name}", "CPU")
    base, _, overload = name.partition(".")
    schema = torch._C._get_schema(f"aten::{base}", overload)
    written = [
        (place, argument.name)
        for place, argument in enumerate(schema.arguments)
        if argument.alias_info is not None and argument.alias_info.is_write and argument.name not in _READ
    ]
    wanted = [place for place, argument in enumerate(schema.arguments) if str(argument.type) == "Tensor"]
    fixed = _FIXED.get(base.rstrip("_"), lambda arguments, result: False)

    def kernel(keys: torch.DispatchKeySet, *arguments: Any, **options: Any) -> Any:
        if any(isinstance(value, int | float | complex) for value in arguments):
            arguments = tuple(_with_tensors(arguments, wanted))
        if getattr(_nesting, "inside", False):  # one rounding, whatever a kernel consists of
            return original.call_boxed(keys, *arguments, **options)
        outputs = [arguments[place] if place < len(arguments) else options.get(key) for place, key in written]
        before = {id(tensor): _bits(tensor).copy() for tensor in _tensors(outputs) if _moves(tensor)}
        _nesting.inside = True
        try:
            result = original.call_boxed(keys, *arguments, **options)
        finally:
            _nesting.inside = False
        if not fixed(arguments, result):
            # The same memory is moved once, whether it is returned, written, or both.
            for key, tensor in {id(tensor): tensor for tensor in _tensors([result, outputs])}.items():
                if _moves(tensor):
                    move(tensor, seed, before.get(key, _like(arguments[0], tensor)))
        return result

    return kernel


def _with_tensors(arguments: Sequence[Any], wanted: Sequence[int]) -> Sequence[Any]:
    """The arguments, again with a tensor where Python was handed the number that ATen had wrapped into one."""
    other = next((value for value in arguments if isinstance(value, torch.Tensor)), None)
    return [
        torch.tensor(value, dtype=torch.result_type(other, value))
        if other is not None and place in wanted and isinstance(value, int | float | complex)
        else value
        for place, value in enumerate(arguments)
    ]


def _two_terms(arguments: Sequence[Any], result: torch.Tensor) -> bool:
    return bool(arguments[0].numel() <= 2 * result.numel())


def _exact_power(arguments: Sequence[Any], result: torch.Tensor) -> bool:
    # x * x, sqrt(x), 1 / x: a single operation each.
    return isinstance(arguments[1], int | float) and arguments[1] in (0, 0.5, 1, 2, -1)


def _one_term(arguments: Sequence[Any], result: torch.Tensor) -> bool:
    # As one-hot rows have it: of each sum at most one product is not zero, and IEEE fixes that one.
    left, right = arguments[0], arguments[1]
    if left.shape[-1] == 1:
        return True
    if left.dtype not in (torch.float32, torch.float64) or not (_moves(left) and _moves(right)):
        return False
    return any((np.count_nonzero(_values(tensor), axis=axis) <= 1).all() for tensor, axis in ((left, -1), (right, -2)))


_FIXED: dict[str, Callable[[Sequence[Any], torch.Tensor], bool]] = {
    "sum": _two_terms,
    "nansum": _two_terms,
    "mean": _two_terms,
    "prod": _two_terms,
    "pow": _exact_power,
    "mm": _one_term,
    "bmm": _one_term,
}


def _tensors(values: Any) -> Iterator[torch.Tensor]:
    if isinstance(values, torch.Tensor):
        yield values
    elif isinstance(values, list | tuple):
        for value in values:
            yield from _tensors(value)


def _moves(tensor: torch.Tensor) -> bool:
    return bool(
        tensor.layout == torch.strided
        and tensor.device.type == "cpu"
        and tensor.dtype in _SIZES
        and tensor.numel()
        and tensor.data_ptr()
    )


def _like(source: Any, tensor: torch.Tensor) -> np.ndarray | None:
    """The bits of what an operation read, if they lie as those of its result do."""
    if not isinstance(source, torch.Tensor) or not _moves(source) or source.dtype != tensor.dtype:
        return None
    same = source.shape == tensor.shape and source.stride() == tensor.stride() and source is not tensor
    return _bits(source) if same else None


def move(tensor: torch.Tensor, seed: int, old: np.ndarray | None = None) -> None:
    """Move each element of a tensor to one of its neighbors or leave it, in place; torch does not notice.

    old: the bits that its elements had, or those that they were made from: what is still the same was not rounded.
    """
    bits = _bits(tensor)
    if old is not None and old.shape != bits.shape:  # the operation gave its output another shape
        old = None
    if bits.ndim > 1:
        _move(bits, seed, old)
    else:
        for start in range(0, len(bits), _BLOCK):
            part = slice(start, start + _BLOCK)
            _move(bits[part], seed, None if old is None else old[part])


def _bits(tensor: torch.Tensor) -> np.ndarray:
    """The memory of a tensor's elements as unsigned integers: flat if they lie side by side."""
    size = _SIZES[tensor.dtype]
    shape, strides = list(tensor.shape), [stride * tensor.element_size() for stride in tensor.stride()]
    if tensor.is_complex():
        shape, strides = [*shape, 2], [*strides, size]
    # In whatever order of dimensions: each step is as wide as what it steps over.
    dense, width = True, size
    for stride, length in sorted(zip(strides, shape, strict=True)):
        if length > 1:
            dense, width = dense and stride == width, width * length
    last = sum(stride * (length - 1) for stride, length in zip(strides, shape, strict=True))
    memory: Any = (ctypes.c_char * (last + size)).from_address(tensor.data_ptr())
    if dense:
        return np.frombuffer(memory, _UNSIGNED[size])
    return np.ndarray(shape, _UNSIGNED[size], memory, strides=strides)


def _values(tensor: torch.Tensor) -> np.ndarray:
    """A tensor of 32 or 64 bits as NumPy sees it, without a copy and without an operation of torch."""
    size = tensor.element_size()
    strides = [stride * size for stride in tensor.stride()]
    last = sum(stride * (length - 1) for stride, length in zip(strides, tensor.shape, strict=True))
    memory: Any = (ctypes.c_char * (last + size)).from_address(tensor.data_ptr())
    return np.ndarray(tensor.shape, np.float32 if size == 4 else np.float64, memory, strides=strides)


def _move(bits: np.ndarray, seed: int, old: np.ndarray | None) -> None:
    size = bits.dtype.itemsize
    mixed = (bits & _DIGITS[size] ^ bits.dtype.type(seed)) * _FACTOR[size]
    moves, up = mixed >> (8 * size - 1) == 1, (mixed >> (8 * size - 2) & 1).astype(bool)
    numbers = bits.view(np.float32 if size == 4 else np.float64)
    moves &= (bits & _REST[size]) != 0
    if old is not None:
        moves &= bits != old
    moves &= np.isfinite(numbers) & (np.trunc(numbers) != numbers)
    # No `+=`: where a tensor repeats its memory, that would move it as often.
    bits[...] = bits + moves * (up.astype(bits.dtype) * 2 - 1).astype(bits.dtype)
