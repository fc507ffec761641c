"""What participants read by default. A study replaces any of it before it is frozen.

All of it is Markdown, except the resource categories and the reasons of reviewers.
"""

from formats.wording import gettext_noop

DEFAULT_ALLOWED_TOOLS = """\
Any language model you have access to, web search, books, papers, code and any other reference. The study \
provides none of them.
"""

DEFAULT_RESOURCE_CATEGORIES = (
    "Search engine",
    "Books",
    "Preprints",
    "Scientific papers",
    "Language models",
    "Code or calculators",
)

DEFAULT_INSTRUCTIONS = """\
**Your task.** You receive one set of questions. Give the most accurate final answer you can to each \
of them, with the help of whatever the list of allowed tools names.

**Time.** One clock runs for the whole set. It covers everything: looking things up, working with a \
model, writing and handing in. It starts when you press the start button, not before, and it does not \
pause.

**Tools.** Use whatever the list of allowed tools names, as much or as little as you like.

**Check what a model tells you.** Models make mistakes that read well. Verify what matters and edit it \
before you make it your answer. Handing in a model's words unchanged is allowed, above all when time \
runs short, but it is meant as the last resort and not as the normal way of working.

**Write answers, not remarks.** We grade your final answer. Remarks on the question or on the model are \
no answer. If you cannot finish one, write what you have.

**Resources.** Before you hand in, tick the kinds of resources you used. Broad kinds for the whole set \
are enough; nobody asks for a list of pages.

**Order and saving.** Answer in any order and change answers as often as you like while the clock runs. \
What you type is saved as you go.
"""

DEFAULT_CONSENT = """\
By agreeing you take part in a study of how well people answer benchmark questions, with the tools that its \
instructions name.

**What is recorded**

The list below this text names everything this site records about you in this study.

**What happens with it**

- Your answers are graded, by software and possibly by a language model of another provider.
- Results are reported for groups. Data handed to analysts carry a code, not your name or address.
- Please write nothing into an answer that identifies you or another person.

**Your rights**

- Taking part is voluntary. You can withdraw on your own page at any time, without giving a reason.
- After you withdraw, your answers are left out of all further results.
- Ask the people who invited you if anything is unclear, before you agree or later.
"""

DEFAULT_PRACTICE_PROMPTS = (
    "A recipe for four people needs 300 g of flour. How much flour do six people need? Answer in grams and "
    "show how you got there.",
    "Explain in two or three sentences, to somebody who has never heard of it, why the sky is blue in the "
    "daytime and red at sunset.",
)

# Question, options, number of the right option from 1.
DEFAULT_CHECK = (
    (
        "When does the clock run?",
        (
            "Only while the page is open.",
            "From the start button on, without a pause, whatever I do.",
            "Separately for each question.",
        ),
        2,
    ),
    (
        "A model gave you an answer that reads well. What do we ask of you?",
        (
            "To check what matters and correct it before it becomes your answer.",
            "Not to use it in any way.",
            "To paste it and write a remark on how good the model is.",
        ),
        1,
    ),
    (
        "You cannot finish a question. What do you do?",
        (
            "Write what is difficult about the question.",
            "Write one word so that the field is not empty.",
            "Write as much of an answer as you have.",
        ),
        3,
    ),
)

DEFAULT_NEXT_STEPS = """\
The study team looks at all sessions, then the answers are graded. You need not do anything more.
"""

DEFAULT_PAYMENT_NOTE = """\
Everybody who took part is paid as agreed when they were recruited, whatever becomes of their answers. Name \
the reference on this receipt if you have a question about it.
"""

DEFAULT_CONTACT = """\
Write to the study team on the help page of this site, or reply to the message that invited you.
"""

# Why somebody does not count, then why they do: short names, and the words that reviewers choose by.
DEFAULT_SCREENING_REASONS = (
    ("no-answers", gettext_noop("Nothing or hardly anything was answered")),
    ("too-short", gettext_noop("Answers much too short for what was asked")),
    ("comments", gettext_noop("Comments on the question or on a model instead of answers")),
    ("same-text", gettext_noop("The same text again and again")),
    ("unrelated", gettext_noop("Texts that have nothing to do with the questions")),
    ("short-suffices", gettext_noop("Short, but the questions ask for no more")),
    ("honest-attempt", gettext_noop("An honest attempt, right or wrong")),
    ("out-of-time", gettext_noop("Ran out of time, on task until then")),
)
