// Files of numbers: tables for spreadsheets, and arrays for NumPy.

/** @typedef {Float64Array | Float32Array | Int32Array} Plain the types of arrays that a .npy file may contain */

// Parts of a text that a spreadsheet may read as cells, and as formulas; see gplvm_core/readers/tables/csv_text.py.
const PIECE = /[^;\t\r\n]+/g;
// eslint-disable-next-line no-control-regex -- spreadsheets skip these characters
const FORMULA = /^[\s'"\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2060\ufeff]*[-=+@\u2212\uff1d\uff0b\uff0d\uff20]/;
const NPY_MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0]; // \x93NUMPY, version 1.0
const NPY_CODES = { Float64Array: "<f8", Float32Array: "<f4", Int32Array: "<i4" };

const SINGLE_DIGITS = [6, 7, 8, 9]; // the significant digits that numbers of single precision may need

/** Return a number's shortest text: for a number of single precision, the one that gives it back, as 28.191 for 28.19099998474121. @param {number} number */
export function numberText(number) {
  if (Math.fround(number) !== number) return String(number);
  const short = SINGLE_DIGITS.map((digits) => Number(number.toPrecision(digits))).find((each) => Math.fround(each) === number);
  return String(short ?? number);
}

/** Return a cell's text: numbers in their shortest form, words protected against formulas. @param {string | number} cell */
export function csvCell(cell) {
  if (typeof cell === "number") return Number.isNaN(cell) ? "" : numberText(cell);
  const text = cell.replace(PIECE, (piece) => FORMULA.test(piece) && Number.isNaN(Number(piece)) ? `'${piece}` : piece);
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** @param {(string | number)[][]} rows the first row has the columns' names */
export function csvText(rows) {
  return rows.map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
}

/**
 * Return the bytes of a .npy file (NumPy enhancement proposal 1).
 * @param {Plain} values in C order
 * @param {number[]} [shape]
 */
export function npyFile(values, shape = [values.length]) {
  const code = NPY_CODES[/** @type {keyof typeof NPY_CODES} */ (values.constructor.name)];
  const size = `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
  const words = `{'descr': '${code}', 'fortran_order': False, 'shape': ${size}, }`;
  // The content begins at a multiple of 64 bytes.
  const length = Math.ceil((NPY_MAGIC.length + 3 + words.length) / 64) * 64 - NPY_MAGIC.length - 2;
  const head = new TextEncoder().encode(`${words.padEnd(length - 1)}\n`);
  const out = new Uint8Array(NPY_MAGIC.length + 2 + length + values.byteLength);
  out.set(NPY_MAGIC);
  new DataView(out.buffer).setUint16(NPY_MAGIC.length, length, true);
  out.set(head, NPY_MAGIC.length + 2);
  out.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), NPY_MAGIC.length + 2 + length);
  return out;
}
