"""Reads that I/O threads ask PostgreSQL themselves (docs/decisions/0037)."""

from client import Api
from postgres import run_sql
from test_batches import Crew, Place


def test_pages_come_while_connections_to_postgresql_are_killed(world):
    place = Place(Crew(world), 3)
    place.make(name="b", task_ids=place.tasks[:2])
    paths = ["/audit-logs?limit=5", "/audit-logs?project_id=%d" % place.id,
             "/tasks?project_id=%d" % place.id]
    before = [world.admin.get(path).json()["items"] for path in paths]
    assert all(before)
    for _ in range(10):
        run_sql(world.service.database.url,
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = "
                "current_database() AND application_name = 'annolog-read'")
        for _ in range(4):  # connections, so that each I/O thread is asked
            reader = Api(world.service, world.admin.token)
            assert [reader.get(path).json()["items"] for path in paths] == before


def test_pages_of_kept_texts_lead_to_the_same_next_ones(world):
    person = world.person("project_admin")
    for at in range(7):
        person.api.post("/projects", {"name": "", "description": str(at)}, 422)

    def walk():
        pages, asked = [], {"actor_id": person.id, "limit": 3}
        while not pages or asked["cursor"]:
            pages.append(world.admin.get("/audit-logs", params=asked).json())
            asked["cursor"] = pages[-1]["next_cursor"]
        return pages
    rendered = walk()
    assert [len(page["items"]) for page in rendered] == [3, 3, 2]
    assert walk() == rendered
