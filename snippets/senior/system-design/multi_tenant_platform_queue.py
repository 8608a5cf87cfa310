from dataclasses import dataclass, replace


@dataclass
class Job:
    team: str
    gpus: int
    left: int  # minutes of work
    arrived: int
    first: int = -1  # minute of the first start
    start: int = 0


def simulate(
    jobs: list[Job],
    quota: dict[str, int],
    fair: bool = False,
    preempt: bool = False,
    hold_after: float = float("inf"),
    protect: bool = False,
    interval: int = 30,
) -> tuple[dict[str, list[int]], int, int]:
    """Schedule gangs on a cluster whose GPUs are the sum of the quotas.

    Args:
        fair: the team that uses least of its quota is next, not the oldest job.
        preempt: a team within its quota takes GPUs back from teams above theirs.
        hold_after: minutes after which a gang above its team's quota blocks starts.
        protect: a gang above its team's quota is not stopped.
        interval: minutes between checkpoints; a stopped job loses the rest.

    Returns:
        Minutes until the first start, by team; GPU minutes lost by stopping jobs;
        minute at which the last job ends.
    """
    jobs = sorted((replace(job) for job in jobs), key=lambda job: job.arrived)
    free, now, lost = sum(quota.values()), 0, 0
    waiting: list[Job] = []
    running: list[Job] = []
    waits: dict[str, list[int]] = {team: [] for team in quota}

    def used(team: str) -> int:
        return sum(job.gpus for job in running if job.team == team)

    def order(job: Job) -> tuple[float, int]:
        return (used(job.team) / quota[job.team] if fair else 0, job.arrived)

    def stop(job: Job) -> None:
        nonlocal free, lost
        running.remove(job)
        waiting.append(job)
        kept = (now - job.start) // interval * interval
        lost += (now - job.start - kept) * job.gpus
        job.left -= kept
        free += job.gpus

    def start_one() -> bool:
        nonlocal free
        large = [job for job in waiting if job.gpus > quota[job.team]]
        held = [job for job in large if now - job.arrived >= hold_after]
        for job in held[:1] or sorted(waiting, key=order):
            mine = used(job.team) + job.gpus <= quota[job.team]
            while preempt and mine and job.gpus > free:
                over = [r for r in running if used(r.team) > quota[r.team]]
                if protect:
                    over = [r for r in over if r.gpus <= quota[r.team]]
                if free + sum(r.gpus for r in over) < job.gpus:
                    break  # stopping them all would not help
                stop(max(over, key=lambda r: r.start))
            if job.gpus <= free:
                waiting.remove(job)
                running.append(job)
                free -= job.gpus
                job.start = now
                if job.first < 0:
                    job.first = now
                    waits[job.team].append(now - job.arrived)
                return True
        return False

    while jobs or waiting or running:
        while jobs and jobs[0].arrived <= now:
            waiting.append(jobs.pop(0))
        while start_one():
            pass
        ends = [job.start + job.left for job in running]
        ends += [jobs[0].arrived] if jobs else []
        now = min(ends)
        for job in [job for job in running if job.start + job.left == now]:
            running.remove(job)
            free += job.gpus
    return waits, lost, now


QUOTA = {"large": 32, "small": 16, "rare": 16}


def workload() -> list[Job]:
    """64 GPUs: a backlog, a small job every two hours, and one job of all GPUs."""
    jobs = [Job("large", 16, 595 + number, 0) for number in range(40)]
    jobs += [Job("small", 8, 60, 50 + 127 * number) for number in range(20)]
    return [*jobs, Job("rare", 64, 120, 100)]


if __name__ == "__main__":
    print("hours until it starts    small team  64-GPU job    GPU hours lost   end")
    plans: dict[str, dict] = {"oldest that fits": {}, "fair": {"fair": True}}
    plans["fair, preempt"] = {"fair": True, "preempt": True}
    plans["... hold after 24 h"] = plans["fair, preempt"] | {"hold_after": 24 * 60}
    plans["... and protect"] = plans["... hold after 24 h"] | {"protect": True}
    for name, options in plans.items():
        waits, lost, end = simulate(workload(), QUOTA, **options)
        mean = sum(waits["small"]) / len(waits["small"]) / 60
        row = f"{mean:11.1f}{waits['rare'][0] / 60:12.0f}{lost / 60:18.0f}"
        print(f"{name:24}{row}{end / 60:6.0f} h")
