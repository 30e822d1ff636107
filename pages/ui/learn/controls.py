"""The controls of a stop, their text in a link, and the checks of untrusted values."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

State = dict[str, Any]
Point = list[float]


@dataclass(frozen=True)
class Slider:
    """A number in a range."""

    name: str
    label: str
    low: float
    high: float
    step: float
    usual: float
    unit: str = ""
    help: str = ""

    def clean(self, value: object) -> float:
        """Return the slider's nearest number; its default if the value is not a number."""
        number = _number(value)
        if number is None:
            return self.usual
        steps = round((min(max(number, self.low), self.high) - self.low) / self.step)
        return round(self.low + steps * self.step, 6)

    def said(self, value: Any) -> str:
        return f"{value:g}"

    def drawn(self) -> dict[str, Any] | None:
        return {"kind": "slider", **vars(self)}


@dataclass(frozen=True)
class ChoiceControl:
    """A choice of one option; options: for each name in links, the words that visitors see."""

    name: str
    label: str
    options: tuple[tuple[str, str], ...]
    help: str = ""

    @property
    def usual(self) -> str:
        return self.options[0][0]

    def clean(self, value: object) -> str:
        return next((name for name, _ in self.options if name == value), self.usual)

    def said(self, value: Any) -> str:
        return str(value)

    def drawn(self) -> dict[str, Any] | None:
        return {"kind": "choice", **vars(self)}


@dataclass(frozen=True)
class Switch:
    """A switch that is on or off."""

    name: str
    label: str
    help: str = ""
    usual: bool = False

    def clean(self, value: object) -> bool:
        return value in (True, "1")

    def said(self, value: Any) -> str:
        return "1" if value else "0"

    def drawn(self) -> dict[str, Any] | None:
        return {"kind": "switch", **vars(self)}


@dataclass(frozen=True)
class Draw:
    """A button that draws other random numbers: it adds one to the seed."""

    name: str
    label: str
    help: str = ""
    usual: int = 0

    def clean(self, value: object) -> int:
        number = _number(value)
        return self.usual if number is None else int(abs(number)) % 1000

    def said(self, value: Any) -> str:
        return str(value)

    def drawn(self) -> dict[str, Any] | None:
        return {"kind": "draw", **vars(self)}


@dataclass(frozen=True)
class PointsControl:
    """Points that the visitor moves in a panel, within the ranges `across` and `up`."""

    name: str
    across: tuple[float, float]
    up: tuple[float, float]
    usual: tuple[tuple[float, float], ...] = ()
    most: int = 20
    fixed: bool = False  # the number of points cannot change

    def clean(self, value: object) -> list[Point]:
        """Return points from a list or a link's text; the default points if these are invalid."""
        if isinstance(value, str):
            value = [place.split(",") for place in value.split(";") if place]
        usual = [list(place) for place in self.usual]
        if not isinstance(value, list) or (self.fixed and len(value) != len(usual)):
            return usual
        places = []
        for place in value[: self.most]:
            if not isinstance(place, list) or len(place) != 2:
                return usual
            numbers = [_number(each) for each in place]
            if None in numbers:
                return usual
            ranges = (self.across, self.up)
            places.append(
                [min(max(n or 0.0, a), b) for n, (a, b) in zip(numbers, ranges, strict=True)]
            )
        return places

    def said(self, value: Any) -> str:
        return ";".join(",".join(f"{number:g}" for number in place) for place in value)

    def drawn(self) -> dict[str, Any] | None:
        return None  # the panel draws the points


Control = Slider | ChoiceControl | Switch | Draw | PointsControl


def usual_state(controls: tuple[Control, ...]) -> State:
    """Return the default state of a stop."""
    return state_of(controls, {})


def state_of(controls: tuple[Control, ...], given: Mapping[str, object]) -> State:
    """Return a state from the browser or a link, with defaults for invalid values."""
    return {each.name: each.clean(given.get(each.name)) for each in controls}


def link_of(controls: tuple[Control, ...], state: State) -> dict[str, str | None]:
    """Return the parameters of a link; None for default values, which the link omits."""
    usual = usual_state(controls)
    return {
        each.name: None if state[each.name] == usual[each.name] else each.said(state[each.name])
        for each in controls
    }


def _number(value: object) -> float | None:
    """Return a finite number, or the number in a text; None for other values."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if isfinite(number) else None
