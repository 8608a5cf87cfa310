# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.11", "matplotlib>=3.8"]
# ///
import matplotlib.pyplot as plt

Amounts = dict[str, float]


def dominant_share(tasks: int, task: Amounts, cluster: Amounts) -> float:
    """Largest share of any resource that so many tasks take."""
    return max(tasks * amount / cluster[name] for name, amount in task.items())


def fill(tasks: dict[str, Amounts], cluster: Amounts) -> list[dict[str, int]]:
    """Dominant resource fairness: the team with the smallest share starts next.

    Returns:
        Running tasks of each team, after each start.
    """
    running = dict.fromkeys(tasks, 0)
    history = [dict(running)]
    while True:
        for team in sorted(
            tasks, key=lambda t: dominant_share(running[t], tasks[t], cluster)
        ):
            after = running | {team: running[team] + 1}
            if all(
                sum(n * tasks[t].get(name, 0) for t, n in after.items()) <= amount
                for name, amount in cluster.items()
            ):
                running = after
                history.append(running)
                break
        else:
            return history


if __name__ == "__main__":
    cluster = {"GPUs": 64, "cores": 960}
    tasks = {
        "language": {"GPUs": 4, "cores": 8},
        "vision": {"GPUs": 1, "cores": 30},  # decodes images
    }
    history = fill(tasks, cluster)
    plans = {
        "dominant shares": history[-1],
        "equal GPUs": {"language": 8, "vision": 29},
    }
    for plan, running in plans.items():
        print(plan)
        for team, number in running.items():
            gpus, cores = (number * tasks[team][r] / cluster[r] for r in cluster)
            used = f"{gpus:5.0%} of GPUs{cores:5.0%} of cores"
            print(f"  {team:9}{number:3} tasks{used}")

    for (team, task), style in zip(tasks.items(), ("-", "--"), strict=True):
        shares = [100 * dominant_share(row[team], task, cluster) for row in history]
        plt.plot(range(len(history)), shares, style, label=team)
    plt.xlabel("tasks started")
    plt.ylabel("dominant share (%)")
    plt.legend()
    plt.show()
