# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "numpy"]
# ///
import torch


def addresses(tensor: torch.Tensor) -> torch.Tensor:
    """The address of every byte of a strided tensor, int64, one dimension."""
    where = torch.tensor(tensor.data_ptr())
    for size, stride in zip(tensor.shape, tensor.stride(), strict=True):
        where = (
            where[..., None] + torch.arange(size) * stride * tensor.element_size()
        )
    return (where[..., None] + torch.arange(tensor.element_size())).flatten()


def share_memory(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether a write to an element of ``a`` can change an element of ``b``.

    Args:
        a: a strided tensor. It costs 8 bytes of memory or more per byte of ``a``.
        b: likewise, of any dtype. A file that is mapped twice counts as two
            memories.

    Raises:
        ValueError: one of them has no memory, as on the meta device.
    """
    if a.device.type == "meta" or b.device.type == "meta":
        raise ValueError("a tensor on the meta device has no memory")
    same_device = a.device == b.device
    return same_device and bool(torch.isin(addresses(a), addresses(b)).any())


if __name__ == "__main__":
    x = torch.arange(8.0)
    array = x.numpy()
    pairs = {
        "x[:5], x[3:]": (x[:5], x[3:]),
        "x[:4], x[4:]": (x[:4], x[4:]),
        "x[::2], x[1::2]": (x[::2], x[1::2]),
        "x, x.view(torch.int32)": (x, x.view(torch.int32)),
        "x, from_numpy(array[3:])": (x, torch.from_numpy(array[3:])),
        "x, x.clone()": (x, x.clone()),
    }
    print(f"{'a, b':25} same data_ptr  same storage  share memory")
    for name, (a, b) in pairs.items():
        pointer = a.data_ptr() == b.data_ptr()
        storage = a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()
        print(f"{name:25} {pointer!s:14} {storage!s:13} {share_memory(a, b)}")
