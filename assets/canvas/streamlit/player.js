// Streamlit component of the player. The training points and the sequence arrive through byte stores
// (store.js); playing, scrubbing and turning need nothing from Python.

import { browserStorage } from "../kit/dom.js";
import { DimensionNames } from "../map/names.js";
import { Player } from "../player/player.js";
import { component, freshBytes, shelf } from "./shelf.js";

/** @import { NamesData } from "../map/names.js" */

/** @typedef {{ stores: { stage: string, reel: string }, names: NamesData }} PlayerData */

export default component((root, /** @type {PlayerData} */ first) => {
  const fresh = freshBytes();
  const name = first.stores.stage;
  const player = new Player(root, shelf.places.get(name));
  const look = (/** @type {PlayerData} */ { stores: { stage, reel }, names }) => {
    fresh(stage, (bytes) => player.loadStage(bytes, (own) => new DimensionNames(names, own, browserStorage()).all));
    if (player.stage) fresh(reel, (bytes) => player.loadReel(bytes));
  };
  return {
    name,
    shown: () => player,
    look,
    update: () => player.retheme(),
    stop() {
      shelf.places.set(name, player.place());
      player.stop();
    },
  };
});
