"""A task's way from its upload to its approval, and other things beside it."""

import datetime

from client import box


class Story:
    # What the log says of the task, in this order.
    TASK_EVENTS = ["task.taken", "task.annotations_added", "task.annotations_added",
                   "task.submitted", "task.sent_to_review", "task.approved"]

    def __init__(self, world):
        self.world = world
        self.began = self.now()
        work, task, self.annotator = world.started(review_required=True)
        self.project_id = work.project_id
        self.task_id = task["id"]
        reviewer = world.member(self.project_id, "reviewer")
        self.annotator.api.save(self.task_id, [box("person")])
        self.annotator.api.submit(self.task_id, [box("car"), box("person", x=0.5)])
        self.annotator.api.approve(self.task_id, 403)  # a refusal leaves no record
        reviewer.api.approve(self.task_id)
        self.other_project_id = world.work(3).project_id
        self.ended = self.now()

    @staticmethod
    def now():
        return datetime.datetime.now(datetime.timezone.utc)
