# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m mlir_qdq.conformance: what it is held to, what it prints, and the page made of it."""

import itertools
import json
import runpy
import sys
import tarfile
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from build_tree import ENVIRONMENT, SOURCE, run_tool

from mlir_qdq import conformance, reference
from mlir_qdq.conformance import GROUPS, Conversion, Implementation, files, ours, report
from mlir_qdq.conformance.__main__ import main
from mlir_qdq.conformance.implementations import KNOWN, NotFound, groups_of
from mlir_qdq.conformance.score import conventions

sys.path.insert(0, str(SOURCE / "vectors" / "statements"))
import exact  # noqa: E402

PAGE = SOURCE / "docs" / "Conformance.md"
DIFFERENCES = SOURCE / "test" / "conformance" / "Differences.md"
#: Those whose packages tools/setup installs; tools/ecosystem/conformance runs the others.
HERE = (
    "compiled", "evaluator", "reference", "onnx-reference", "onnxruntime", "onnxruntime-matmul", "lower-quant-ops",
    "tosa-rescale", "gguf",
)  # fmt: skip


# --- what implementations of one profile are held to ------------------------------------


def by_exact_rationals(case: Conversion, start: int, step: int):
    """Elements as vectors/statements/exact.py has them, which shares nothing with the reference."""
    fields = {name: value for name, value in case.fields.items() if value != "undefined"}
    conversion = exact.Conversion(
        storage=case.storage, domain=case.domain, clamp=case.clamp, **fields
    )  # fmt: skip
    for at, owner in itertools.islice(np.ndenumerate(case.owners), start, None, step):
        x, *parameters = (
            value(operand.array[at] if index == 0 else np.ravel(operand.array)[owner])
            for index, operand in enumerate(case.operands)
        )
        z = parameters[1] if case.zero_point else None
        if case.operation == "quantize":
            yield at, conversion.quantize(x, parameters[0], z)
        else:
            yield at, conversion.dequantize(x, parameters[0], z, case.result.type)


def value(element):
    """A Python int of an integer, else a float."""
    is_integer = np.dtype(element.dtype).kind in "iu" or "int" in element.dtype.name
    return int(element) if is_integer else float(element)


@pytest.mark.parametrize("step", [19, pytest.param(1, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("profile", reference.PROFILES)
def test_profiles_on_the_corpus(profile, step):
    """Every `step`th element."""
    for number, case in enumerate(conformance.corpus(profile)):
        for at, expected in by_exact_rationals(case, number % step, step):
            if case.defined is not None and not case.defined[at]:
                continue
            actual = value(case.result.array[at])
            same = actual == expected and np.signbit(actual) == np.signbit(expected)
            assert same or (actual != actual and expected != expected), (case.name, at)


def test_groups_are_the_case():
    """Per tensor, group by group, the same comes out as at once."""
    for case in conformance.load("corpus/granularity.json"):
        actual = case.by_groups(ours.by_reference)
        assert not conformance.differs(actual, case).any(), case.name


@pytest.mark.parametrize("profile", reference.PROFILES)
def test_profiles_on_the_sums(profile):
    """Of requantize: the kind of the profile, by exact rationals."""
    for case in conformance.corpus(profile, "requantize"):
        sa, sy = (float(o.array) for o in (case.sa, case.sy))
        z = int(case.zero_point.array) if case.zero_point else None
        names = ("rounding", "order", "division", "overflow", "nan", "fusion")
        fields = {name: case.fields[name] for name in names if case.fields[name] != "undefined"}
        for row, sb in enumerate(case.sb.array):
            expected = [
                exact.requantize(int(a), sa, float(sb), sy, z, case.storage, case.rescale, **fields)
                for a in case.acc.array[row, ::5]
            ]
            np.testing.assert_array_equal(case.result.array[row, ::5], expected, case.name)


@pytest.mark.parametrize("profile", ["onnx", "ort"])
def test_profiles_on_the_parameters(profile):
    for case in conformance.corpus(profile, "choose-params"):
        assert case.mode in ("symmetric", "ort" if profile == "ort" else "asymmetric")
        for row, values in enumerate(case.x.array):
            s, z = exact.choose_params(
                [float(v) for v in values], case.storage, case.mode, case.x.type, case.scale.type, case.power_of_two
            )  # fmt: skip
            assert float(case.scale.array[row]) == s, (case.name, row)
            assert case.zero_point is None or int(case.zero_point.array[row]) == z, (case.name, row)


def test_archives_of_a_wheel(tmp_path, monkeypatch):
    """A wheel holds archives of the folders: the same manifests, and the same operands."""

    def all_cases():
        groups = {group: files.topics(group) for group in GROUPS}
        paths = [
            f"{files.folder_of(g)}/{topic}.json" for g, topics in groups.items() for topic in topics
        ]
        paths += [f"profiles/{profile}.json" for profile in files.recorded()]
        cases = [(path, case.name, case.operands) for path in paths for case in files.load(path)]
        return [
            (*names, [(o.type, o.array.tolist()) for o in operands]) for *names, operands in cases
        ]

    of_folders = all_cases()
    for folder in files.VECTORS.iterdir():
        with tarfile.open(tmp_path / f"{folder.name}.tar.xz", "w:xz", preset=0) as archive:
            archive.add(folder.resolve(), folder.name)
    monkeypatch.setattr(files, "VECTORS", tmp_path)
    assert len(of_folders) > 300 and repr(all_cases()) == repr(of_folders)


# --- scores -----------------------------------------------------------------------------


def half_away(case: Conversion) -> np.ndarray:
    """A quantizer with the commonest mistake: halves away from zero."""
    if case.operation == "dequantize":
        raise NotImplementedError("dequantize")
    case.require("onnx")
    return ours.by_reference(replace(case, semantics={"rounding": "nearest-away"}, profile=None))


def test_a_mistake_is_found_and_shown():
    score = conformance.score(Implementation("mine", half_away, profile="onnx"))
    assert score.total.differing and score.refused["dequantize"]
    (tie,) = [d for d in score.differences if d.kind == "rounding"]
    assert (tie.operands["x"], tie.operands["scale"], tie.result, tie.expected) == (
        "0.5",
        "1",
        "1",
        "0",
    )


def test_every_field_is_asked_of_who_names_no_profile():
    score = conformance.score(Implementation("mine", ours.by_reference), topics=["roundings"])
    assert (score.held_to, score.total.taken, score.total.differing) == ("every field", 37, 0)
    assert conventions(Implementation("mine", ours.by_reference)) == {}


def one_rounding_for_all(case: Conversion) -> np.ndarray:
    fields = case.semantics | ({"rounding": "floor"} if case.operation == "quantize" else {})
    return ours.by_reference(replace(case, semantics=fields))


def test_a_field_that_is_ignored_is_named():
    score = conformance.score(Implementation("mine", one_rounding_for_all), topics=["roundings"])
    # floor itself, two storages and two orders; and toward zero of sums that ui8 bounds by 0.
    assert score.total.equal == 5
    shortest = score.differences[0]
    assert (shortest.operands["x"], shortest.result, shortest.expected) == ("1.5", "1", "2")
    assert f"rounding, under {shortest.semantics}" in report.text([score])


def rounds_halves_up(case: conformance.Requantize) -> np.ndarray:
    """A fixed-point rescale with one rounding, where two are asked for."""
    return ours.by_reference(replace(case, rescale="fixed31-single"))


def test_a_mistake_of_a_rescale_is_found():
    mine = Implementation("mine", rounds_halves_up, profile="tflite", group="requantize")
    score = conformance.score(mine, topics=["wraps"])
    assert score.total.differing and {d.kind for d in score.differences} >= {"tie"}
    assert conventions(mine)["fixed31-single"] == 0 < conventions(mine)["fixed31-double"]


def skips_no_nan(case: conformance.ChooseParams):
    """Of a row with a NaN it makes NaN, and what follows from that."""
    scale, z = case.stated()[-2:]
    scale = np.where(np.isnan(case.x.array).any(axis=1), np.float32(np.nan), scale)
    codes = reference.quantize(case.x.array, scale, z, storage=case.storage, axis=0)
    return codes, scale, z


def test_a_mistake_of_parameters_is_found_once():
    """Among 40 values; the codes that follow from a scale are no mistake of their own."""
    mine = Implementation("mine", skips_no_nan, profile="onnx", group="choose-params")
    (found,) = conformance.score(mine, topics=["dynamic"]).differences
    assert (found.of, found.kind, found.operands) == ("scale", "NaN", {"x": "nan"})
    assert (found.result, found.expected) == ("nan", "1")


def test_results_have_their_number_and_type():
    case = conformance.corpus("onnx", "choose-params")[0]
    with pytest.raises(ValueError, match="1 results, expected scale, zero_point"):
        case.different(case.scale.array)
    with pytest.raises(ValueError, match="the zero point has dtype float32"):
        case.different((case.scale.array, case.scale.array))


@pytest.mark.parametrize(
    "name, taken",
    [("onnxruntime", 7), ("onnxruntime-matmul", 2), ("onnx-reference", 7), ("tosa-rescale", 8)],
)
def test_rescales_of_systems(name, taken):
    """All codes are those of the profile, and of no other kind that differs from it."""
    score = score_of(name, "requantize")
    assert score.total.taken == taken and score.total.differing == 0
    own = {"onnxruntime": "f32", "onnxruntime-matmul": "f32", "tosa-rescale": "fixed31-double"}.get(
        name
    )
    # The reference evaluator adds its zero point before the rounding, which is no kind.
    assert [kind for kind, count in score.conventions.items() if not count] == [own] * bool(own)


def test_recorded_vectors():
    score = conformance.score(
        Implementation("mine", ours.by_reference, profile="torch"), vectors="torch"
    )
    assert score.total.differing == 0 and score.total.taken == score.total.cases > 5


@pytest.mark.parametrize(
    "name, vectors",
    [("onnxruntime", "ort"), ("onnx-reference", "onnx"), ("lower-quant-ops", "mlir22")],
)
def test_systems_give_what_was_recorded_of_them(name, vectors):
    """Spelled here otherwise than in tools/record-vectors; `promised` aside, where the text is left."""
    score = conformance.score(conformance.implementation(name), vectors=vectors)
    assert score.total.taken >= 5 and score.total.differing == 0


def test_another_profile_than_its_own():
    """Not refused: shown as differences."""
    score = conformance.score(conformance.implementation("onnxruntime"), profile="tflite")
    (tie,) = [d for d in score.differences if d.kind == "rounding" and d.types == "f32 to i8"]
    assert (tie.operands["x"], tie.operands["scale"], tie.result, tie.expected) == (
        "0.5",
        "1",
        "0",
        "1",
    )


def test_conventions_tell_systems_apart():
    """No other profile has the codes of ONNX Runtime, but for those that agree on finite values."""
    counts = conventions(conformance.implementation("onnxruntime"))
    assert [name for name, count in counts.items() if not count] == ["onnx", "ort", "quark"]


# --- the command ------------------------------------------------------------------------


def test_exit_codes(capsys):
    assert main(["reference", "--topic", "roundings"]) == 0
    assert main(["onnx-reference", "--topic", "saturation"]) == 1
    assert main(["onnxruntime", "--topic", "integers-and-biases"]) == 2  # it takes none of these
    capsys.readouterr()


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["onnxruntim"], "did you mean onnxruntime?"),
        (["no.such:thing"], "ModuleNotFoundError: No module named 'no'"),
        (["json:nothing"], "json has no nothing"),
        (["reference", "--profile", "numpy"], "unknown profile 'numpy': expected one of onnx, ort"),
        (["reference", "--vectors", "numpy"], "unknown vectors 'numpy': expected one of corpus"),
        (["reference", "--topic", "numpy"], "unknown topic 'numpy': expected one of compute-types"),
        (["reference", "--write", "no/such/page.md"], "no page no/such/page.md"),
        (["gguf", "--group", "requantize"], "gguf has no requantize: it offers choose-params"),
        (
            ["reference", "--group", "requantize", "--vectors", "ort"],
            "is of conversions, not of requantize",
        ),
    ],
)
def test_mistaken_arguments(arguments, message, capsys):
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == "" and message in err


def test_json_and_markdown(capsys):
    assert main(["reference", "--topic", "divisions", "--json"]) == 0
    (score,) = json.loads(capsys.readouterr().out)
    assert score["topics"] == {"divisions": score["total"]} and score["total"]["equal"] == 5
    assert main(["reference", "--topic", "divisions", "--markdown"]) == 0
    assert "| reference | mlir-qdq" in capsys.readouterr().out


def test_a_users_own_callable(tmp_path):
    """As its author runs it: a file in the current directory, another process."""
    (tmp_path / "mine.py").write_text(
        "import numpy as np\n"
        "def convert(case):\n"
        "    if case.operation == 'dequantize' or case.storage != 'i8' or case.x.type != 'f32' or case.clamp:\n"
        "        raise NotImplementedError('only f32 to i8')\n"
        "    if case.zero_point and case.zero_point.type != 'i8':\n"
        "        raise NotImplementedError('zero points of i8 only')\n"
        "    case.require('ort')\n"
        "    return case.by_groups(one)\n"
        "def one(group):\n"
        "    z = int(group.zero_point.array) if group.zero_point else 0\n"
        "    with np.errstate(all='ignore'):\n"
        "        codes = np.rint(group.x.array / group.scale.array.astype(np.float32)) + z\n"
        "    return np.clip(codes, -128, 127).astype(np.int8)\n"
        "convert.profile = 'ort'\n"
    )
    command = [sys.executable, "-m", "mlir_qdq.conformance", "mine:convert", "--json"]
    result = run_tool(*command, cwd=tmp_path, check=False, env=ENVIRONMENT)
    assert result.returncode == 1, result.stderr
    (score,) = json.loads(result.stdout)
    assert {d["kind"] for d in score["differences"]} == {"NaN"}


def test_a_callable_that_fails(tmp_path, monkeypatch, capsys):
    """No traceback, and not the exit code of a difference."""
    (tmp_path / "failing.py").write_text("def convert(case):\n    return case.no_such_thing\n")
    monkeypatch.chdir(tmp_path)
    assert main(["failing:convert"]) == 2
    assert "failing:convert on compute-types/" in capsys.readouterr().err


def test_unavailable_systems_say_what_they_need():
    for name in set(KNOWN) - set(HERE):
        try:
            conformance.implementation(name)
        except NotFound as error:
            assert f"needs the package {KNOWN[name][1]}" in str(error)


# --- the page ---------------------------------------------------------------------------


@cache
def score_of(name: str, group: str):
    chosen = conformance.implementation(name, group)
    result = conformance.score(chosen)
    result.conventions = conventions(chosen)
    return result


#: The slowest by far, and the least to change.
UPSTREAM = pytest.param("lower-quant-ops", "conversions", marks=pytest.mark.exhaustive)


@pytest.mark.unoptimized
@pytest.mark.parametrize(
    "name, group",
    [
        UPSTREAM if UPSTREAM.values == (name, group) else (name, group)
        for name in HERE
        for group in groups_of(name)
    ],
)
def test_page_is_up_to_date(name, group):
    """Of the version that the page names; another one may give other codes, in its own rows."""
    pages, score = [path.read_text() for path in (PAGE, DIFFERENCES)], score_of(name, group)
    title = "scores" if group == "conversions" else f"{group}-scores"
    table = "".join(pages).split(f"<!-- {title}: begin -->")[1].split(f"<!-- {title}: end -->")[0]
    recorded = next(
        line.split("|")[2].strip() for line in table.splitlines() if line.startswith(f"| {name} |")
    )
    merged = [report.merged(page, [score]) for page in pages]
    for path, old, new in zip((PAGE, DIFFERENCES), pages, merged):
        if score.version == recorded:
            assert new == old, f"run: python -m mlir_qdq.conformance {name} --write {path}"
        assert without_rows(new, name) == without_rows(old, name)
    assert f"| {name} | {score.version} |" in "".join(merged)


def without_rows(page: str, name: str) -> list[str]:
    return [line for line in page.splitlines() if not line.startswith(f"| {name} |")]


def test_picture_is_up_to_date():
    """docs/images/profiles.svg: how many codes two profiles disagree on."""
    made = runpy.run_path(str(SOURCE / "docs" / "images" / "profiles.py"))["picture"]()
    assert (SOURCE / "docs" / "images" / "profiles.svg").read_text() == made, (
        "run: python docs/images/profiles.py"
    )


def test_pages_have_every_implementation():
    page = PAGE.read_text() + DIFFERENCES.read_text()
    names = set()
    for group in GROUPS:
        title = "scores" if group == "conversions" else f"{group}-scores"
        table = page.split(f"<!-- {title}: begin -->")[1].split(f"<!-- {title}: end -->")[0]
        names |= {line.split("|")[1].strip() for line in table.strip().splitlines()[2:]}
    assert names == set(KNOWN)
