"""
A table with words
==================

Put numbers, yes/no, a category, a grade and counts on one map, and fill the gaps with numbers,
words and counts.
"""

import numpy as np
import pandas as pd

from gplvm_core import BayesianGPLVM

# 120 plants along one gradient, from a dry valley to a wet mountain.
generator = np.random.default_rng(0)
height = generator.uniform(-1.5, 1.5, 120)
wet = 1.0 / (1.0 + np.exp(-4.0 * height))
plants = pd.DataFrame(
    {
        "leaf": 5.0 + 2.0 * height + 0.4 * generator.standard_normal(120),
        "temperature": 15.0 - 6.0 * height + generator.standard_normal(120),
        "moss": generator.random(120) < wet,
        "kind": np.array(["grass", "shrub", "fern"])[np.digitize(height, [-0.5, 0.5])],
        "cover": np.array(["low", "medium", "high"])[np.digitize(height**2, [0.3, 1.2])],
        "flowers": generator.poisson(np.exp(1.5 - height)),
    }
)

# %%
# A fifth of the entries is missing: None or NaN, in every kind of column.

gaps = generator.random(plants.shape) < 0.2
seen = plants.astype(object).mask(gaps)

# %%
# ``kinds="auto"`` chooses the kinds from the data types of the columns; a dict names them.

kinds = {
    "leaf": "number",
    "temperature": "number",
    "moss": "yes/no",
    "kind": "category",
    "cover": ["low", "medium", "high"],
    "flowers": "count",
}
model = BayesianGPLVM(4, 20, kinds=kinds, max_iter=60, random_state=0).fit(seen)

# %%
# ``complete`` fills gaps with words, counts and numbers, and returns their probabilities.

filled, sure = model.complete(seen, return_probability=True)
print(filled.head(3).to_string())
missing = gaps[:, 3]
right = np.mean(filled["kind"][missing] == plants["kind"][missing])
print(f"{right:.0%} of the kinds are right; the model expected {np.mean(sure[missing, 3]):.0%}.")

# %%
# The other columns of a row give the probability of every word and the quantiles of a count.

chances = model.class_probabilities(seen, "kind")
print(dict(zip(model.class_words("kind"), chances[0].round(2).tolist(), strict=True)))
low, middle, high = model.column_quantiles(plants, "flowers")
within = np.mean((plants["flowers"] >= low) & (plants["flowers"] <= high))
print(f"{within:.0%} of the counts are between their 5 % and 95 % quantiles.")
