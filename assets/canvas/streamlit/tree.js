// Streamlit component of a tree of maps.

import { TreeExplorer } from "../tree/explorer.js";
import { TreeModel } from "../tree/model.js";
import { figureOfBytes } from "./one_figure.js";

export default figureOfBytes((root, bytes, _, tree) => tree ?? new TreeExplorer(root, new TreeModel(bytes)));
