import torch
from torch._dynamo.testing import CompileCounter


def compiles(function, calls):
    torch.compiler.reset()
    counter, marks = CompileCounter(), []
    compiled = torch.compile(function, backend=counter)
    for arguments in calls:
        before = counter.frame_count
        compiled(*arguments)
        marks.append("C" if counter.frame_count > before else ".")
    return " ".join(marks)


x, w = torch.ones(4), torch.ones(4, requires_grad=True)
lengths = [[torch.ones(length)] for length in (4, 5, 6, 1, 0)]
numbers = [[x, number] for number in (3, 5, 7, 9)]
print("length 4, 5, 6, 1, 0       ", compiles(torch.sin, lengths))
print("float32, float64, float32  ", compiles(torch.sin, [[x], [x.double()], [x]]))
print("requires_grad no, yes, no  ", compiles(torch.sin, [[x], [w], [x]]))
print("int argument 3, 5, 7, 9    ", compiles(torch.mul, numbers))
