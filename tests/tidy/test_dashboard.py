"""The dashboard and the list of metrics speak of metrics that there are, each as what it is."""

import glob
import json
import os
import re

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ("api", "app", "commands", "eventstore", "platform", "projections", "workers")
MADE = re.compile(r'\b(counter|gauge|histogram)\(\s*\{\s*"([a-zA-Z_:][a-zA-Z0-9_:]*)"')
# What a histogram is exposed as.
PARTS = ("_bucket", "_sum", "_count")
RATES = ("rate", "irate", "increase")
WORDS = {"by", "without", "on", "ignoring", "group_left", "group_right", "and", "or", "unless",
         "offset", "bool"}


def metrics_of_source():
    """{name: kind} of all that the service may expose."""
    found = {}
    for folder in FOLDERS:
        for suffix in ("cpp", "hpp"):
            for path in glob.glob(os.path.join(ROOT, folder, "**", "*." + suffix), recursive=True):
                with open(path, encoding="utf-8") as file:
                    found.update((name, kind) for kind, name in MADE.findall(file.read()))
    return found


def metrics_of(expression):
    """The names in a PromQL expression: neither functions, labels, texts nor durations."""
    bare = re.sub(r'"(?:\\.|[^"\\])*"', '""', expression)
    bare = re.sub(r"\{[^}]*\}|\[[^\]]*\]", " ", bare)
    bare = re.sub(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)", " ", bare)
    names = re.findall(r"(?<![\w:.])[a-zA-Z_:][\w:]*\b(?!\s*\()", bare)
    return {name for name in names if name not in WORDS}


def rated(expression):
    """The names that a rate is taken of: only what never falls has one."""
    return set(re.findall(r"\b(?:" + "|".join(RATES) + r")\s*\(\s*([a-zA-Z_:][\w:]*)", expression))


def plain(name, kinds):
    """A metric's own name, of a part of a histogram too."""
    for part in PARTS:
        whole = name.removesuffix(part)
        if whole != name and kinds.get(whole) == "histogram":
            return whole
    return name


def expressions():
    with open(os.path.join(ROOT, "deploy", "grafana", "annolog.json"), encoding="utf-8") as file:
        document = json.load(file)
    panels = [panel for panel in document["panels"] if panel["type"] != "row"]
    assert panels
    return [(panel["title"], target["expr"]) for panel in panels for target in panel["targets"]]


def listed():
    """The names in the first column of the table of docs/operations.md, "Metrics"."""
    with open(os.path.join(ROOT, "docs", "operations.md"), encoding="utf-8") as file:
        section = file.read().split("\n## Metrics\n")[1].split("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return [name for cell in rows for name in re.findall(r"`([a-z_]+)`", cell)]


@pytest.mark.parametrize("expression, names", [
    ('sum by (status) (rate(http_requests_total{status=~"5.."}[5m]))', {"http_requests_total"}),
    ("a_total / on (instance) group_left (node) b_total offset 5m > 1", {"a_total", "b_total"}),
    ('histogram_quantile(0.99, sum by (le) (rate(x_seconds_bucket{a="b{c"}[$__rate_interval])))',
     {"x_seconds_bucket"}),
])
def test_the_names_in_an_expression_are_found(expression, names):
    assert metrics_of(expression) == names


def test_the_dashboard_asks_for_metrics_that_there_are():
    kinds = metrics_of_source()
    for title, expression in expressions():
        names = metrics_of(expression)
        assert names, title
        for name in names:
            assert plain(name, kinds) in kinds, f"{title}: no metric {name}"


def test_the_dashboard_shows_every_metric():
    kinds = metrics_of_source()
    shown = {plain(name, kinds) for _, expression in expressions()
             for name in metrics_of(expression)}
    assert not set(kinds) - shown


def test_the_dashboard_takes_rates_of_what_never_falls():
    kinds = metrics_of_source()
    for title, expression in expressions():
        for name in metrics_of(expression):
            falls = kinds.get(name) == "gauge"
            assert falls != (name in rated(expression)) or name.endswith("parked_total"), title
            assert kinds.get(name) != "histogram", f"{title}: {name} is exposed in parts"


def test_every_metric_is_listed_once_for_those_who_operate_it():
    names = listed()
    assert sorted(names) == sorted(set(names))
    assert set(names) == set(metrics_of_source())


def test_panels_have_places_and_numbers_of_their_own():
    with open(os.path.join(ROOT, "deploy", "grafana", "annolog.json"), encoding="utf-8") as file:
        panels = json.load(file)["panels"]
    for key in (lambda panel: panel["id"],
                lambda panel: (panel["gridPos"]["x"], panel["gridPos"]["y"])):
        keys = [key(panel) for panel in panels]
        assert len(keys) == len(set(keys))
