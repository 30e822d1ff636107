"""Answers that are kept for all visitors, and that a thread without a visitor may ask for, too."""

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from functools import wraps
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


def kept(most: int) -> Callable[[Callable[Given, Answer]], Callable[Given, Answer]]:
    """Keep a function's last answers, which nobody may change; who asks meanwhile waits for it.

    most: how many; those not asked for the longest go first. Errors are not kept.
    """

    def decorate(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
        answers: dict[Hashable, Future[Answer]] = {}
        lock = threading.Lock()

        @wraps(function)
        def ask(*args: Given.args, **kwargs: Given.kwargs) -> Answer:
            question = (args, tuple(sorted(kwargs.items())))
            with lock:
                known = answers.pop(question, None)
                answer = answers[question] = known or Future()
                while len(answers) > most:
                    answers.pop(next(iter(answers)))
            if known is None:
                try:
                    answer.set_result(function(*args, **kwargs))
                except BaseException as error:
                    with lock:
                        answers.pop(question, None)
                    answer.set_exception(error)
            return answer.result()

        return ask

    return decorate
