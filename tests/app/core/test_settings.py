import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.settings import TABLE, Settings
from app.core.settings_table import Kind, Section, sections


def test_defaults_are_acceptable_and_survive_a_round(tmp_path):
    path = tmp_path / "deep" / "settings.json"
    settings = Settings(path)
    for entry in TABLE:
        settings.set(entry.key, entry.default)
    assert settings.save()
    again = Settings(path)
    assert all(again.get(entry.key) == entry.default for entry in TABLE)
    assert [entry.name for entry in path.parent.iterdir()] == ["settings.json"]


def test_values_are_kept_and_wrong_ones_refused(tmp_path):
    path = tmp_path / "settings.json"
    settings = Settings(path)
    settings.set("steps", 42)
    settings.set("model_folder", "/模型")
    for key, value in (("steps", 0), ("steps", "10"), ("takes", True), ("theme", "pink"), ("recent_models", [1])):
        with pytest.raises(ValueError, match="does not take"):
            settings.set(key, value)
    with pytest.raises(KeyError):
        settings.set("unknown", 1)
    settings.save()
    assert Settings(path).get("steps") == 42
    assert Settings(path).get("model_folder") == "/模型"


def test_a_damaged_file_is_set_aside(tmp_path):
    path = tmp_path / "settings.json"
    path.write_text('{"steps": 42')
    assert Settings(path).get("steps") == 10
    assert (tmp_path / "settings.json.damaged").read_text() == '{"steps": 42'


def test_unusable_values_fall_back_one_by_one(tmp_path):
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({"steps": -3, "cfg": 3.5, "from_the_future": 1}))
    settings = Settings(path)
    assert settings.get("steps") == 10
    assert settings.get("cfg") == 3.5
    assert len(settings.notes) == 1 and "steps" in settings.notes[0]
    settings.save()
    assert json.loads(path.read_text())["from_the_future"] == 1  # of a newer version, which may come back


def test_a_variable_counts_and_is_not_saved(tmp_path):
    path = tmp_path / "settings.json"
    environment = {"VOXCPM_THEME": "dark", "VOXCPM_LOAD_AT_START": "no", "VOXCPM_LANGUAGE": "klingon"}
    settings = Settings(path, environment)
    assert settings.get("theme") == "dark" and settings.get("load_at_start") is False
    assert settings.get("language") == "system" and "VOXCPM_LANGUAGE" in settings.notes[0]
    assert settings.forced_by("theme") == "VOXCPM_THEME" and settings.forced_by("language") == ""
    settings.set("theme", "light")
    assert settings.get("theme") == "dark"
    settings.save()
    assert Settings(path, {}).get("theme") == "light" and Settings(path, {}).get("load_at_start") is True


def test_a_value_that_was_handed_out_cannot_be_changed_from_outside(tmp_path):
    settings = Settings(tmp_path / "settings.json")
    settings.get("recent_models").append("/x")
    given = ["/a"]
    settings.set("recent_projects", given)
    given.append("/b")
    assert settings.get("recent_models") == [] and settings.get("recent_projects") == ["/a"]


def test_the_table_is_enough_to_build_a_dialog_from():
    keys = [entry.key for entry in TABLE]
    assert len(set(keys)) == len(keys)
    shown = [entry for entries in sections().values() for entry in entries]
    assert {entry.key for entry in TABLE if entry not in shown} == {
        entry.key for entry in TABLE if entry.section is Section.WINDOW
    }
    for entry in shown:
        assert entry.label and entry.help and entry.kind not in (Kind.TEXTS, Kind.NAMED_TEXTS)
        assert len(entry.choices) == len(entry.choice_labels) and (entry.kind is Kind.CHOICE) == bool(entry.choices)
        numeric = entry.kind in (Kind.COUNT, Kind.NUMBER)
        assert numeric == (entry.low is not None) == (entry.high is not None)
        if numeric:
            assert entry.accepts(entry.low) and entry.accepts(entry.high) and not entry.accepts(entry.high + 1)
    variables = [entry.variable for entry in TABLE if entry.variable]
    assert len(set(variables)) == len(variables) and all(name.startswith("VOXCPM_") for name in variables)


def test_a_folder_that_cannot_be_written_to_is_no_crash(tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert not Settings(tmp_path / "file" / "settings.json").save()


_ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=True) | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from([entry.key for entry in TABLE]), _ANY_JSON))
def test_whatever_stands_in_the_file_every_value_is_usable(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("settings") / "settings.json"
    path.write_text(json.dumps(values))
    settings = Settings(path)
    for entry in TABLE:
        assert entry.accepts(settings.get(entry.key))
    assert settings.save()
    again = Settings(path)
    assert again.notes == [] and all(again.get(entry.key) == settings.get(entry.key) for entry in TABLE)


@given(st.sampled_from([entry for entry in TABLE if entry.kind not in (Kind.TEXTS, Kind.NAMED_TEXTS)]), st.text())
def test_a_variable_gives_an_accepted_value_or_none(entry, text):
    try:
        value = entry.parse(text)
    except ValueError:
        return
    assert entry.accepts(value)


def test_whoever_listens_is_told_what_counts_now(tmp_path):
    settings = Settings(tmp_path / "settings.json", {"VOXCPM_THEME": "dark"})
    told = []
    settings.on_changed(lambda key: told.append((key, settings.get(key))))
    settings.set("steps", 12)
    settings.set("steps", 12)
    settings.set("theme", "light")  # the variable still counts
    settings.set("takes", 3)
    assert told == [("steps", 12), ("takes", 3)]
