// Reduces pictures to at most 256 colours by median cut (Heckbert 1982). Each
// colour becomes the mean of its box.

const MOST = 256;

/** A colour packed into one number. @typedef {number} Packed 0xRRGGBB */
/** The reduced colours, and for every colour the index of its replacement. @typedef {{ colours: Packed[], index: Map<Packed, number> }} Palette */

/**
 * Count the colours of an opaque picture.
 * @param {Uint8ClampedArray} pixels red, green, blue, alpha
 * @param {Map<Packed, number>} counts the numbers so far, which are increased
 */
export function countColours(pixels, counts) {
  let [last, run] = [-1, 0];
  for (let i = 0; i <= pixels.length; i += 4) {
    const colour = i < pixels.length ? (pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2] : -1;
    if (colour === last) run += 1;
    else {
      if (run) counts.set(last, (counts.get(last) ?? 0) + run);
      [last, run] = [colour, 1];
    }
  }
}

/** Return a palette for counted colours. @param {Map<Packed, number>} counts @returns {Palette} */
export function paletteOf(counts) {
  const boxes = [boxOf([...counts.keys()], counts)];
  while (boxes.length < Math.min(MOST, counts.size)) {
    const worst = boxes.reduce((most, box, i) => (box.error > boxes[most].error ? i : most), 0);
    const { colours, channel, middle } = boxes[worst];
    const darker = colours.filter((colour) => part(colour, channel) <= middle);
    const lighter = colours.filter((colour) => part(colour, channel) > middle);
    boxes.splice(worst, 1, boxOf(darker, counts), boxOf(lighter, counts));
  }
  const index = new Map(boxes.flatMap(({ colours }, i) => colours.map((colour) => /** @type {[Packed, number]} */ ([colour, i]))));
  return { colours: boxes.map(({ mean }) => (mean[0] << 16) | (mean[1] << 8) | mean[2]), index };
}

/** Return the red, green or blue part of a colour. @param {Packed} colour @param {number} channel */
function part(colour, channel) {
  return (colour >> (16 - 8 * channel)) & 0xff;
}

/**
 * Return a box of colours: their mean, the channel in which they differ most, and the squared differences in
 * this channel, summed over all pixels.
 * @param {Packed[]} colours
 * @param {Map<Packed, number>} counts
 */
function boxOf(colours, counts) {
  const channels = [0, 1, 2].map((channel) => {
    let [total, sum, squares] = [0, 0, 0];
    for (const colour of colours) {
      const [count, value] = [counts.get(colour) ?? 0, part(colour, channel)];
      total += count;
      sum += count * value;
      squares += count * value * value;
    }
    return { mean: sum / total, error: colours.length > 1 ? squares - (sum * sum) / total : 0 };
  });
  const errors = channels.map(({ error }) => error);
  const channel = errors.indexOf(Math.max(...errors));
  return { colours, channel, middle: channels[channel].mean, error: errors[channel], mean: channels.map(({ mean }) => Math.round(mean)) };
}
