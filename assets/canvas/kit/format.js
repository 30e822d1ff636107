// Numbers as text for people.

/**
 * Format a latent coordinate with two decimals, so that the text's width is constant while it changes.
 * @param {number} value
 */
export function formatCoordinate(value) {
  return value.toFixed(2).replace(/^-(0\.00)$/, "$1").replace("-", "−");
}

/** Format a coordinate for a link, with four decimals. @param {number} value */
export function linkNumber(value) {
  return Math.round(value * 1e4) / 1e4;
}

const POWERS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** Format a number with few digits and a true minus sign: 66,900, and a power of ten only if it is very large or small. @param {number} value @param {number} [digits] */
export function formatNumber(value, digits = 3) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e9)) {
    const [factor, power] = value.toExponential(digits - 1).split("e");
    return `${factor.replace("-", "−")} × 10${power.replace("+", "").replace("-", "⁻").replace(/\d/g, (digit) => POWERS[Number(digit)])}`;
  }
  const text = size >= 1e4 ? Number(value.toPrecision(digits)).toLocaleString("en") : String(Number(value.toPrecision(digits)));
  return text.replace("-", "−");
}

/** Return the number that a text of `formatNumber` or `formatFixed` shows, in the form of a number field; "" for none. @param {string} text */
export function plainNumber(text) {
  return text.replaceAll(",", "").replace(" × 10", "e").replace(/[⁰-⁹¹²³]/g, (power) => String(POWERS.indexOf(power))).replace(/[−⁻]/g, "-").replace("–", "");
}

/** Return a number with its noun: "1 row", "2 rows". @param {number} count @param {string} one */
export const counted = (count, one) => `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;

/** Format a fraction from 0 to 1 in percent; never "100 %", which would claim certainty. @param {number} share */
export function formatShare(share) {
  if (share >= 0.995) return "99.5 % or more";
  return share > 0 && share < 0.01 ? "under 1 %" : `${Math.round(100 * share)} %`;
}

/**
 * Format a number with the decimals that show three significant digits of the range's width.
 * @param {number} value
 * @param {number} width
 */
export function formatFixed(value, width) {
  const size = Math.floor(Math.log10(width || Math.abs(value) || 1));
  if (!Number.isFinite(value) || size < -4 || size > 6) return formatNumber(value);
  const text = value.toFixed(Math.max(2 - size, 0));
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

const MOST_DIGITS = 7; // a 32-bit float holds seven digits exactly, and whole numbers to 2^24
const MOST_WHOLE = 2 ** 24;

/**
 * Return the number of decimals of a column of the data, which are kept as 32-bit floats; null if the column has
 * more digits than these hold, such as results of a computation.
 * @param {ArrayLike<number>} values NaN is missing
 */
export function decimalsOf(values) {
  let [decimals, most] = [0, 0];
  for (let n = 0; n < values.length; n++) {
    const value = Math.fround(values[n]);
    if (!Number.isFinite(value)) continue;
    most = Math.max(most, Math.abs(value));
    while (decimals < MOST_DIGITS && Math.fround(Number(value.toFixed(decimals))) !== value) decimals++;
  }
  const whole = Math.trunc(most).toString().length;
  return decimals ? (whole + decimals <= MOST_DIGITS ? decimals : null) : most < MOST_WHOLE ? 0 : null;
}

/**
 * Format a value of the data with the digits that its column has.
 * @param {number} value
 * @param {number | null} decimals of the column, from `decimalsOf`
 * @param {number} width of the column's range, which decides the digits if the data have too many
 */
export function formatData(value, decimals, width) {
  if (Number.isNaN(value)) return "–";
  return decimals === null ? formatFixed(value, width) : String(Number(value.toFixed(decimals))).replace("-", "−");
}

/**
 * Format a time with as many decimals as the step between frames needs.
 * @param {number} time
 * @param {number} step
 */
export function formatTime(time, step) {
  const digits = Math.min(Math.max(Math.ceil(-Math.log10(step) - 1e-9), 0), 3);
  return time.toFixed(digits).replace(/^-(0(\.0+)?)$/, "$1").replace("-", "−");
}
