"""Signing in: its rate against bare argon2id of the same cost, what a storm of it does to others,
and the check of a token."""

import concurrent.futures
import json
import tempfile

import row

THREADS = 2          # login_threads
CONNECTIONS = 8      # that sign in at once
MEMORY_KIB, PASSES = 65_536, 2  # argon2_memory_kib, argon2_passes


def storm(env, seconds):
    """Sign-ins of one user over several connections."""
    body = json.dumps({"username": env.service.username, "password": env.service.password})
    return env.load(("POST", "/api/v1/auth/login", [body]), connections=CONNECTIONS,
                    seconds=seconds)


def bare(env):
    return env.program("bench_auth", "passwords", "--threads", THREADS, "--seconds", env.seconds,
                       "--memory-kib", MEMORY_KIB, "--passes", PASSES)["per_s"]


def me_p99(env):
    return env.load(("GET", "/api/v1/me"), connections=1, seconds=env.seconds)["steps"][0]["p99_us"]


def me_p99_in_a_storm(env):
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        running = pool.submit(storm, env, env.seconds + 2)
        figure = me_p99(env)
        running.result()
    return figure


def run(env):
    rate = row.sample(env.samples, lambda: bare(env),
                      lambda: storm(env, env.seconds)["rounds_per_s"])
    beside = row.sample(env.samples, lambda: me_p99(env), lambda: me_p99_in_a_storm(env))
    with tempfile.TemporaryDirectory(dir=env.data) as keys:
        tokens = [env.program("bench_auth", "tokens", "--folder", keys,
                              "--users", env.size(10_000, 100)) for _ in range(env.samples)]
    return [
        row.Row(f"sign-ins over {CONNECTIONS} connections", "argon2id alone, on as many threads",
                "1/s", rate, 0.9),
        row.Row(f"GET /me beside {CONNECTIONS} connections that sign in, p99", "without them, p99",
                "us", beside, 3, more_is_better=False),
        row.Row("the check of a token at first sight", "", "us",
                [(1, figures["first_us"]) for figures in tokens], 20, more_is_better=False),
        row.Row("the check of a token seen before", "", "us",
                [(1, figures["again_us"]) for figures in tokens], 20, more_is_better=False),
    ]
