// Streamlit component of a Gaussian process beside a deep one (deep/bend.js). It sends points and requests to stop to Python.

import { BendFigure } from "../deep/bend.js";
import { figureOfResults } from "./one_figure.js";

export default figureOfResults((root, send) => new BendFigure(root, send));
