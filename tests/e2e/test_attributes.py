"""The attribute schema and what it demands of annotations (decisions, section 3)."""

import pytest

from client import box, error_locations, unique


def attribute(key, input_type, **more):
    return {"key": key, "label": key.title(), "input_type": input_type, "required": False,
            "applies_to": "*", **more}


def options(*values):
    return [{"value": value, "label": value.title()} for value in values]


SCHEMA = {"attributes": [
    attribute("note", "text"),
    attribute("seats", "number", min=1, max=9),
    attribute("parked", "boolean"),
    attribute("colour", "select", options=options("red", "blue")),
    attribute("parts", "multiselect", options=options("door", "wheel", "lamp")),
    attribute("dirt", "range", min=0, max=1, step=0.25),
]}


def refused(world, schema):
    body = {"name": unique("schema"), "attribute_schema": schema}
    return error_locations(world.admin.post("/projects", body, 422))


@pytest.mark.parametrize("change", [
    pytest.param({"input_type": "colour-picker"}, id="unknown-input-type"),
    pytest.param({"input_type": None}, id="no-input-type"),
    pytest.param({"key": ""}, id="empty-key"),
    pytest.param({"key": 7}, id="key-number"),
    pytest.param({"required": "yes"}, id="required-text"),
    pytest.param({"input_type": "select", "options": "red"}, id="options-text"),
    pytest.param({"input_type": "number", "min": "low"}, id="min-text"),
    pytest.param({"mutable": 1.5}, id="mutable-number"),
])
def test_a_wrong_schema_is_refused_with_its_path(world, change):
    schema = {"attributes": [attribute("fine", "text"), {**attribute("k", "text"), **change}]}
    found = refused(world, schema)
    wanted = ("body", "attribute_schema", "attributes", 1)
    assert any(loc[:4] == wanted for loc in found), found


def test_a_key_appears_once(world):
    found = refused(world, {"attributes": [attribute("k", "text"), attribute("k", "number")]})
    assert any(loc[:2] == ("body", "attribute_schema") for loc in found)


GOOD = [
    {}, {"note": "text"}, {"note": ""}, {"seats": 1}, {"seats": 9}, {"parked": False},
    {"colour": "red"}, {"parts": []}, {"parts": ["door", "lamp"]}, {"dirt": 0}, {"dirt": 0.75},
    {"note": "n", "seats": 4, "parked": True, "colour": "blue", "parts": ["wheel"], "dirt": 1},
]


@pytest.mark.parametrize("attributes", GOOD)
def test_fitting_attributes_are_kept(world, attributes):
    _, task, annotator = world.started(attribute_schema=SCHEMA)
    made = annotator.api.save(task["id"], [box(attributes=attributes)]).json()["annotations"][0]
    for key, value in attributes.items():
        assert made["attributes"][key] == value


BAD = [
    ("note", 7), ("note", ["x"]), ("seats", "four"), ("seats", 0), ("seats", 10), ("parked", "yes"),
    ("parked", 1), ("colour", "green"), ("colour", ["red"]), ("parts", "door"),
    ("parts", ["door", "roof"]), ("dirt", -0.25), ("dirt", 1.25), ("dirt", "much"),
    ("note", {"a": 1}),
]


def test_every_unfitting_attribute_is_refused_with_its_path(world):
    _, task, annotator = world.started(attribute_schema=SCHEMA)
    for key, value in BAD:
        answer = annotator.api.save(task["id"], [box(), box(attributes={key: value})], 422)
        wanted = ("body", "shapes", 1, "attributes", key)
        found = error_locations(answer)
        assert any(loc[:5] == wanted for loc in found), (key, value, found)
    assert annotator.api.annotations(task["id"]) == []


def test_numbers_that_could_not_be_kept_are_refused(world):
    _, task, annotator = world.started()
    kept = annotator.api.save(task["id"], [box(attributes={"n": 2**53})]).json()["annotations"][0]
    assert kept["attributes"] == {"n": 2**53}
    answer = annotator.api.save(task["id"], [box(attributes={"a": 2**53 + 1, "b": {}}),
                                             box(attributes={"n": -2**53 - 1})], 422)
    assert error_locations(answer) == [("body", "shapes", 0, "attributes", "a"),
                                       ("body", "shapes", 0, "attributes", "b"),
                                       ("body", "shapes", 1, "attributes", "n")]


def test_an_attribute_outside_the_schema_is_refused(world):
    _, task, annotator = world.started(attribute_schema=SCHEMA)
    answer = annotator.api.save(task["id"], [box(attributes={"weight": 3})], (201, 422))
    if answer.status_code == 422:
        assert ("body", "shapes", 0, "attributes", "weight") in error_locations(answer)


def test_a_required_attribute_must_be_there(world):
    schema = {"attributes": [attribute("colour", "select", options=options("red", "blue"),
                                       required=True)]}
    _, task, annotator = world.started(attribute_schema=schema)
    found = error_locations(annotator.api.save(task["id"], [box()], 422))
    assert any(loc[:4] == ("body", "shapes", 0, "attributes") for loc in found), found
    annotator.api.save(task["id"], [box(attributes={"colour": "red"})])


def test_a_required_attribute_binds_only_the_classes_it_applies_to(world):
    schema = {"attributes": [attribute("plate", "text", required=True, applies_to=["car"])]}
    _, task, annotator = world.started(attribute_schema=schema)
    annotator.api.save(task["id"], [box("car")], 422)
    annotator.api.save(task["id"], [box("person")])
    annotator.api.save(task["id"], [box("car", attributes={"plate": "AB 1"})])


def test_a_hidden_attribute_is_not_required(world):
    schema = {"attributes": [
        attribute("damaged", "boolean"),
        attribute("damage", "text", required=True,
                  visible_if={"key": "damaged", "equals": True}),
    ]}
    _, task, annotator = world.started(attribute_schema=schema)
    annotator.api.save(task["id"], [box(attributes={"damaged": False})])
    annotator.api.save(task["id"], [box()])
    answer = annotator.api.save(task["id"], [box(attributes={"damaged": True})], 422)
    assert any(loc[:4] == ("body", "shapes", 0, "attributes") for loc in error_locations(answer))
    annotator.api.save(task["id"], [box(attributes={"damaged": True, "damage": "dent"})])


def test_a_patch_of_attributes_is_validated_too(world):
    _, task, annotator = world.started(attribute_schema=SCHEMA)
    made = annotator.api.save(task["id"], [box(attributes={"colour": "red"})]).json()
    path = "/tasks/%d/annotations/%d" % (task["id"], made["annotations"][0]["id"])
    found = error_locations(annotator.api.patch(path, {"attributes": {"colour": "green"}}, 422))
    assert any(loc[:2] == ("body", "attributes") for loc in found), found
    after = annotator.api.patch(path, {"attributes": {"colour": "blue"}}).json()
    assert after["attributes"]["colour"] == "blue"
