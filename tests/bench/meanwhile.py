"""What another project feels of some work: the p99 of its saves at a fixed pace, in peace and
meanwhile, beside that of a bare synced append, which is what the disk alone makes it feel."""

import os
import statistics
import threading
import time

import tasks

RATE = 100          # saves, and appends, a second
CALM_PIECES = 3     # of env.seconds
SAVE = ("POST", "/api/v1/tasks/{id}/annotations?submit=false", tasks.shapes_bodies(1))
LOOK = ("GET", "/api/v1/tasks/{id}")


def save(env, other, seconds):
    """p99 of one-box saves at a fixed pace, in microseconds."""
    return paced(env, other, seconds, [SAVE])[0]["p99_us"]


def look(env, other, seconds):
    """The same of looks at a task after each save, which wait for the read models to show it."""
    return paced(env, other, seconds, [SAVE, LOOK])[1]["p99_us"]


def paced(env, other, seconds, steps):
    return env.load(*steps, ids=other.ids(), random=True, connections=8, rate=RATE,
                    seconds=max(1, seconds))["steps"]


def append(env, seconds):
    """p99 of a synced append of 1 KB at the same pace, by nobody but the disk, in microseconds."""
    return env.program("bench_log", "file", "--folder", env.data, "--bytes", 1024,
                       "--times", RATE * seconds, "--rate", RATE)["p99_us"]


class Meanwhile(threading.Thread):
    """Measures in pieces of some seconds until told to stop; keeps the p99 of each."""

    def __init__(self, measure, piece_s):
        super().__init__(daemon=True)
        self.measure, self.piece_s = measure, piece_s
        self.stopping = threading.Event()
        self.figures, self.failure = [], None
        self.start()

    def run(self):
        try:
            while not self.stopping.is_set():
                self.figures.append(self.measure(self.piece_s))
        except Exception as error:  # told to the row at the end
            self.failure = error

    def median(self):
        self.stopping.set()
        self.join()
        if self.failure:
            raise self.failure
        return statistics.median(self.figures)


def of(env, work, *measures):
    """Does `work` while the measures, functions of seconds, are taken again and again side by side;
    returns what it returned, and for each measure the pair (calm, meanwhile). Calm is side by side,
    too: what one costs the other is none of the work's. It begins when the disk has what earlier
    work wrote."""
    env.superuser_query("checkpoint")
    os.sync()
    calm = during(env, lambda: time.sleep(CALM_PIECES * env.seconds - 0.5), measures)[1]
    done, busy = during(env, work, measures)
    return done, list(zip(calm, busy))


def during(env, work, measures):
    """What the work returned, and each measure's figure."""
    running = [Meanwhile(measure, env.seconds) for measure in measures]
    done = work()
    return done, [each.median() for each in running]


def neighbour(env):
    """A project whose locked tasks may be saved in."""
    other = tasks.make_tasks(env, 1000)
    tasks.lock(env, other.ids())
    save(env, other, 1)
    return other
