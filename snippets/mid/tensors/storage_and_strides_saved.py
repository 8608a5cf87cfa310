import io

import torch


def file_kb(tensor: torch.Tensor) -> float:
    """Size of the file that ``torch.save`` writes for ``tensor``, in kilobytes."""
    file = io.BytesIO()
    torch.save(tensor, file)
    return file.getbuffer().nbytes / 1000


if __name__ == "__main__":
    batch = torch.zeros(1000, 1000)
    element = batch[0, :1]
    del batch
    print(f"elements        {element.numel()}")
    print(f"its bytes       {element.nbytes}")
    print(f"storage, bytes  {element.untyped_storage().nbytes()}")
    print(f"saved           {file_kb(element):.0f} kB")
    print(f"cloned, saved   {file_kb(element.clone()):.0f} kB")
