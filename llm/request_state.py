"""What a call sends next: the request, in plain mode or not, and a re-ask if there was a reason for one."""

from dataclasses import dataclass

from llm.errors import LLMError, ReplyInvalid
from llm.fault_rules import FAULT_RULES, RetryAction
from llm.requests import ChatRequest, Message, tokens_estimate

SHOWN_CHARACTERS = 4000


@dataclass
class RequestState:
    """The state of one call; it belongs to one thread."""

    request: ChatRequest
    plain: bool
    reask: tuple[Message, ...] = ()

    def adapt(self, error: LLMError) -> bool:
        """Change what is sent as the fault's rule says, at most once each way; False when nothing changed."""
        again = FAULT_RULES[error.reason].again
        if again is RetryAction.PLAIN and not self.plain:
            self.plain = True
        elif again is RetryAction.REASK and isinstance(error, ReplyInvalid) and not self.reask:
            self.reask = (Message("assistant", error.text[:SHOWN_CHARACTERS]), _complaint(error.problem))
        else:
            return False
        return True

    def tokens(self, reply_tokens: int) -> int:
        """The estimate for everything of one request: the messages, what a re-ask adds, and the reply."""
        added = tokens_estimate(*(message.content for message in self.reask)) if self.reask else 0
        return self.request.prompt_tokens_estimate + added + reply_tokens


def _complaint(problem: str) -> Message:
    return Message(
        "user",
        f"This reply cannot be used: {problem}. "
        "Reply again with only the JSON object that was asked for, and nothing before or after it.",
    )
