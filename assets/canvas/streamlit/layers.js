// Streamlit component of the map of one layer of a deep model, with all layers below it.

import { ChainModel } from "../deep/chain.js";
import { ChainExplorer } from "../deep/explorer.js";
import { oneMap } from "./one_map.js";

export default oneMap((bytes) => new ChainModel(bytes), (root, model, chosen, keep, _, names) => new ChainExplorer(root, model, chosen, keep, names));
