// A ZIP archive whose entries are stored without compression (APPNOTE 6.3).

/** A file with its name, in which / separates folders. @typedef {{ name: string, bytes: Uint8Array }} ZipEntry */

const UTF8 = 0x0800; // the flag for the encoding of names
const LOCAL = 30; // number of bytes in a local header before the name
const CENTRAL = 46;
const END = 22;
const MOST_BYTES = 0xffffffff; // the limit of 32 bits; larger archives would need ZIP64
const MOST_ENTRIES = 0xffff;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** Return the checksum that ZIP and PNG use. @param {Uint8Array} bytes */
export function crc32(bytes) {
  let value = 0xffffffff;
  for (let i = 0; i < bytes.length; i++) value = (value >>> 8) ^ CRC_TABLE[(value ^ bytes[i]) & 0xff];
  return (value ^ 0xffffffff) >>> 0;
}

/**
 * Return the bytes of an archive. Throws for duplicate names, and for contents beyond the limits of ZIP.
 * @param {ZipEntry[]} entries
 * @param {Date} [date] the date of all entries
 */
export function zipFile(entries, date = new Date()) {
  const names = entries.map(({ name }) => new TextEncoder().encode(name));
  const twice = entries.find(({ name }, i) => entries.some((other, j) => j < i && other.name === name));
  if (twice) throw new Error(`Two files for one archive have the name "${twice.name}".`);
  const total = entries.reduce((sum, { bytes }, i) => sum + LOCAL + CENTRAL + 2 * names[i].length + bytes.length, END);
  if (total > MOST_BYTES || entries.length > MOST_ENTRIES) {
    throw new Error(`${entries.length} files with ${total} bytes are more than a ZIP archive holds.`);
  }
  const out = new Uint8Array(total);
  const view = new DataView(out.buffer);
  const time = (date.getHours() << 11) | (date.getMinutes() << 5) | (date.getSeconds() >> 1);
  const day = ((date.getFullYear() - 1980) << 9) | ((date.getMonth() + 1) << 5) | date.getDate();
  let at = 0;
  const short = (/** @type {number[]} */ ...values) => values.forEach((value) => {
    view.setUint16(at, value, true);
    at += 2;
  });
  const long = (/** @type {number[]} */ ...values) => values.forEach((value) => {
    view.setUint32(at, value, true);
    at += 4;
  });
  const put = (/** @type {Uint8Array} */ bytes) => {
    out.set(bytes, at);
    at += bytes.length;
  };
  const sums = entries.map(({ bytes }) => crc32(bytes));
  /** Return the fields that the local header and the directory share. @param {number} i */
  const describe = (i) => {
    const size = entries[i].bytes.length;
    short(20, UTF8, 0, time, day);
    long(sums[i], size, size);
    short(names[i].length, 0);
  };
  const starts = entries.map(({ bytes }, i) => {
    const start = at;
    long(0x04034b50);
    describe(i);
    put(names[i]);
    put(bytes);
    return start;
  });
  const list = at;
  starts.forEach((start, i) => {
    long(0x02014b50);
    short(20);
    describe(i);
    short(0, 0, 0);
    long(0, start);
    put(names[i]);
  });
  const listed = at - list;
  long(0x06054b50);
  short(0, 0, entries.length, entries.length);
  long(listed, list);
  short(0);
  return out;
}
