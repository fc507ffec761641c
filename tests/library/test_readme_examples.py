"""The examples of the library's README run as they stand, and give the numbers that stand there."""

import doctest
import re
import shutil
from pathlib import Path

import pytest

import psychometrics
from psychometrics import interface

LIBRARY = Path(__file__).resolve().parents[2] / "psychometrics"
README = (LIBRARY / "README.md").read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r"^## ([^\n]+)\n.*?^```pycon\n(.*?)^```", README, re.MULTILINE | re.DOTALL))


def test_the_readme_has_five_examples() -> None:
    assert list(EXAMPLES) == [
        "Theta of a CSV",
        "A cohort with its honest interval",
        "Top against its null",
        "Calibration of a matrix",
        "Agreement of two judges",
    ]


@pytest.mark.parametrize("title", EXAMPLES)
def test_an_example_prints_what_the_readme_shows(
    title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(LIBRARY / "examples", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    said: list[str] = []

    example = doctest.DocTestParser().get_doctest(EXAMPLES[title], {}, title, "README.md", 0)
    outcome = doctest.DocTestRunner().run(example, out=said.append)

    assert outcome.failed == 0, "".join(said)
    assert outcome.attempted >= 4


def test_every_public_function_is_in_the_readme_and_says_what_it_raises_or_returns() -> None:
    public = {name: getattr(psychometrics, name) for name in psychometrics.__all__}
    functions = {name: one for name, one in public.items() if not isinstance(one, type)}

    assert {name for name in functions if f"`{name}`" not in README} == set()
    assert {name for name, one in public.items() if not one.__doc__} == set()
    assert set(psychometrics.__all__) <= set(dir(psychometrics))


def test_every_name_of_the_interface_is_one_of_the_library() -> None:
    assert list(psychometrics.__all__) == list(interface.__all__)
    assert psychometrics.item_bank(["a", "b"], [1.0, 0.5], [0.0, 1.0]).prompt_ids == ("a", "b")


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'theta_of_everything'"):
        _ = psychometrics.theta_of_everything  # type: ignore[attr-defined]
