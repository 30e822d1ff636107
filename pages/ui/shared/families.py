"""The variational families of deep models: their titles, and one or two sentences for each."""

FAMILIES: dict[str, tuple[str, str]] = {
    "mean_field": (
        "Mean field",
        "The hidden values are independent of the functions of the layers.",
    ),
    "marginalised": (
        "Marginalised",
        "The default. Like mean field, but the functions are always optimal for the hidden values.",
    ),
    "gated": (
        "Gated",
        "The hidden values depend on the function that generates them; a gate for each dimension "
        "sets how strongly.",
    ),
    "free": (
        "Free",
        "Like gated, but any linear dependence is possible, and it may differ for each row.",
    ),
    "diagonal": (
        "Along the inputs",
        "The hidden values depend on the inputs of their layer.",
    ),
    "joint": ("Joint", "Like gated, but the dimensions of a layer are correlated."),
    "full": (
        "All along the inputs",
        "Like “Along the inputs”, but every dimension depends on all inputs.",
    ),
    "chain": (
        "Chain",
        "Like joint, but the function of a layer also depends on the function of the layer before.",
    ),
    "low_rank_chain": (
        "Short chain",
        "Like chain, but fewer numbers describe the dependence (a matrix of low rank).",
    ),
}
