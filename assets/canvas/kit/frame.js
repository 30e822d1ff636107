// Framed bytes, as gplvm_core/wire/frame.py writes them:
// [uint32 header length][JSON header][zeros up to a multiple of 8][arrays, each on a multiple of 8].

/** @typedef {Float64Array | Float32Array | Int32Array | Int16Array | Uint8Array} Numbers */
/**
 * @typedef {object} Frame
 * @property {any} header documented in the Python file that packs it
 * @property {Record<string, any>} arrays typed arrays by name
 * @property {Record<string, number[]>} shapes
 */

/** @type {Record<string, new (buffer: ArrayBuffer, offset: number, size: number) => Numbers>} */
const ARRAY_TYPES = {
  float64: Float64Array,
  float32: Float32Array,
  int32: Int32Array,
  int16: Int16Array,
  uint8: Uint8Array,
};

/** @param {Uint8Array} bytes */
function headerLength(bytes) {
  return new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
}

/**
 * Read only the header, without the arrays.
 * @param {Uint8Array} bytes
 * @returns {any}
 */
export function readHeader(bytes) {
  return JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + headerLength(bytes))));
}

/**
 * Read framed bytes into {header, arrays: {name: typed array}, shapes: {name: [..]}}.
 * @param {Uint8Array} bytes
 * @returns {Frame}
 */
export function readFrame(bytes) {
  const header = readHeader(bytes);
  // The bytes may have any offset in a larger message, but typed arrays need an aligned copy.
  const { buffer } = bytes.slice();
  const start = Math.ceil((4 + headerLength(bytes)) / 8) * 8;
  /** @type {Record<string, Numbers>} */
  const arrays = {};
  /** @type {Record<string, number[]>} */
  const shapes = {};
  for (const [name, entry] of Object.entries(header.arrays)) {
    const size = entry.shape.reduce((/** @type {number} */ product, /** @type {number} */ n) => product * n, 1);
    const numbers = new ARRAY_TYPES[entry.dtype](buffer, start + entry.offset, size);
    arrays[name] = entry.steps ? restored(numbers, entry.steps) : numbers;
    shapes[name] = entry.shape;
  }
  return { header, arrays, shapes };
}

/**
 * Restore numbers that were quantised with one step per row.
 * @param {Numbers} counts R × D
 * @param {number[]} steps R
 */
function restored(counts, steps) {
  const width = counts.length / steps.length;
  const numbers = new Float32Array(counts.length);
  steps.forEach((step, r) => {
    for (let at = r * width; at < (r + 1) * width; at++) numbers[at] = counts[at] * step;
  });
  return numbers;
}
