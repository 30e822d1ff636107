"""The results with which the page Depth begins: both models on every curve (`make gallery`)."""

from pathlib import Path

from gplvm_core.figures.bend import CURVES, compare, pack_comparison

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Train both models on every curve, and put what is drawn of them in this folder."""
    for name, curve in CURVES.items():
        found = compare(curve, *curve.points())
        (HERE / f"{name}.bin").write_bytes(pack_comparison(name, found, 0))
        for words, fit in (("one layer", found.shallow), ("two layers", found.deep)):
            print(f"{name}, {words}: bound {fit.bound:.1f} nats, unseen {fit.score:.2f} nats each")


if __name__ == "__main__":
    main()
