"""The sentences in which files and settings are found wrong, as templates; those of `formats` stand there.

The readers fill them in where they find a problem. tests/presentation/test_problems.py holds this list and
the readers together.
"""

from formats.file_kinds import CHOOSE, GIVE_SCORES, KINDS, SAVE_AS_CSV, UNPACK, UTF_16
from formats.sentences import JSON_NAMES, SENTENCES, TOO_MANY_DIGITS
from formats.text_faults import BLANK, INVISIBLE, NUL, UNTRIMMED
from formats.wording import gettext_noop as _

# Values that are words of the sentence.
WORDS = frozenset(
    {*JSON_NAMES.values(), *KINDS, _("a task file"), _("the mini set"), _("PNG, JPEG, GIF, WebP or PDF")}
)

TEMPLATES = (
    *SENTENCES.values(),
    TOO_MANY_DIGITS,
    BLANK,
    NUL,
    UNTRIMMED,
    INVISIBLE,
    # whole files
    UTF_16,
    SAVE_AS_CSV,
    UNPACK,
    CHOOSE,
    GIVE_SCORES,
    _("is one JSON document, but {wanted} is expected: an object a line; {remedy}"),
    _("is {kind}, but {wanted} is expected; {remedy}"),
    _("is a folder, but a file is expected; name the file in it"),
    _("cannot be read ({reason}); check the path and its rights"),
    _("is {size}, above the limit of {limit}; split it"),
    _("is empty; is it the right file?"),
    _("is the {number}th line that is none; the rest of the file was not read"),
    _("breaks off at column {column} ({reason}); correct the JSON"),
    _("is nested too deeply; flatten it"),
    _("is {kind}, but an object in braces is expected"),
    _("has the byte 0x{byte} at position {column}, which is not UTF-8; save as UTF-8"),
    _('cannot be used: the field "{field}" appears twice in one object; keep one'),
    _("not valid CSV ({reason}); see that every quotation mark is closed"),
    _("not UTF-8; save the file as UTF-8"),
    _("is no column of the file; is it the right file?"),
    _("has {cells} cells, above the limit of {limit}; split it"),
    _("cannot be read as Parquet ({reason}); get the file again"),
    _("unpacks to more than the limit of {limit}; split it"),
    _("has no entries; write at least one"),
    # tables of people and payments, rated sheets
    _("is not UTF-8; save the file as UTF-8"),
    _("is no CSV ({reason}); export the file again"),
    _("field larger than field limit ({number})"),
    _("the file is empty; begin it with the line {columns}"),
    _("missing columns: {names}; begin the file with {columns}"),
    _("the columns must be some of {names}, each once"),
    _("columns that are there twice: {names}; keep one"),
    _("has {cells} cells for {columns} columns; put cells with a delimiter in quotes"),
    _("has no name in the first line; give it one, or empty the column"),
    # item parameters
    _("the key {key} occurs twice; keep one"),
    _("squeeze_scale + squeeze_offset must be below 1, or a score of 1 has no logit"),
    _("cannot read {path}: {reason}; name a readable item-parameter file"),
    _("{path} is not UTF-8 (byte {byte}); save it as UTF-8"),
    _("not JSON ({reason}); correct the file"),
    _("nested too deeply to be an item-parameter file"),
    # banks
    _("is a link that leads out of the bank's folder; put the file itself there"),
    _('has the unknown type "{type}"; convert it to {kinds}'),
    _("does not contain {type}, as its name says; correct the file or its name"),
    _("is blank; write the file's path or leave it out"),
    _("contains a NUL character; remove it"),
    _("leads out of the bank's folder; write a path inside it, without .."),
    _("has a name of more than {number} characters; shorten it"),
    _("is missing; put the file there or correct the path"),
    _("is {size}, above the limit of {limit}; make it smaller"),
    _("cannot be looked up ({reason}); correct the path"),
    _("cannot be read ({reason}); check its rights"),
    _("is {kind}, but a list of questions is expected; is it {wanted}?"),
    _('has the text of "{other}" and another answer; see that both are meant'),
    _(
        "is one file of BIG-Bench Extra Hard, whose questions have their ids from their place among all: "
        "give the folder that holds benchmark_tasks (as a zip on the page), or the Parquet file from "
        "Hugging Face"
    ),
    _("holds no {tasks}/<task>/task.json; give the folder that holds {folder}"),
    _("is no folder with task files; give the folder that holds <task>.json files"),
    _("is {kind}, but an object with input and target is expected"),
    _("matches no question of the task files by input and target; get both from one version"),
    _("the bank holds no prompts; give a file with at least one"),
    _("is {kind}, but a list of paths is expected"),
    _("both are absent; a prompt needs an answer or a rubric to be graded"),
    _("is already used in {first}; give each prompt its own id"),
    _("is {kind}, but a path in quotes is expected"),
    _("must be an object that gives each code its name"),
    _("names a version this program does not read; write {version}"),
    _('did you mean "{name}"?'),
    _("the fields are {names}"),
    _("is not a known field; {remedy}"),
    _("the folder holds no .jsonl or .parquet file; give the dataset's folder or one of its files"),
    _("is no list of texts; write it as a list, or leave it empty"),
    _("needs a minimum, a maximum or both"),
    _("has a minimum above its maximum"),
    # settings
    _('is "{slug}"; use lower-case letters, digits and single hyphens, such as stem-phd'),
    _("is blank; write the text participants are to see"),
    _("names option {correct} as correct, but there are {number}; correct the number"),
    _('uses the slug "{value}" twice; give every profile its own'),
    _('uses the slug "{value}" twice; give every arm its own'),
    _('uses the slug "{value}" twice; give every reason its own'),
    _('has the language "{value}" twice; keep one of them'),
    _('names "{value}" twice; keep one of them'),
    _('is only for the judge "{judge}"; leave it out or choose that judge'),
    _("late_tolerance_seconds reaches the whole time budget; lower it or raise the budget"),
    _("has one entry; write two or more, or none for no comparison"),
    _('is needed by the judge "{judge}"; give it or choose another judge'),
    # judges' texts
    _(
        "{path}: no judge texts found. Give a folder with {exact} and {rubric}, or a checkout of the "
        "GIM harness with {harness}."
    ),
    _("cannot be read ({reason}). Both files are needed."),
    _("is larger than {limit} MiB; is it the right file?"),
    _("line {line} is not UTF-8; save the file as UTF-8"),
    _("line {line} is no Python; get the file again"),
    _("is nested too deeply; get the file again"),
    _(
        "{name} is computed on line {line} and only plain strings are read. Put the two texts into "
        "{exact} and {rubric} instead."
    ),
    _(
        "the constant {name} is missing. Use another version of the harness, or put the two texts "
        "into {exact} and {rubric}."
    ),
    _("The {label} text lacks {places}; write each where its content belongs."),
    _("The {label} text {fault}."),
    # response matrices
    _("the first column must hold the configurations' names as text"),
    _("holds {type}, but scores are numbers; convert or leave out the column"),
    _("names no item; {remedy}"),
    _("write the configuration's column and then one per item, comma-separated"),
    _("the score of {item} {fault}"),
    _("is {score}; write a number from 0 to 1 with a decimal point, or nothing"),
    _("is NaN; leave the cell empty where there is no score"),
    _("is {score}, outside 0 to 1{remedy}"),
    _("; divide percentages by 100"),
    _("; if {number} stands for missing, leave the cell empty"),
    _("has {number} where the first line has {expected} cells"),
    _("{number} problems; the rest of the file was not read"),
    _("the item {name}: {fault}"),
    _("the item {name} occurs twice; keep one column"),
    _("the configuration has no name; give it one"),
    _("the configuration {name}: {fault}"),
    _("the configuration {name} is on {first} already; keep one"),
    _("the file holds no configuration; write one per line"),
    _("the file holds no score"),
    _("{path} is none of {endings} and {last}; name the file so"),
    _('there is no text under "{name}"; name the configuration'),
    _("cannot read {path}: {reason}; name a readable file"),
    # tables of accuracies
    _("{name} occurs twice; keep one"),
    _("the task {task} is missing"),
    _("{task} is not among the tasks"),
    _("{task} has {number} where the models are {models}"),
    _("no accuracy of {model} is above 1, so they look like shares; write percentages (45 for 0.45)"),
    # models' results
    _("holds no samples; write the log with its samples"),
    _("is {size}, above the limit of {limit}"),
    _("holds {number} files, above the limit of {limit}"),
    _("holds no header.json; is it an Inspect log? If so, {remedy}"),
    _("write it again with: inspect log convert --to json"),
    _("is encrypted; write the log without a password"),
    _("is compressed by a method that is not read here ({method}); {remedy}"),
    _("unpacks to more than the {limit} left for it"),
    _("{fault}; name the configuration with --model"),
    _("is blank, or begins or ends with white space"),
    _("is longer than {number} characters"),
    _("cannot be read ({reason}); check the path"),
    _("is no intact zip ({reason}); copy it again"),
    _("is damaged ({reason}); copy the log again"),
    _("its id {fault}"),
    _("has scores of several scorers ({names}); name one with --scorer"),
    _(
        'the number "{whole}" is followed by "{decimals}" in the next cell; write {whole}.{decimals} if that '
        "is one number, and {whole}.0 if it is not"
    ),
    _("no line has a score; fill in the column score"),
    _("no sample has the score {score}; there are {names}"),
    _("responses that have a score and no text, and count: {number}"),
    _("samples that somebody stopped, and count as they were scored: {number}"),
    _("the run did not end ({status}): samples {number} of {planned}"),
    _("the run did not end ({status}): samples {number}"),
    _("the log does not hold every sample: {number} of {planned}"),
    _("has the score {score}, which is no number from 0 to 1"),
    _("has the score {score}, which is outside 0 to 1"),
    _("contains the control character U+{number}; remove it"),
    _("more than {number} problems; the rest of the file was not read"),
    _("{model} has two responses to this prompt in epoch {epoch}; keep one"),
    _("is another {name} than in an earlier line of {model}; write the same one, or none"),
    _("the file holds more than {number} responses; import it in parts"),
    _("{model} has a theta already; keep one"),
    _("the file holds no results; is it the right file?"),
    _("{model} has more than {number} epochs; is this number one of an epoch?"),
    # what services say
    _(
        "Nothing was imported: the item bank holds other results of {names}. Add --replace to put "
        "these in their place."
    ),
    _("Nothing was imported: the item bank knows none of the prompts ({names}, …)."),
    _("Say where the results come from, in 1 to {number} characters."),
    _("The name {fault}."),
    _("Nothing was imported; problems found: %(number)s"),
    _("and %(number)s more"),
    _("Nothing was stored; the matrix cannot be calibrated: %(why)s"),
    _(
        "A set of %(size)d holds every question there is, so every cut of matrix sampling would be the same; "
        "ask fewer of each person, or build the sets another way."
    ),
    _("The zip must hold one file that ends in .jsonl, and has %(number)s. Nothing was imported."),
)
