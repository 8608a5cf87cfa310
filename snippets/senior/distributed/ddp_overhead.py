LATENCY, PER_MIB = 1.0, 0.5  # ms that an all-reduce takes: per call, and per MiB


def schedule(buckets: list[int]) -> tuple[float, float]:
    """Ms at which backward ends, and at which the last all-reduce ends.

    Each layer takes 1 ms of backward and has 1 MiB of gradients. A bucket is
    sent when its last gradient exists and the link is free.
    """
    computed = sent = 0.0
    for layers in buckets:
        computed += layers
        sent = max(computed, sent) + LATENCY + PER_MIB * layers
    return computed, sent


print("layers in each bucket    MiB sent  step is ready  time not hidden")
for buckets in ([8], [4] * 2, [2] * 4, [1] * 8):
    computed, sent = schedule(buckets)
    print(f"{buckets!s:24}{sum(buckets):9}{sent:12} ms{sent - computed:14} ms")
