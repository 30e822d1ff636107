"""A cache that all visitors and all background threads share."""

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from functools import wraps
from typing import Generic, ParamSpec, TypeVar

Given = ParamSpec("Given")
Answer = TypeVar("Answer")
Value = TypeVar("Value")


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


class _Named(Generic[Value]):
    """A value that the cache identifies by its name."""

    def __init__(self, value: Value, name: str) -> None:
        self.value, self.name = value, name

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Named) and other.name == self.name


def kept_by_name(
    most: int,
) -> Callable[[Callable[[Value, str], Answer]], Callable[[Value, str], Answer]]:
    """Cache a function of a value and its name, which alone identifies the value; see `kept`."""

    def decorate(function: Callable[[Value, str], Answer]) -> Callable[[Value, str], Answer]:
        ask = kept(most)(lambda named: function(named.value, named.name))
        return wraps(function)(lambda value, name: ask(_Named(value, name)))

    return decorate
