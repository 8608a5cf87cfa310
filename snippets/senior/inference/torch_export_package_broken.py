# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11"]
#
# [tool.warmup]
# needs = "compiler"
# output = "recorded"
# slow = "builds a package with the C++ compiler"
# ///
import tempfile

import torch
from torch import nn


class Add(nn.Module):
    def forward(self, x):
        return x.relu() + 1


program = torch.export.export(Add(), (torch.ones(2, 3),))
with tempfile.TemporaryDirectory() as folder:
    path = torch._inductor.aoti_compile_and_package(
        program, package_path=f"{folder}/add.pt2"
    )
    package = torch._inductor.aoti_load_package(path)
for x in (torch.ones(2, 3), torch.ones(4, 3), torch.ones(2, 3).double()):
    print(f"{x.shape[0]} rows of {x.dtype}:")
    out = package(x)
    print(f"  package: {out.shape[0]} rows, right: {out.equal(Add()(x))}")
    try:
        out = program.module()(x)
        print(f"  program: {out.shape[0]} rows, right: {out.equal(Add()(x))}")
    except AssertionError as error:
        print("  program:", error)
