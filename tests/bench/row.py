"""One line of the table: some work, its reference in the same run, and what is to be reached."""

import dataclasses
import statistics


@dataclasses.dataclass
class Row:
    """`samples` are pairs (reference, measured) taken in turn; `target` bounds the ratio
    measured / reference: from below when more is better, from above when less is. Without a
    reference the ratio is measured / 1 and the target a plain figure."""

    work: str
    reference: str        # what the reference is, in words
    unit: str
    samples: list
    target: float = None  # None: shown, not judged
    more_is_better: bool = True
    notes: dict = dataclasses.field(default_factory=dict)

    def ratios(self):
        return [measured / reference for reference, measured in self.samples]

    @property
    def ratio(self):
        return statistics.median(self.ratios())

    @property
    def measured(self):
        return statistics.median(measured for _, measured in self.samples)

    @property
    def reference_figure(self):
        return statistics.median(reference for reference, _ in self.samples)

    @property
    def reached(self):
        if self.target is None:
            return None
        return self.ratio >= self.target if self.more_is_better else self.ratio <= self.target

    def as_json(self):
        ratios = self.ratios()
        return {
            "work": self.work, "reference": self.reference, "unit": self.unit,
            "reference_median": self.reference_figure, "measured_median": self.measured,
            "ratio_median": self.ratio, "ratio_min": min(ratios), "ratio_max": max(ratios),
            "target": self.target, "more_is_better": self.more_is_better, "reached": self.reached,
            "samples": [list(pair) for pair in self.samples], "notes": self.notes,
        }


def sample(times, reference, measured):
    """Takes both in turn, so that a noisy neighbour meets both; the first round warms up only."""
    reference()
    measured()
    return [(reference(), measured()) for _ in range(times)]
