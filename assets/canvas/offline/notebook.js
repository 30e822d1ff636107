// The script of the widget in a notebook's page (gplvm_core/offline/widget.py): it passes values between Python
// and the frames that show the map. A frame is a page of its own, so values are passed as messages.

/**
 * The widget's model, as anywidget gives it.
 * @typedef {object} WidgetModel
 * @property {(name: string) => any} get
 * @property {(name: string, value: any) => void} set
 * @property {() => void} save_changes
 * @property {(event: string, act: () => void) => void} on
 */

// In this order a frame takes them: a dimension's name is shown beside it, and keeping a point moves the chosen one.
const SHARED = ["names", "dimensions", "rows", "kept", "point"];

/** Whether the notebook's page has light text. */
function isDark() {
  const context = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
  context.fillStyle = getComputedStyle(document.body).color;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
  return red + green + blue > 384;
}

export default {
  /** Serve all frames with the widget's name, also those of a page that was opened before Python answered. @param {{ model: WidgetModel }} widget */
  initialize({ model }) {
    const map = `manifolio ${model.get("_id")}`;
    /** @type {Set<Window>} */
    const frames = new Set();
    /** The frame whose values arrive now. @type {MessageEventSource | null} */
    let speaker = null;
    let dark = isDark();
    const tell = (/** @type {Window} */ frame, /** @type {string[]} */ ...names) =>
      frame.postMessage({ map, dark, told: Object.fromEntries(names.map((name) => [name, model.get(name)])) }, "*");
    const hear = (/** @type {MessageEvent} */ { source, data }) => {
      if (data?.map !== map || !source) return;
      for (const frame of frames) if (frame.closed) frames.delete(frame);
      const frame = /** @type {Window} */ (source);
      if (!data.told) {
        frames.add(frame);
        tell(frame, ...SHARED);
        return;
      }
      speaker = source;
      for (const [name, value] of Object.entries(data.told)) if (SHARED.includes(name)) model.set(name, value);
      speaker = null;
      model.save_changes();
    };
    for (const name of SHARED) model.on(`change:${name}`, () => frames.forEach((frame) => frame !== speaker && tell(frame, name)));
    const theme = new MutationObserver(() => {
      if (isDark() === dark) return;
      dark = !dark;
      for (const frame of frames) tell(frame);
    });
    for (const node of [document.documentElement, document.body]) theme.observe(node, { attributes: true });
    addEventListener("message", hear);
    for (let i = 0; i < window.length; i++) window[i].postMessage({ map }, "*");
    return () => {
      removeEventListener("message", hear);
      theme.disconnect();
    };
  },
  /** Show the map where the page asks for it. @param {{ model: WidgetModel, el: HTMLElement }} view */
  render({ model, el }) {
    el.innerHTML = model.get("_frame");
  },
};
