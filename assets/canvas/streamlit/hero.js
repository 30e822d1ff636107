// Streamlit component of the first screen: it shows pictures until the bytes arrive, then the live map.

import { LatentModel } from "../geometry/model.js";
import { Hero } from "../hero/hero.js";
import { partsOf } from "../kit/dom.js";
import { component, freshBytes } from "./shelf.js";

/** The content before the bytes arrive, as addresses of images. @typedef {{ store: string, map: string, picture: string }} HeroData */

export default component((root, /** @type {HeroData} */ data) => {
  const fresh = freshBytes();
  /** @type {Hero | null} */
  let hero = null;
  const { style } = partsOf(root).hero;
  style.setProperty("--first-map", `url("${data.map}")`);
  style.setProperty("--first-picture", `url("${data.picture}")`);
  return {
    name: data.store,
    shown: () => hero,
    look: () => fresh(data.store, (bytes) => (hero ??= new Hero(root, new LatentModel(bytes)))),
    update: () => hero?.retheme(),
    stop: () => hero?.stop(),
  };
});
