// Framed bytes, as gplvm_core/figures/pack.py writes them:
// [uint32 header length][JSON header][zeros up to a multiple of 8][arrays, each on a multiple of 8].

const ARRAY_TYPES = {
  float64: Float64Array,
  float32: Float32Array,
  int32: Int32Array,
  uint8: Uint8Array,
};

/** Read framed bytes into {header, arrays: {name: typed array}, shapes: {name: [..]}}. */
function readFrame(bytes) {
  // The bytes arrive inside a larger message at any offset: typed arrays need a copy that is aligned.
  const buffer = bytes.slice().buffer;
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const start = Math.ceil((4 + length) / 8) * 8;
  const arrays = {};
  const shapes = {};
  for (const [name, entry] of Object.entries(header.arrays)) {
    const size = entry.shape.reduce((product, n) => product * n, 1);
    arrays[name] = new ARRAY_TYPES[entry.dtype](buffer, start + entry.offset, size);
    shapes[name] = entry.shape;
  }
  return { header, arrays, shapes };
}
