"""Run programs from PyPI on the fixed inputs and print what they say, with their versions, as JSON.

    python -m tests.evidence.with_python PROGRAM > tests/evidence/frozen/PROGRAM.json

Run in an environment of its own that has the program; nothing of Chiron is imported. Results are as the
programs give them; what has to be done to compare them stands in the tests.
"""

import importlib
import json
import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np

from tests.evidence.inputs import FAMILIES, Inputs

Results = dict[str, Any]


def krippendorff(data: dict[str, Inputs]) -> Results:
    alpha = importlib.import_module("krippendorff").alpha
    three = np.array(data["agreement"]["three"], dtype=float).T
    two = np.array([data["agreement"]["x"], data["agreement"]["y"]])
    met = np.where(np.isnan(three), np.nan, three >= 0.5)
    return {
        "three_interval": alpha(three, level_of_measurement="interval"),
        "three_nominal": alpha(three, level_of_measurement="nominal"),
        "three_met_nominal": alpha(met, level_of_measurement="nominal"),
        "two_interval": alpha(two, level_of_measurement="interval"),
        "two_met_nominal": alpha((two >= 0.5).astype(float), level_of_measurement="nominal"),
    }


def sklearn(data: dict[str, Inputs]) -> Results:
    kappa = importlib.import_module("sklearn.metrics").cohen_kappa_score
    x, y = (np.array(data["agreement"][name]) >= 0.5 for name in "xy")
    own = data["stratified"]
    human, judge = (np.array(own[name]) >= 0.5 for name in ("human", "judge"))
    return {"kappa": kappa(x, y), "weighted": kappa(human, judge, sample_weight=own["weight"])}


def irrCAC(data: dict[str, Inputs]) -> Results:  # noqa: N802  # the program's own name
    pandas, raw = importlib.import_module("pandas"), importlib.import_module("irrCAC.raw")
    x, y = (np.array(data["agreement"][name]) >= 0.5 for name in "xy")
    cac = raw.CAC(pandas.DataFrame({"x": x.astype(int), "y": y.astype(int)}), digits=12)
    found = {"gwet": cac.gwet(), "brennan_prediger": cac.bp(), "krippendorff": cac.krippendorff()}
    return {name: one["est"]["coefficient_value"] for name, one in found.items()}


def pingouin(data: dict[str, Inputs]) -> Results:
    pg, pandas = importlib.import_module("pingouin"), importlib.import_module("pandas")
    x, y = data["agreement"]["x"], data["agreement"]["y"]
    rows = [(n, judge, score) for judge, scores in (("x", x), ("y", y)) for n, score in enumerate(scores)]
    frame = pandas.DataFrame(rows, columns=["answer", "judge", "score"])
    icc = pg.intraclass_corr(frame, targets="answer", raters="judge", ratings="score")
    return {
        "icc": dict(zip(icc["Type"], icc["ICC"].astype(float), strict=True)),
        "pearson": float(pg.corr(x, y)["r"].iloc[0]),
        "spearman": float(pg.corr(x, y, method="spearman")["r"].iloc[0]),
    }


def girth(data: dict[str, Inputs]) -> Results:
    ability_mle = importlib.import_module("girth").ability_mle
    own = data["right_or_wrong"]
    right = np.array(own["right"]).T
    return {"ability_mle": ability_mle(right, np.array(own["b"]), np.array(own["a"])).tolist()}


def statsmodels(data: dict[str, Inputs]) -> Results:
    api = importlib.import_module("statsmodels.api")
    own = {name: np.array(column) for name, column in data["answers"].items()}
    z = own["y"] + own["a"] * own["b"]
    ols = api.OLS(z, own["a"])
    fits = {
        name: ols.fit(cov_type="cluster", cov_kwds={"groups": own[name]}) for name in ("person", "prompt")
    }
    return {
        "theta_pool": float(fits["person"].params[0]),
        "se_clustered": {name: float(fit.bse[0]) for name, fit in fits.items()},
        **regression_of(api, data["regression"]),
        **spread_of(data["people"]),
        "holm": holm_of(data["simple"]),
        "crossed": crossed_of(data["crossed"]),
        "stratified": weighted_of(data["stratified"]),
    }


def weighted_of(own: Inputs) -> Results:
    weighted = importlib.import_module("statsmodels.stats.weightstats").DescrStatsW
    found = weighted(np.column_stack([own["human"], own["judge"]]), weights=own["weight"])
    return {"means": found.mean.tolist(), "pearson": float(found.corrcoef[0, 1])}


def regression_of(api: Any, own: Inputs) -> Results:
    x = np.column_stack([np.ones(len(own["y"])), own["x1"], own["x2"]])
    kind = {"groups": np.array(own["cluster"]), "use_correction": False}
    fit = api.Logit(np.array(own["y"]), x).fit(cov_type="cluster", cov_kwds=kind, disp=False, tol=1e-12)
    return {"logit": {"coefficients": fit.params.tolist(), "se_without_correction": fit.bse.tolist()}}


def spread_of(own: Inputs) -> Results:
    meta = importlib.import_module("statsmodels.stats.meta_analysis")
    found = {}
    for name in ("differ", "alike"):
        # With a tolerance smaller than its own, 1e-5, its iteration can pass the root and end at 0.
        fit = meta.combine_effects(np.array(own[name]), np.array(own["v"]), method_re="iterated")
        found[name] = {"tau2": float(fit.tau2), "mean": float(fit.mean_effect_re)}
    return {"paule_mandel": found}


def holm_of(own: Inputs) -> list[float]:
    tests = importlib.import_module("statsmodels.stats.multitest").multipletests(own["p"], method="holm")
    return [float(one) for one in tests[1]]


def crossed_of(own: Inputs) -> Results:
    mixed, pandas = (importlib.import_module(name) for name in ("statsmodels.formula.api", "pandas"))
    z = np.array(own["z"])
    person, prompt = np.indices(z.shape)
    columns = {"z": z.ravel(), "person": person.ravel(), "prompt": prompt.ravel(), "all": 1}
    parts = {"person": "0 + C(person)", "prompt": "0 + C(prompt)"}
    fit = mixed.mixedlm("z ~ 1", pandas.DataFrame(columns), groups="all", vc_formula=parts).fit(reml=True)
    found = dict(zip(fit.model.exog_vc.names, fit.vcomp.tolist(), strict=True))
    return {"mean": float(fit.fe_params.iloc[0]), "variances": found | {"residual": float(fit.scale)}}


PROGRAMS: dict[str, tuple[Callable[[dict[str, Inputs]], Results], tuple[str, ...]]] = {
    "krippendorff": (krippendorff, ("agreement",)),
    "sklearn": (sklearn, ("agreement", "stratified")),
    "irrCAC": (irrCAC, ("agreement",)),
    "pingouin": (pingouin, ("agreement",)),
    "girth": (girth, ("right_or_wrong",)),
    "statsmodels": (statsmodels, ("answers", "regression", "people", "simple", "crossed", "stratified")),
}
DISTRIBUTIONS = {"sklearn": "scikit-learn"}


def main(name: str) -> None:
    function, families = PROGRAMS[name]
    data = {family: FAMILIES[family]() for family in families}
    frozen = {
        "program": name,
        "version": version(DISTRIBUTIONS.get(name, name)),
        "runs_on": f"Python {sys.version.split()[0]}, numpy {np.__version__}",
        "script": "tests/evidence/with_python.py",
        "inputs": data,
        "results": function(data),
    }
    sys.stdout.write(json.dumps(frozen) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
