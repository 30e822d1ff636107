// Records drawings as SVG: implements the part of the canvas context that the drawing functions
// use. Colours are css() of theme.js; pictures become PNGs inside the SVG.

/** @typedef {[number, number, number, number, number, number]} SvgMatrix */

const ANCHORS = { left: "start", start: "start", center: "middle", right: "end", end: "end" };
const BASELINES = { alphabetic: 0, middle: 0.35, top: 0.8, hanging: 0.8, bottom: -0.2, ideographic: -0.2 };
const FIRST_STYLES = {
  fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, lineCap: "butt", lineJoin: "miter",
  font: "10px sans-serif", textAlign: "start", textBaseline: "alphabetic",
  imageSmoothingEnabled: true,
};

/** Return text escaped for SVG. @param {string} text */
const asXml = (text) =>
  text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)
    // eslint-disable-next-line no-control-regex -- XML forbids these characters
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "");

/** @param {number} value */
const digits = (value) => String(Number(value.toFixed(3)));

/** Return a colour as attributes, for programs that cannot read CSS. @param {string} name @param {string} colour */
function paintOf(name, colour) {
  const rgba = colour.match(/^rgba\((.*),([^,]+)\)$/);
  return rgba ? ` ${name}="rgb(${rgba[1]})" ${name}-opacity="${rgba[2]}"` : ` ${name}="${asXml(colour)}"`;
}

export class SvgContext {
  /** @param {number} width @param {number} height */
  constructor(width, height) {
    this.width = width;
    this.height = height;
    /** @type {string[]} */
    this.parts = [];
    /** @type {string[]} */
    this.path = [];
    this.clips = 0;
    Object.assign(this, FIRST_STYLES);
    /** The state that save() stores in addition to the styles. @type {{ matrix: SvgMatrix, clip: number, dash: number[] }} */
    this.kept = { matrix: [1, 0, 0, 1, 0, 0], clip: 0, dash: [] };
    /** @type {any[]} */
    this.stack = [];
  }

  /** Return the whole picture. */
  svg() {
    const [w, h] = [digits(this.width), digits(this.height)];
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}">\n${this.parts.join("\n")}\n</svg>\n`;
  }

  /** Add an element with the current transform and clip. @param {string} name @param {string} attributes @param {string} [content] */
  put(name, attributes, content = "") {
    const { matrix, clip } = this.kept;
    const moved = matrix.some((value, i) => value !== [1, 0, 0, 1, 0, 0][i]) ? ` transform="matrix(${matrix.map(digits).join(" ")})"` : "";
    const element = `<${name}${attributes}${moved}>${content}</${name}>`;
    // The clip encloses the element, because the clip was set before the element's transform.
    this.parts.push(clip ? `<g clip-path="url(#clip${clip})">${element}</g>` : element);
  }

  save() {
    const styles = Object.fromEntries(Object.keys(FIRST_STYLES).map((key) => [key, /** @type {any} */ (this)[key]]));
    this.stack.push({ styles, kept: this.kept });
  }

  restore() {
    const before = this.stack.pop();
    if (before) Object.assign(this, before.styles, { kept: before.kept });
  }

  /** @param {number} x @param {number} y */
  translate(x, y) {
    const [a, b, c, d, e, f] = this.kept.matrix;
    this.kept = { ...this.kept, matrix: [a, b, c, d, a * x + c * y + e, b * x + d * y + f] };
  }

  /** @param {number} angle */
  rotate(angle) {
    const [a, b, c, d, e, f] = this.kept.matrix;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    this.kept = { ...this.kept, matrix: [a * cos + c * sin, b * cos + d * sin, c * cos - a * sin, d * cos - b * sin, e, f] };
  }

  /** @param {number[]} dash */
  setLineDash(dash) {
    this.kept = { ...this.kept, dash };
  }

  // --- paths ----------------------------------------------------------------------------------

  beginPath() {
    this.path = [];
  }

  closePath() {
    this.path.push("Z");
  }

  /** @param {number} x @param {number} y */
  moveTo(x, y) {
    this.path.push(`M${digits(x)} ${digits(y)}`);
  }

  /** @param {number} x @param {number} y */
  lineTo(x, y) {
    this.path.push(`${this.path.length ? "L" : "M"}${digits(x)} ${digits(y)}`);
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  rect(x, y, width, height) {
    this.path.push(`M${digits(x)} ${digits(y)}h${digits(width)}v${digits(height)}h${digits(-width)}Z`);
  }

  /** @param {number} x @param {number} y @param {number} radius @param {number} from @param {number} to */
  arc(x, y, radius, from, to) {
    this.ellipse(x, y, radius, radius, 0, from, to);
  }

  /**
   * Add a clockwise arc from one angle to a later angle.
   * @param {number} x
   * @param {number} y
   * @param {number} rx
   * @param {number} ry
   * @param {number} rotation
   * @param {number} from
   * @param {number} to
   */
  ellipse(x, y, rx, ry, rotation, from, to) {
    const [cos, sin] = [Math.cos(rotation), Math.sin(rotation)];
    const at = (/** @type {number} */ angle) => {
      const [u, v] = [rx * Math.cos(angle), ry * Math.sin(angle)];
      return `${digits(x + u * cos - v * sin)} ${digits(y + u * sin + v * cos)}`;
    };
    const turn = Math.min(to - from, 2 * Math.PI);
    const radii = `A${digits(rx)} ${digits(ry)} ${digits((rotation * 180) / Math.PI)} 0 1 `;
    // The circle consists of three arcs, because SVG draws no arc from a point to itself.
    this.path.push(`${this.path.length ? "L" : "M"}${at(from)}`);
    for (const share of [1 / 3, 2 / 3, 1]) this.path.push(`${radii}${at(from + share * turn)}`);
    if (turn === 2 * Math.PI) this.path.push("Z");
  }

  clip() {
    const within = this.kept.clip ? ` clip-path="url(#clip${this.kept.clip})"` : "";
    this.clips += 1;
    this.parts.push(`<clipPath id="clip${this.clips}"${within}><path d="${this.path.join("")}"/></clipPath>`);
    this.kept = { ...this.kept, clip: this.clips };
  }

  fill() {
    if (this.path.length) this.put("path", ` d="${this.path.join("")}"${this.filled()}`);
  }

  stroke() {
    if (this.path.length) this.put("path", ` d="${this.path.join("")}" fill="none"${this.stroked()}`);
  }

  // --- shapes, words, pictures ----------------------------------------------------------------

  /** Do nothing: nothing was drawn yet. */
  clearRect() {}

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  fillRect(x, y, width, height) {
    this.put("rect", this.box(x, y, width, height) + this.filled());
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  strokeRect(x, y, width, height) {
    this.put("rect", `${this.box(x, y, width, height)} fill="none"${this.stroked()}`);
  }

  /** @param {string} text @param {number} x @param {number} y */
  fillText(text, x, y) {
    this.write(text, x, y, this.filled());
  }

  /** @param {string} text @param {number} x @param {number} y */
  strokeText(text, x, y) {
    this.write(text, x, y, ` fill="none"${this.stroked()}`);
  }

  /** @param {string} text @param {number} x @param {number} y @param {string} paint */
  write(text, x, y, paint) {
    const { textAlign, textBaseline, font } = this.styles();
    const anchor = ANCHORS[/** @type {keyof typeof ANCHORS} */ (textAlign)];
    const down = BASELINES[/** @type {keyof typeof BASELINES} */ (textBaseline)];
    const place = ` x="${digits(x)}" y="${digits(y)}" dy="${down}em" text-anchor="${anchor}"`;
    this.put("text", `${place} style="font: ${asXml(font)}"${paint}`, asXml(text));
  }

  /** @param {HTMLCanvasElement} canvas @param {number} x @param {number} y @param {number} width @param {number} height */
  drawImage(canvas, x, y, width, height) {
    const coarse = this.styles().imageSmoothingEnabled ? "" : ' style="image-rendering: pixelated"';
    this.put("image", `${this.box(x, y, width, height)} preserveAspectRatio="none"${coarse} href="${canvas.toDataURL()}"`);
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  box(x, y, width, height) {
    return ` x="${digits(x)}" y="${digits(y)}" width="${digits(width)}" height="${digits(height)}"`;
  }

  /** Return the styles that drawing functions have set. @returns {typeof FIRST_STYLES} */
  styles() {
    return /** @type {any} */ (this);
  }

  filled() {
    return paintOf("fill", this.styles().fillStyle);
  }

  stroked() {
    const { strokeStyle, lineWidth, lineCap, lineJoin } = this.styles();
    const dash = this.kept.dash.length ? ` stroke-dasharray="${this.kept.dash.join(" ")}"` : "";
    return `${paintOf("stroke", strokeStyle)} stroke-width="${digits(lineWidth)}" stroke-linecap="${lineCap}" stroke-linejoin="${lineJoin}"${dash}`;
  }
}

/**
 * Return what `draw` draws, as SVG text.
 * @param {number} width
 * @param {number} height
 * @param {(context: CanvasRenderingContext2D) => void} draw
 */
export function svgOf(width, height, draw) {
  const context = new SvgContext(width, height);
  draw(/** @type {any} */ (context));
  return context.svg();
}
