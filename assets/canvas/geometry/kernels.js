// The kernels that a page can evaluate, one entry of KERNELS for each kind. A new kernel needs `row`
// and `diagonal`; `plane` makes the shading faster for kernels that separate along two dimensions;
// `derivative` enables lengths on the map: shortest paths and magnification.

/** @typedef {Float64Array | Float32Array} Floats */
/**
 * A summand of a kernel, as Python sends it: its kind and its parameters.
 * @typedef {{ kind: string } & Record<string, any>} Part
 */
/**
 * The inputs Z of a kernel.
 * @typedef {object} Inputs
 * @property {Floats} inducing M × Q
 * @property {number} nInducing M
 * @property {number} nLatent Q
 */
/**
 * A kernel on a plane through a point: k(Z, x) where x moves along two dimensions only.
 * @typedef {object} KernelPlane
 * @property {(us: Float64Array) => Float64Array} columns returns the factor of the first coordinate: a table, us × M
 * @property {(v: number) => Float64Array} height returns the factor of the second coordinate, M
 * @property {(out: Float64Array, table: Float64Array, i: number, factor: Float64Array, u: number, v: number) => void} add
 *   adds k(Z, x) to out (M) for x at u, v; i: the column of u in the table
 * @property {(u: number, v: number) => number} diagonal k(x, x)
 */
/**
 * The derivatives of a kernel.
 * @typedef {object} KernelDerivative
 * @property {(part: any, x: ArrayLike<number>, inputs: Inputs, out: Float64Array) => void} row adds ∂k(Z, x)/∂x to out (M × Q)
 * @property {(part: any, x: ArrayLike<number>, out: Float64Array) => void} diagonal
 *   adds ∂²k(x, x')/∂x∂x' at x' = x to out (Q × Q): the covariance of a draw's slopes
 */
/**
 * @typedef {object} KernelKind
 * @property {(part: any, x: ArrayLike<number>, inputs: Inputs, out: Float64Array) => void} row adds k(Z, x) to out (M)
 * @property {(part: any, x: ArrayLike<number>) => number} diagonal k(x, x)
 * @property {(part: any, x: ArrayLike<number>, a: number, b: number, inputs: Inputs) => KernelPlane} [plane]
 * @property {KernelDerivative} [derivative]
 */

/** @type {Record<string, KernelKind>} */
export const KERNELS = {
  rbf: {
    row({ variance, precision }, x, { inducing: Z, nInducing: M, nLatent: Q }, out) {
      for (let m = 0; m < M; m++) {
        let distance = 0;
        for (let q = 0; q < Q; q++) {
          const difference = x[q] - Z[m * Q + q];
          distance += precision[q] * difference * difference;
        }
        out[m] += variance * Math.exp(-0.5 * distance);
      }
    },
    diagonal: ({ variance }) => variance,
    plane: (part, x, a, b, inputs) => productPlane(part, (q, away) => -0.5 * part.precision[q] * away * away, x, [a, b], inputs),
    derivative: {
      row({ variance, precision }, x, { inducing: Z, nInducing: M, nLatent: Q }, out) {
        for (let m = 0; m < M; m++) {
          let distance = 0;
          for (let q = 0; q < Q; q++) distance += precision[q] * (x[q] - Z[m * Q + q]) ** 2;
          const value = variance * Math.exp(-0.5 * distance);
          for (let q = 0, at = m * Q; q < Q; q++, at++) out[at] -= value * precision[q] * (x[q] - Z[at]);
        }
      },
      diagonal({ variance, precision }, x, out) {
        for (let q = 0; q < x.length; q++) out[q * x.length + q] += variance * precision[q];
      },
    },
  },
  /** Products of RBF and periodic kernels: a factor along each dimension. */
  waves: {
    row(part, x, { inducing: Z, nInducing: M, nLatent: Q }, out) {
      for (let m = 0; m < M; m++) {
        let exponent = 0;
        for (let q = 0; q < Q; q++) exponent += bend(part, q, x[q] - Z[m * Q + q]);
        out[m] += part.variance * Math.exp(exponent);
      }
    },
    diagonal: ({ variance }) => variance,
    plane: (part, x, a, b, inputs) => productPlane(part, (q, away) => bend(part, q, away), x, [a, b], inputs),
    derivative: {
      row(part, x, inputs, out) {
        const { precision, sharpness, frequency } = part;
        const { inducing: Z, nInducing: M, nLatent: Q } = inputs;
        const values = new Float64Array(M);
        KERNELS.waves.row(part, x, inputs, values);
        for (let m = 0, at = 0; m < M; m++) {
          for (let q = 0; q < Q; q++, at++) {
            const away = x[q] - Z[at];
            out[at] -= values[m] * (precision[q] * away + sharpness[q] * frequency[q] * Math.sin(frequency[q] * away));
          }
        }
      },
      diagonal({ variance, precision, sharpness, frequency }, x, out) {
        for (let q = 0; q < x.length; q++) out[q * x.length + q] += variance * (precision[q] + sharpness[q] * frequency[q] ** 2);
      },
    },
  },
  linear: {
    row({ variance }, x, { inducing: Z, nInducing: M, nLatent: Q }, out) {
      for (let m = 0; m < M; m++) {
        let product = 0;
        for (let q = 0; q < Q; q++) product += variance[q] * x[q] * Z[m * Q + q];
        out[m] += product;
      }
    },
    diagonal({ variance }, x) {
      let total = 0;
      for (let q = 0; q < variance.length; q++) total += variance[q] * x[q] * x[q];
      return total;
    },
    /** A sum of one term along each dimension. */
    plane({ variance }, x, a, b, inputs) {
      const M = inputs.nInducing;
      const [za, zb] = [along(inputs, a), along(inputs, b)];
      const rest = sumBeside(x, a, b, inputs, (xq, z, q) => variance[q] * xq * z);
      let restDiagonal = 0;
      for (let q = 0; q < inputs.nLatent; q++) if (q !== a && q !== b) restDiagonal += variance[q] * x[q] * x[q];
      return {
        columns: (us) => tabulate(us, M, (u, m) => variance[a] * u * za[m]),
        height: (v) => rest.map((product, m) => product + variance[b] * v * zb[m]),
        add(out, table, i, factor) {
          for (let m = 0, at = i * M; m < M; m++, at++) out[m] += factor[m] + table[at];
        },
        diagonal: (u, v) => restDiagonal + variance[a] * u ** 2 + variance[b] * v ** 2,
      };
    },
    derivative: {
      row({ variance }, _x, { inducing: Z, nInducing: M, nLatent: Q }, out) {
        for (let m = 0, at = 0; m < M; m++) for (let q = 0; q < Q; q++, at++) out[at] += variance[q] * Z[at];
      },
      diagonal({ variance }, x, out) {
        for (let q = 0; q < x.length; q++) out[q * x.length + q] += variance[q];
      },
    },
  },
  bias: {
    row({ variance }, _x, { nInducing: M }, out) {
      for (let m = 0; m < M; m++) out[m] += variance;
    },
    diagonal: ({ variance }) => variance,
    derivative: { row() {}, diagonal() {} }, // the kernel is the same everywhere
  },
  white: {
    row() {}, // the kernel is zero between different inputs
    diagonal: ({ variance }) => variance,
    derivative: { row() {}, diagonal() {} }, // values are independent at every place, so there is no slope along a path
  },
};

/**
 * Return the functions of a kernel's kind. Throws for an unknown kind.
 * @param {Part} part
 */
export function kernelKind({ kind }) {
  if (KERNELS[kind]) return KERNELS[kind];
  throw new Error(`This page cannot evaluate a kernel of kind "${kind}", only of the kinds ${Object.keys(KERNELS).join(", ")}.`);
}

/**
 * Return a part of a kernel on the plane through x along dimensions a and b.
 * @param {Part} part
 * @param {ArrayLike<number>} x
 * @param {number} a
 * @param {number} b
 * @param {Inputs} inputs
 * @returns {KernelPlane}
 */
export function kernelPlane(part, x, a, b, inputs) {
  const { row, diagonal, plane } = kernelKind(part);
  if (plane) return plane(part, x, a, b, inputs);
  const point = Float64Array.from(x);
  const at = (/** @type {number} */ u, /** @type {number} */ v) => {
    point[a] = u;
    point[b] = v;
    return point;
  };
  const nothing = new Float64Array(0);
  return {
    columns: () => nothing,
    height: () => nothing,
    add: (out, _table, _i, _factor, u, v) => row(part, at(u, v), inputs, out),
    diagonal: (u, v) => diagonal(part, at(u, v)),
  };
}

/**
 * Return the plane of a kernel that is a product of one factor along each dimension.
 * @param {Part} part
 * @param {(q: number, away: number) => number} exponent the logarithm of the factor of a dimension
 * @param {ArrayLike<number>} x
 * @param {[number, number]} pair the dimensions of the plane
 * @param {Inputs} inputs
 * @returns {KernelPlane}
 */
function productPlane({ variance }, exponent, x, [a, b], inputs) {
  const M = inputs.nInducing;
  const [za, zb] = [along(inputs, a), along(inputs, b)];
  const rest = sumBeside(x, a, b, inputs, (xq, z, q) => exponent(q, xq - z));
  return {
    columns: (us) => tabulate(us, M, (u, m) => Math.exp(exponent(a, u - za[m]))),
    height: (v) => rest.map((others, m) => variance * Math.exp(others + exponent(b, v - zb[m]))),
    add(out, table, i, factor) {
      for (let m = 0, at = i * M; m < M; m++, at++) out[m] += factor[m] * table[at];
    },
    diagonal: () => variance,
  };
}

/**
 * Return the exponent of a kernel of kind "waves" along one dimension.
 * @param {any} part
 * @param {number} q
 * @param {number} away
 */
function bend({ precision, sharpness, frequency }, q, away) {
  return -0.5 * precision[q] * away * away + sharpness[q] * (Math.cos(frequency[q] * away) - 1);
}

/**
 * Return the coordinates of Z along one dimension.
 * @param {Inputs} inputs
 * @param {number} q
 */
function along({ inducing, nInducing, nLatent }, q) {
  return Float64Array.from({ length: nInducing }, (_, m) => inducing[m * nLatent + q]);
}

/**
 * Return, for every input, the sum of a term over the dimensions other than a and b.
 * @param {ArrayLike<number>} x
 * @param {number} a
 * @param {number} b
 * @param {Inputs} inputs
 * @param {(xq: number, z: number, q: number) => number} term
 */
function sumBeside(x, a, b, { inducing: Z, nInducing: M, nLatent: Q }, term) {
  const rest = new Float64Array(M);
  for (let q = 0; q < Q; q++) {
    if (q === a || q === b) continue;
    for (let m = 0; m < M; m++) rest[m] += term(x[q], Z[m * Q + q], q);
  }
  return rest;
}

/**
 * Return a table of a function, us × M.
 * @param {Float64Array} us
 * @param {number} M
 * @param {(u: number, m: number) => number} entry
 */
function tabulate(us, M, entry) {
  const table = new Float64Array(us.length * M);
  for (let i = 0, at = 0; i < us.length; i++) for (let m = 0; m < M; m++, at++) table[at] = entry(us[i], m);
  return table;
}
