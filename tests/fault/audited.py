"""What the audit says of writes that took effect."""


def granted(api, **filters):
    """Their rows, without those of repetitions."""
    return [row for row in api.all_pages("/audit-logs", filters, limit=200)
            if row["status_code"] < 300 and not row["detail_json"].get("replayed")]


def granted_annotations(api, task_id):
    """How many requests wrote annotations of the task."""
    path = "/api/v1/tasks/%d/annotations" % task_id
    return sum(row["path"] == path
               for row in granted(api, target_type="task", target_id=task_id))
