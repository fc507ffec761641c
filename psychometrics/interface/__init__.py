"""The public interface of the library; `import psychometrics` loads it when one of its names is used."""

from formats.item_parameters import ItemParametersRefused, ResponseModel
from psychometrics.agreement.paired import ScoresRefused
from psychometrics.agreement.pairs import Agreement
from psychometrics.calibration.fitting import BankFit, FitOptions
from psychometrics.calibration.model import NotCalibratable
from psychometrics.data.cohort import Cohort
from psychometrics.data.cohort_table import CohortRefused
from psychometrics.data.response_matrix import ResponseMatrix, response_matrix
from psychometrics.data.response_matrix_files import ResponseMatrixRefused
from psychometrics.data.score_table import ScoreTableRefused
from psychometrics.inference.estimates import Estimate, Reason, Share
from psychometrics.inference.measure import Block, Measure
from psychometrics.interface.arguments import item_bank
from psychometrics.interface.banks import calibrate, item_bank_of, load_response_matrix, save_item_bank
from psychometrics.interface.measuring import (
    Results,
    agreement_of,
    cohort_from_columns,
    load_cohort,
    measure,
    plan,
)
from psychometrics.interface.scores import (
    Scores,
    ability,
    load_item_bank,
    load_scores,
    quasi_likelihood,
    scores_of,
)
from psychometrics.irt.ability import GroupAbility
from psychometrics.irt.bank import ItemBank
from psychometrics.irt.transform import ScoreOutOfRange, Transform
from psychometrics.planning.formulas import Plan, Prices
from psychometrics.planning.tables import Planned

__all__ = [
    "Agreement", "BankFit", "Block", "Cohort", "CohortRefused", "Estimate", "FitOptions", "GroupAbility",
    "ItemBank", "ItemParametersRefused", "Measure", "NotCalibratable", "Plan", "Planned", "Prices", "Reason",
    "ResponseMatrix", "ResponseMatrixRefused", "ResponseModel", "Results", "ScoreOutOfRange",
    "ScoreTableRefused", "Scores", "ScoresRefused", "Share", "Transform", "ability", "agreement_of",
    "calibrate", "cohort_from_columns", "item_bank", "item_bank_of", "load_cohort", "load_item_bank",
    "load_response_matrix", "load_scores", "measure", "plan", "quasi_likelihood", "response_matrix",
    "save_item_bank", "scores_of",
]  # fmt: skip
