"""Train the initial results of the tour's stops about depth, on every curve (`make gallery`)."""

from pathlib import Path

from gplvm_core.lessons.bend import CURVES, compare, pack_comparison
from gplvm_core.lessons.families import family_fits, pack_families

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Train both models and every family on every curve; write their drawings to this folder."""
    for name, curve in CURVES.items():
        found = compare(curve, *curve.points())
        (HERE / f"{name}.bin").write_bytes(pack_comparison(name, found, 0))
        for words, fit in (("one layer", found.shallow), ("two layers", found.deep)):
            print(f"{name}, {words}: bound {fit.bound:.1f} nats, unseen {fit.score:.2f} nats each")
        families = family_fits(curve, curve.seed)
        (HERE / f"{name}_families.bin").write_bytes(pack_families(families))
        for each in families.fits:
            print(f"{name}, {each.family}: bound {each.bound:.1f} nats, unseen {each.score:.2f}")


if __name__ == "__main__":
    main()
