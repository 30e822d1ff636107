// Translates gestures on the map into actions of an explorer.

/** @import { Explorer } from "./explorer.js" */
/** @import { Actions } from "./gestures.js" */
/** @import { MapModel } from "./map.js" */

/** @param {Explorer<MapModel>} explorer @returns {Actions} */
export function mapActions(explorer) {
  const { map, state } = explorer;
  return {
    hover: (x, y, touch) => {
      state.hovered = touch ? -1 : map.hit(x, y);
      state.hover = explorer.allowed(...map.toLatent(x, y));
      explorer.paint();
    },
    leave: () => {
      state.leave();
      explorer.paint();
    },
    drag: (x, y) => {
      // The pictures then show the chosen point, not the row under the grabbed ring.
      state.leave();
      explorer.place(...map.toLatent(x, y));
      explorer.paint();
    },
    commit: (x, y, touch) => {
      const hit = touch ? -1 : map.hit(x, y);
      if (hit >= 0 && map.picks) explorer.moveTo(map.positionOf(hit));
      else explorer.place(...map.toLatent(x, y));
      if (touch) state.hover = null;
      explorer.keep();
      explorer.paths?.arrive();
    },
    pan: (dx, dy) => {
      map.pan(dx, dy);
      explorer.wall?.moved();
    },
    zoom: (x, y, factor) => {
      map.zoom(x, y, factor);
      explorer.wall?.moved();
    },
    nudge: (du, dv) => {
      const { view } = map;
      state.leave();
      explorer.place(state.point[state.a] + 2 * du * view.su, state.point[state.b] + 2 * dv * view.sv);
      explorer.paint();
      explorer.settle();
    },
    keep: () => {
      if (explorer.selecting?.on) return explorer.selecting.toggle(explorer.model.nearest(state.point));
      explorer.keep();
      explorer.paths?.arrive();
    },
    reset: () => explorer.reset(),
  };
}
