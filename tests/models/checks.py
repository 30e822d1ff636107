"""scikit-learn's checks that do not fit a model, each with its reason."""

# A density of regression is one of outputs at inputs: checks that know of X alone cannot ask it.
NEEDS_OUTPUTS = {
    name: "score_samples takes X and Y"
    for name in (
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
    )
}
