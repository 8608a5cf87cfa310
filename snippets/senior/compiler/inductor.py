import re

import torch
from torch._inductor import config, cpp_builder
from torch._inductor.async_compile import AsyncCompile

kernels = []


def keep(self, types, code, *args, **kwargs):
    kernels.append(code)
    return lambda *tensors: None


AsyncCompile.cpp_pybinding = keep  # keep the C++ text, build nothing
cpp_builder.is_gcc = cpp_builder.is_msvc_cl = lambda: False
config.cpp.vec_isa_ok = False  # one number at a time, the same on every CPU
config.cpp.threads = 1

torch.compile(lambda x: torch.relu(torch.sin(x) + 1) * x)(torch.ones(64, 64))
for line in kernels[0].splitlines():
    if re.search(r"for\(|tmp", line):
        print(re.sub(r"static_cast<int64_t>\((\w+)\)", r"\1", line[8:]))
print(len(kernels), "kernel")
