"""Messages of training for the page, without the names of Python arguments."""

import re

SAID: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (
            r"times and sequences are not used: the model has no time_kernel",
            "This model does not use the times of the rows; a dynamical model would use them",
        ),
        (
            r"the map does not use times and sequences: the model has no time_kernel",
            "The map does not use the times of the rows; a dynamical model would use them",
        ),
        (r"reached max_iter = (\d+) iterations", r"the training used all \1 steps"),
        (
            r"n_inducing = (\d+) is capped at the number of points, (\d+)",
            r"\2 inducing points are used instead of \1, since there are \2 rows",
        ),
        (
            r"the density of the rows was not learnt: (.*)\. The map alone fills gaps.*",
            r"The density of the rows was not learnt: \1. It will be learnt when first needed",
        ),
        (
            r"the kernel over time is (\w+)",
            r"The paths over time are of the kind \1",
        ),
        (r"\brbf\b", "RBF"),
        (r"\bmatern(\d)2\b", r"Matérn \1/2"),
        (
            r"n_components = (\d+) is capped at (\d+) for these data",
            r"\2 latent dimensions are used instead of \1: the data do not have more",
        ),
    )
)
MEANINGLESS = re.compile(r"latent dimensions? starts? at random: PCA found")


def on_the_page(said: str) -> str:
    """Return a note or reason without names of arguments; "" if it is irrelevant to users."""
    if MEANINGLESS.search(said):
        return ""
    for pattern, words in SAID:
        said = pattern.sub(words, said)
    return said
