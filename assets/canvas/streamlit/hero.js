// Streamlit component of the first screen: it shows pictures until the bytes arrive, then the live map.

import { LatentModel } from "../geometry/model.js";
import { Hero } from "../hero/hero.js";
import { partsOf } from "../kit/dom.js";
import { figureOfBytes } from "./one_figure.js";

/** The content before the bytes arrive, as addresses of images. @typedef {{ store: string, map: string, picture: string }} HeroData */

export default figureOfBytes((root, bytes, /** @type {HeroData} */ _, /** @type {Hero | null} */ hero) => hero ?? new Hero(root, new LatentModel(bytes)), (root, { map, picture }) => {
  const { style } = partsOf(root).hero;
  style.setProperty("--first-map", `url("${map}")`);
  style.setProperty("--first-picture", `url("${picture}")`);
});
