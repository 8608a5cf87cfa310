PARAMETERS, LAYERS, WIDTH, TOKENS, VOCAB, BLOCK = 8.03e9, 32, 4096, 8192, 128256, 53


def row(states=16, gpus=1, batch=8, checkpoint=False, chunk=None) -> str:
    units = batch * TOKENS * WIDTH  # a block saves BLOCK bytes for each
    kept = (2 * LAYERS + BLOCK if checkpoint else BLOCK * LAYERS) * units
    logits = 2 * 4 * VOCAB * (chunk or batch * TOKENS)  # with their gradient
    sizes = [PARAMETERS * states / gpus, kept, logits]
    return "".join(f"{size / 1e9:10.1f}" for size in (*sizes, sum(sizes)))


print("GB per GPU                    states    activ.    logits       sum")
levers = {}
for name, change in (
    ("batch of 8 x 8192 tokens", {}),
    ("micro-batch of 1", {"batch": 1}),
    ("checkpoint each block", {"checkpoint": True}),
    ("loss in chunks of 1024", {"chunk": 1024}),
    ("8-bit optimizer states", {"states": 10}),
    ("or FSDP on 8 GPUs", {"states": 16, "gpus": 8}),
):
    levers |= change
    print(f"{name:26}{row(**levers)}")
