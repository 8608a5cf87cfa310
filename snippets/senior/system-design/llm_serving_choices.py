import math
from dataclasses import dataclass

PARAMETERS, CACHE_BYTES, MEMORY = 70.55e9, 2 * 80 * 1024 * 2, 0.9 * 80e9
READS, ANSWER, RATE, TPOT = 0.6 * 3.35e12, 300, 100, 0.050


@dataclass
class Replica:
    """Llama 3 70B on some H100, and the requests that it gets.

    Args:
        gpus: of one replica; links between them cost nothing here.
        weight_bytes: per parameter; 1 also doubles FLOP/s, as FP8 does.
        prompt: tokens.
        shared: tokens of the prompt whose cache is there already.
    """

    gpus: int = 4
    weight_bytes: int = 2
    prompt: int = 2000
    shared: int = 0

    def step_s(self) -> float:
        """Seconds to read the weights once."""
        return PARAMETERS * self.weight_bytes / (self.gpus * READS)

    def prompt_s(self) -> float:
        """Seconds to read a prompt, but not its shared tokens."""
        flops = 0.5 * 989e12 * 2 / self.weight_bytes
        return 2 * PARAMETERS * (self.prompt - self.shared) / (self.gpus * flops)

    def cache(self) -> float:
        """Bytes of cache of one request, halfway."""
        return CACHE_BYTES * (self.prompt + ANSWER / 2)

    def reads_s(self) -> float:
        """Seconds to read the cache of one request for each token of its answer."""
        return ANSWER * self.cache() / (self.gpus * READS)

    def room(self) -> float:
        """Requests whose cache fits beside the weights."""
        free = self.gpus * MEMORY - PARAMETERS * self.weight_bytes
        return free / self.cache()

    def rate(self, tpot: float = TPOT, prompts: bool = True) -> float:
        """Requests per second that keep the time per token, and fit.

        Args:
            tpot: seconds per token.
            prompts: False if other replicas read the prompts.
        """
        work = self.reads_s() + prompts * self.prompt_s()
        in_time = (1 - self.step_s() / tpot) / work
        fits = self.room() / (ANSWER * self.step_s() + self.room() * work)
        return min(in_time, fits)


if __name__ == "__main__":
    choices = {"4 GPUs, bfloat16": Replica()}
    choices["1,000 tokens of the prompt shared"] = Replica(shared=1000)
    choices["FP8 on 2 GPUs"] = Replica(gpus=2, weight_bytes=1)
    choices["8 GPUs, links cost nothing"] = Replica(gpus=8)
    choices["prompts of 8,000"] = Replica(prompt=8000)
    for name, replica in choices.items():
        rate = replica.rate()
        opened = f"{rate * ANSWER * TPOT:5.0f} of {replica.room():3.0f} fit"
        gpus = replica.gpus * math.ceil(RATE / rate)
        print(f"{name:35}{rate:5.2f}/s{opened}{gpus:5} GPUs")
    plain = Replica()
    readers = math.ceil(RATE * plain.prompt_s() / 0.7)
    rate = plain.rate(prompts=False)
    writers = math.ceil(RATE / rate)
    tpot = plain.step_s() / (1 - RATE / writers * plain.reads_s())
    print(
        f"two pools: {readers} replicas read prompts at 70% load, {writers} write"
    )
    print(f"  {plain.gpus * (readers + writers)} GPUs, TPOT {1000 * tpot:.0f} ms")
    print(f"  cache to send: {CACHE_BYTES * plain.prompt / 1e9:.2f} GB per request")
