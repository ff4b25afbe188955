"""Memory of the service: the most that it had in all rows of this run, and idle after a start."""

import row


def run(env):
    env.memory_mib(peak=True)
    most = env.peak_mib
    idle = []
    for _ in range(env.samples):
        env.service.stop()
        env.service.start()
        idle.append((1, env.memory_mib()))
    return [
        row.Row("memory, the most in all of the above", "", "MiB", [(1, most)], 1024,
                more_is_better=False),
        row.Row("memory, idle after a start with all that", "", "MiB", idle, 200,
                more_is_better=False),
    ]
