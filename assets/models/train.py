"""Train the gallery's models from the project's own data sets: `make gallery`.

Every model is seeded, so the same machine makes the same files. Takes a few minutes.
"""

import argparse
import os
import shutil
import time
from pathlib import Path
from typing import Any

from gplvm_core import BayesianGPLVM, load_dataset
from gplvm_core.store import Library

HERE = Path(__file__).resolve().parent
# Data set → title and settings. Every inducing input of the faces takes 40 kB on disk.
GALLERY: dict[str, tuple[str, dict[str, Any]]] = {
    "faces": ("Forty people", {"n_components": 10, "n_inducing": 128, "max_iter": 800}),
    "heads": ("Six heads under a moving light", {"n_components": 10, "n_inducing": 60}),
    "poses": ("A body climbing, swinging, jumping", {"n_components": 10, "n_inducing": 60}),
    "digits": ("Handwritten digits", {"n_components": 10, "n_inducing": 60}),
    "flow": ("Oil, water and gas in a pipe", {"n_components": 8, "n_inducing": 40}),
}


def gallery_model(name: str) -> BayesianGPLVM:
    """The gallery's model of a data set, not fitted yet."""
    # A jitter that leaves the bound's digits to the model and not to a processor's rounding.
    settings = {"jitter": 1e-4, "max_iter": 500} | GALLERY[name][1]
    return BayesianGPLVM(random_state=0, n_jobs=os.cpu_count(), **settings)


def main() -> None:
    """Train the models that are named, or all, and put them in this folder."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("names", nargs="*", default=list(GALLERY), metavar="NAME")
    library = Library(HERE)
    for name in parser.parse_args().names:
        dataset, model, start = load_dataset(name), gallery_model(name), time.perf_counter()
        model.fit(dataset.values)
        shutil.rmtree(HERE / name, ignore_errors=True)
        library.add(model, dataset, GALLERY[name][0], tags=("gallery",), id=name)
        print(
            f"{name}: bound {model.bound_:.1f} nats, {model.n_effective_} dimensions on, "
            f"{time.perf_counter() - start:.0f} s; {model.result_.reason}"
        )


if __name__ == "__main__":
    main()
