"""One entry to all bank formats."""

from collections.abc import Callable, Mapping
from pathlib import Path

from formats.files import DEFAULT_LIMITS, Limits
from formats.progress import Progress, unseen
from studies.bank.big_bench_formats import read_bbeh, read_bbh
from studies.bank.building import BankReading
from studies.bank.chiron_format import read_chiron
from studies.bank.gim_format import read_gim
from studies.bank.records import BankFormat

READERS: Mapping[BankFormat, Callable[..., BankReading]] = {
    "chiron": read_chiron,
    "gim": read_gim,
    "bbeh": read_bbeh,
    "bbh": read_bbh,
}


def read_bank(
    bank_format: BankFormat,
    path: Path,
    *,
    mini: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    progress: Progress = unseen,
) -> BankReading:
    """The valid prompts of a bank and all of its problems; whether to go on is for the caller to decide.

    `mini` asks for the mini set and means something for bbeh only; raises ValueError for another format.
    """
    if not mini:
        return READERS[bank_format](path, limits=limits, progress=progress)
    if bank_format != "bbeh":
        raise ValueError(f"Only bbeh has a mini set; read {bank_format} without it.")
    return read_bbeh(path, mini=True, limits=limits, progress=progress)
