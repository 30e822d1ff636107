"""A cache that all visitors and all background threads share."""

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from functools import wraps
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


def kept(most: int) -> Callable[[Callable[Given, Answer]], Callable[Given, Answer]]:
    """Cache a function's results; equal calls wait for one result.

    Callers must not change the results.

    most: the size of the cache; the least recently used results are removed first. Errors are not
    cached.
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
