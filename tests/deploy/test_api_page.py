"""docs/reference/keeper-api.md is what the keeper itself says of its API."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("api_page", ROOT / "tools/api_page.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def api(tool):
    return tool.document()


def test_the_page_is_fresh(tool, api):
    assert tool.page(api) == tool.PAGE.read_text("utf-8"), "run `make api-page`"


def test_every_request_says_what_it_does_and_what_it_answers(tool, api):
    for method, path, asked in tool._each(api):
        assert tool._does(asked)[0].endswith((".", "?")), (method, path)
        for status, said in asked["responses"].items():
            assert said.get("description"), (method, path, status)


def test_a_field_is_told_with_its_type_and_its_meaning(tool):
    fields = {"x": {"type": "integer", "minimum": 1, "description": "Rows."}, "y": {}}
    schemas = {"A": {"properties": fields, "required": ["x"]}}
    made = tool.page({"paths": {}, "components": {"schemas": schemas}})
    assert "| `x` | integer (>= 1) | Rows. |" in made
    assert "| `y` (may be left out) | anything |" in made


@pytest.mark.parametrize("name", ["Board", "Submission", "Left", "Checked", "Standing", "Problem"])
def test_every_field_of_a_record_has_a_meaning(api, name):
    fields = api["components"]["schemas"][name]["properties"]
    assert [field for field, said in fields.items() if not said.get("description")] == []


def test_types_are_told_in_words(tool):
    told = tool._type(
        {"anyOf": [{"type": "array", "items": {"$ref": "#/components/schemas/Board"}}]}
        | {"description": "boards"}
    )
    assert told == "list of [Board](#board)"
    assert tool._type({"enum": ["a", "b"]}) == "`a` or `b`"
    assert tool._type({"type": "string", "format": "date-time"}) == "date-time"
