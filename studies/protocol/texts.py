"""What participants read by default. A study replaces any of it before it is frozen.

All of it is Markdown, except the resource categories.
"""

DEFAULT_ALLOWED_TOOLS = """\
The model the study provides, any other language model, web search, books, papers, code and any other \
reference.
"""

DEFAULT_RESOURCE_CATEGORIES = (
    "Search engine",
    "Books",
    "Preprints",
    "Scientific papers",
    "Other language models",
    "Code or calculators",
)

DEFAULT_INSTRUCTIONS = """\
**Your task.** You receive one batch of questions. Give the most accurate final answer you can to each \
of them, working with AI assistance.

**Time.** One clock runs for the whole batch. It covers everything: looking things up, working with a \
model, writing and handing in. It starts when you press the start button, not before, and it does not \
pause.

**Tools.** Use whatever the list of allowed tools names, as much or as little as you like.

**Check what a model tells you.** Models make mistakes that read well. Verify what matters and edit it \
before you make it your answer. Handing in a model's words unchanged is allowed, above all when time \
runs short, but it is meant as the last resort and not as the normal way of working.

**Write answers, not remarks.** We grade your final answer. Remarks on the question or on the model are \
no answer. If you cannot finish one, write what you have.

**Resources.** Before you hand in, tick the kinds of resources you used besides the model the study \
provides. Broad kinds for the whole batch are enough; nobody asks for a list of pages.

**Order and saving.** Answer in any order and change answers as often as you like while the clock runs. \
What you type is saved as you go.
"""

DEFAULT_CONSENT = """\
By agreeing you take part in a study of how well people answer benchmark questions with AI assistance.

**What is recorded**

- your e-mail address, which is how you sign in;
- your profile, what you submitted with it, and the decision on it with its reason;
- which version of this text you agreed to, and when;
- when you started, when you opened each question, every saved version of each answer with its time, and \
when you handed in or your time ran out;
- the kinds of resources you tick, and whatever you write in the answer fields;
- if the study offers a model on this site: what you send to it and what it replies.

**What happens with it**

- Your answers are graded, by software and possibly by a language model of another provider.
- Results are reported for groups. Data handed to analysts carry a code, not your name or address.
- Please write nothing into an answer that identifies you or another person.

**Your rights**

- Taking part is voluntary. You can withdraw on your own page at any time, without giving a reason.
- After you withdraw, your answers are left out of all further results.
- Ask the people who invited you if anything is unclear, before you agree or later.
"""
