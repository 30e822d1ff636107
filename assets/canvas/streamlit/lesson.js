// Streamlit component of a stop of the tour: pictures arrive from Python, and the visitor's changes are sent to Python.

import { LessonFigure } from "../learn/lesson.js";
import { figureOfResults } from "./one_figure.js";

export default figureOfResults((root, send) => new LessonFigure(root, send), "lesson");
