"""Colours and marker shapes that colour-blind readers can distinguish, on light and dark pages."""

# The palette of Okabe and Ito (2008), with a darker yellow, so that it is visible on white.
COLOURS: tuple[str, ...] = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#B8A800",
)
# In the same order as in assets/canvas/theme.js, so that a label looks the same on every map.
SYMBOLS: tuple[str, ...] = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
)

# Mid tones for small pictures: readable on white and on near-black.
INK = "#3F93A8"
LEFT_INK = "#D98324"
# Bones on the body's left and right: the browser's colours in mid tones.
BONE_INKS = {"left": "#2A86C0", "right": "#DB6A1F"}
MISSING_INK = "#D55E00"
FAINT = "#8A939A"

ON = "#0072B2"
OFF = "#9AA3AB"
THRESHOLD = "#D55E00"
GRID = "rgba(127, 127, 127, 0.22)"


def label_colour(label: int) -> str:
    """Return the colour of a label; a negative label (unknown) is grey."""
    return OFF if label < 0 else COLOURS[label % len(COLOURS)]


def label_symbol(label: int) -> str:
    """Return the marker shape of a label; the shape changes when the colours repeat."""
    return SYMBOLS[max(label, 0) // len(COLOURS) % len(SYMBOLS)]
