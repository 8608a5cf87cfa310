class Machine:
    """A model of host and GPU. Times are in microseconds."""

    def __init__(self, launch: int = 5, kernel: int = 200) -> None:
        self.launch, self.kernel = launch, kernel
        self.host = self.gpu = 0  # when each of them is free

    def call(self) -> None:
        self.host += self.launch  # Python, dispatcher, driver: then it returns
        self.gpu = max(self.gpu, self.host) + self.kernel

    def wait(self) -> None:
        self.host = max(self.host, self.gpu)


for line, waits in {
    "y.shape": False,
    "y[0, 0].item()": True,
    "torch.cuda.synchronize()": True,
}.items():
    machine = Machine()
    for _ in range(50):
        machine.call()  # y = x @ y
    if waits:
        machine.wait()
    idle = machine.gpu <= machine.host
    print(f"{line:24} clock {machine.host:6}, GPU {machine.gpu}, idle: {idle}")
