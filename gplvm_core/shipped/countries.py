"""142 countries over fifty years: numbers, a continent, yes/no and a count, from Gapminder."""

import numpy as np

from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.packages import files_of, require_packages

PACKAGES = ("plotly", "pandas")
SHOWN = (1957, 1982, 2007)


def load_countries() -> Dataset:
    """Load 142 countries, one row each, labelled by continent.

    The columns are the continent, life expectancy in 1957, 1982 and 2007, and the decimal logarithm
    of income per person in the same years. A yes/no column says whether life expectancy was lower
    in 2007 than in 1987. A count is the number of the eleven five-year periods since 1952 in which
    income fell. The file is in the package plotly. Raises DataError if plotly or pandas is not
    installed.
    """
    require_packages("The countries", PACKAGES)
    import pandas

    (path,) = files_of("plotly", r"package_data/datasets/gapminder\.csv\.gz").values()
    every = pandas.read_csv(path)
    life, income = (
        every.pivot(index="country", columns="year", values=key) for key in ("lifeExp", "gdpPercap")
    )
    continents = every.groupby("country")["continent"].first().loc[life.index]
    table = pandas.DataFrame({"continent": continents})
    for year in SHOWN:
        table[f"life expectancy {year}"] = life[year]
    for year in SHOWN:
        table[f"log income {year}"] = np.log10(income[year])
    table["life expectancy fell"] = np.where(life[2007] < life[1987], "yes", "no")
    table["falls of income"] = (income.diff(axis=1) < 0.0).sum(axis=1)
    names = sorted(set(continents))
    return Dataset.of_table(
        "countries",
        "Countries of the world",
        table,
        {"life expectancy fell": "yes/no"},
        labels=np.array([names.index(each) for each in continents]),
        label_names=tuple(names),
        row_names=np.array(life.index, dtype=np.str_),
        source=(
            "Free material from www.gapminder.org (CC BY 4.0), in the excerpt of J. Bryan's "
            "package gapminder, as shipped by plotly."
        ),
        notes=(
            "Income is the gross domestic product per person in international dollars, and is "
            "shown as its decimal logarithm.",
            "“Life expectancy fell” compares 2007 with 1987. “Falls of income” is the number of "
            "five-year periods from 1952 to 2007 that ended with a lower income.",
        ),
    )
