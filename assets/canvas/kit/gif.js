// A series of pictures as an animated GIF (GIF89a, CompuServe 1990).

/** @import { Palette } from "./palette.js" */

const MOST_CODES = 4096;

export class GifFile {
  /**
   * @param {number} width in pixels
   * @param {number} height
   * @param {Palette} palette the colours of all pictures
   * @param {number} delay time between pictures, in hundredths of a second
   */
  constructor(width, height, palette, delay) {
    this.width = width;
    this.height = height;
    this.palette = palette;
    this.delay = delay;
    this.bits = Math.max(2, Math.ceil(Math.log2(palette.colours.length)));
    this.bytes = new Uint8Array(1 << 16);
    this.size = 0;
    this.text("GIF89a");
    this.short(width, height);
    this.put(0xf0 | (this.bits - 1), 0, 0);
    for (let i = 0; i < 1 << this.bits; i++) {
      const colour = palette.colours[i] ?? 0;
      this.put(colour >> 16, (colour >> 8) & 0xff, colour & 0xff);
    }
    // The picture loops without end.
    this.put(0x21, 0xff, 11);
    this.text("NETSCAPE2.0");
    this.put(3, 1, 0, 0, 0);
  }

  /** @param {...number} values */
  put(...values) {
    if (this.size + values.length > this.bytes.length) {
      const more = new Uint8Array(2 * this.bytes.length);
      more.set(this.bytes);
      this.bytes = more;
    }
    for (const value of values) this.bytes[this.size++] = value;
  }

  /** @param {...number} values */
  short(...values) {
    for (const value of values) this.put(value & 0xff, value >> 8);
  }

  /** @param {string} words */
  text(words) {
    this.put(...new TextEncoder().encode(words));
  }

  /** Add a picture. @param {Uint8ClampedArray} pixels red, green, blue, alpha; only colours that the palette has counted */
  add(pixels) {
    const { width, height, palette } = this;
    this.put(0x21, 0xf9, 4, 4);
    this.short(this.delay);
    this.put(0, 0, 0x2c);
    this.short(0, 0, width, height);
    this.put(0, this.bits);
    const indices = new Uint8Array(width * height);
    for (let i = 0, at = 0; i < indices.length; i++, at += 4) {
      indices[i] = palette.index.get((pixels[at] << 16) | (pixels[at + 1] << 8) | pixels[at + 2]) ?? 0;
    }
    this.compress(indices);
    this.put(0);
  }

  /** Write LZW-compressed indices, in blocks of up to 255 bytes. @param {Uint8Array} indices */
  compress(indices) {
    const clear = 1 << this.bits;
    const known = new Uint16Array(MOST_CODES << this.bits); // the code that extends a code by a colour index; 0: there is none yet
    const block = new Uint8Array(255);
    let [filled, buffer, waiting] = [0, 0, 0];
    let [next, width] = [clear + 2, this.bits + 1];
    const flush = () => {
      if (filled) this.put(filled, ...block.subarray(0, filled));
      filled = 0;
    };
    const byte = (/** @type {number} */ value) => {
      block[filled++] = value;
      if (filled === 255) flush();
    };
    const send = (/** @type {number} */ code) => {
      buffer |= code << waiting;
      for (waiting += width; waiting >= 8; waiting -= 8, buffer >>>= 8) byte(buffer & 0xff);
    };
    send(clear);
    let prefix = indices[0];
    for (let i = 1; i < indices.length; i++) {
      const key = (prefix << this.bits) | indices[i];
      if (known[key]) {
        prefix = known[key];
        continue;
      }
      send(prefix);
      prefix = indices[i];
      if (next < MOST_CODES) {
        if (next === 1 << width) width += 1;
        known[key] = next++;
      } else {
        send(clear);
        known.fill(0);
        [next, width] = [clear + 2, this.bits + 1];
      }
    }
    send(prefix);
    // The reader's table has one more code than this one, so the next code may need one more bit.
    if (next === 1 << width && next < MOST_CODES) width += 1;
    send(clear + 1);
    if (waiting) byte(buffer & 0xff);
    flush();
  }

  /** Return the whole file. */
  finished() {
    this.put(0x3b);
    return this.bytes.subarray(0, this.size);
  }
}
