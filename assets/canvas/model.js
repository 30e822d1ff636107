// The fitted model in the browser: kernel, predictive mean and variance.
// Same formulas as gplvm_core/prediction; the browser test holds the two together to 1e-4.
//
// pack.py sends the mean and the variance in a basis T in which both are sums of well-scaled terms:
//   alpha = T k(Z, x) (T is R × M),   mean = center + weights' alpha,   variance = k(x, x) - sum shrink alpha^2.

const MOST_FOR_GAP = 300; // inducing inputs up to which the shading's own quadratic form pays

/** Training points on a latent map: where they lie, what they are called, which one is near. */
class LatentPoints {
  /** Header, arrays and shapes of a frame with at least `latent`. */
  constructor({ header, arrays, shapes }) {
    Object.assign(this, arrays);
    this.header = header;
    [this.nPoints, this.nLatent] = shapes.latent;
    this.relevance = Float64Array.from(header.relevance);
  }

  /** Index of the training point closest to x, dimensions weighted by their relevance; `only`: these alone. */
  nearest(x, only = null) {
    const { nPoints, nLatent: Q, latent, relevance } = this;
    const dimensions = only ?? Array.from({ length: Q }, (_, q) => q);
    let best = 0;
    let least = Infinity;
    for (let n = 0; n < nPoints; n++) {
      let distance = 0;
      for (const q of dimensions) {
        const difference = x[q] - latent[n * Q + q];
        distance += relevance[q] * difference * difference;
      }
      if (distance < least) [best, least] = [n, distance];
    }
    return best;
  }

  position(n) {
    return Float64Array.from(this.latent.subarray(n * this.nLatent, (n + 1) * this.nLatent));
  }

  labelName(n) {
    const label = this.labels ? this.labels[n] : -1;
    return label < 0 ? null : (this.header.label_names[label] ?? String(label));
  }
}

class LatentModel extends LatentPoints {
  constructor(bytes) {
    const content = readFrame(bytes);
    super(content);
    const { header, shapes } = content;
    this.drawing = header.drawing;
    this.kernel = header.kernel;
    this.nInducing = shapes.inducing[0];
    [this.rank, this.nOutputs] = shapes.weights;
    this.itemSize = this.items ? this.items.length / this.nPoints : 0;
    this.row = new Float64Array(this.nInducing);
    this.alpha = new Float64Array(this.rank);
    this.gap = this.nInducing <= MOST_FOR_GAP ? this.quadraticForm() : null;
  }

  /** Lower triangle of T' diag(shrink) T with the off-diagonal doubled: the shading needs half the work. */
  quadraticForm() {
    const M = this.nInducing;
    const gap = new Float64Array((M * (M + 1)) / 2);
    for (let r = 0; r < this.rank; r++) {
      const shrink = this.shrink[r];
      const row = this.transform.subarray(r * M, (r + 1) * M);
      for (let i = 0, at = 0; i < M; i++) {
        const left = shrink * row[i];
        for (let j = 0; j <= i; j++) gap[at++] += left * row[j] * (i === j ? 1 : 2);
      }
    }
    return gap;
  }

  /** k(Z, x) into out. */
  kernelRow(x, out) {
    const { nInducing: M, nLatent: Q, inducing: Z } = this;
    out.fill(0);
    for (const part of this.kernel) {
      if (part.kind === "rbf") {
        for (let m = 0; m < M; m++) {
          let distance = 0;
          for (let q = 0; q < Q; q++) {
            const difference = x[q] - Z[m * Q + q];
            distance += part.precision[q] * difference * difference;
          }
          out[m] += part.variance * Math.exp(-0.5 * distance);
        }
      } else if (part.kind === "linear") {
        for (let m = 0; m < M; m++) {
          let product = 0;
          for (let q = 0; q < Q; q++) product += part.variance[q] * x[q] * Z[m * Q + q];
          out[m] += product;
        }
      } else if (part.kind === "bias") {
        for (let m = 0; m < M; m++) out[m] += part.variance;
      } // "white" is zero between two different inputs
    }
    return out;
  }

  /** k(x, x). */
  kernelDiagonal(x) {
    let total = 0;
    for (const part of this.kernel) {
      if (part.kind === "linear") {
        for (let q = 0; q < this.nLatent; q++) total += part.variance[q] * x[q] * x[q];
      } else total += part.variance;
    }
    return total;
  }

  /** Predictive mean in the data's units into `mean` (D); returns the variance in internal units. */
  predict(x, mean) {
    const { rank, nOutputs: D, weights, row, alpha } = this;
    this.kernelRow(x, row);
    const variance = this.kernelDiagonal(x) - this.explained(row);
    mean.set(this.center);
    for (let r = 0; r < rank; r++) {
      const factor = alpha[r];
      for (let d = 0, at = r * D; d < D; d++, at++) mean[d] += factor * weights[at];
    }
    return Math.max(variance, 0);
  }

  /** sum shrink alpha^2 for a kernel row; leaves alpha behind. */
  explained(row) {
    const { nInducing: M, rank, transform, shrink, alpha } = this;
    let total = 0;
    for (let r = 0; r < rank; r++) {
      let sum = 0;
      for (let m = 0, at = r * M; m < M; m++, at++) sum += transform[at] * row[m];
      alpha[r] = sum;
      total += shrink[r] * sum * sum;
    }
    return total;
  }

  /** Standard deviation in the data's units from a variance in internal units (scale: root mean square over columns). */
  deviation(variance) {
    return Math.sqrt(variance) * this.header.scale;
  }

  /** The deviation of a variance in internal units, in words. */
  spreadWords(variance) {
    return `± ${formatNumber(this.deviation(variance), 2)}`;
  }

  /** Models whose pictures of a training row are shown side by side. */
  get pictured() {
    return [this];
  }

  /** One training row as it was sent; missing values are NaN. */
  item(n) {
    const values = this.items.subarray(n * this.itemSize, (n + 1) * this.itemSize);
    const code = this.header.item_missing ?? null;
    return code === null ? values : Float32Array.from(values, (value) => (value === code ? NaN : value));
  }

  /** A plane through x along dimensions a and b, for the shading. */
  slice(x, a, b) {
    return new LatentSlice(this, x, a, b);
  }
}

/** Variances on a grid of the plane (a, b): what does not change within the plane is computed once. */
class LatentSlice {
  constructor(model, x, a, b) {
    this.model = model;
    this.a = a;
    this.b = b;
    const { nInducing: M, nLatent: Q, inducing: Z } = model;
    this.za = Float64Array.from({ length: M }, (_, m) => Z[m * Q + a]);
    this.zb = Float64Array.from({ length: M }, (_, m) => Z[m * Q + b]);
    this.parts = model.kernel.map((part) => {
      const rest = new Float64Array(M);
      let diagonal = 0;
      for (let q = 0; q < Q; q++) {
        if (q === a || q === b) continue;
        if (part.kind === "linear") diagonal += part.variance[q] * x[q] * x[q];
        for (let m = 0; m < M; m++) {
          const z = Z[m * Q + q];
          if (part.kind === "rbf") rest[m] += part.precision[q] * (x[q] - z) ** 2;
          if (part.kind === "linear") rest[m] += part.variance[q] * x[q] * z;
        }
      }
      return { ...part, rest, diagonal };
    });
    this.row = new Float64Array(M);
  }

  /** Kernel factors that depend on the column of the grid only; reused by every row. */
  columns(us) {
    const M = this.model.nInducing;
    return this.parts.map((part) => {
      const table = new Float64Array(us.length * M);
      for (let i = 0; i < us.length; i++) {
        for (let m = 0; m < M; m++) {
          if (part.kind === "rbf") table[i * M + m] = Math.exp(-0.5 * part.precision[this.a] * (us[i] - this.za[m]) ** 2);
          if (part.kind === "linear") table[i * M + m] = part.variance[this.a] * us[i] * this.za[m];
        }
      }
      return table;
    });
  }

  /** Variances of one row of the grid (height v) into out[offset …]. */
  variances(us, tables, v, out, offset) {
    const { nInducing: M, gap } = this.model;
    const { row, a, b } = this;
    const factors = this.parts.map((part) => {
      const factor = new Float64Array(M);
      for (let m = 0; m < M; m++) {
        if (part.kind === "rbf") {
          factor[m] = part.variance * Math.exp(-0.5 * (part.rest[m] + part.precision[b] * (v - this.zb[m]) ** 2));
        }
        if (part.kind === "linear") factor[m] = part.rest[m] + part.variance[b] * v * this.zb[m];
        if (part.kind === "bias") factor[m] = part.variance;
      }
      return factor;
    });
    for (let i = 0; i < us.length; i++) {
      let diagonal = 0;
      row.fill(0);
      this.parts.forEach((part, p) => {
        const factor = factors[p];
        const table = tables[p];
        if (part.kind === "rbf") for (let m = 0, at = i * M; m < M; m++, at++) row[m] += factor[m] * table[at];
        if (part.kind === "linear") for (let m = 0, at = i * M; m < M; m++, at++) row[m] += factor[m] + table[at];
        if (part.kind === "bias") for (let m = 0; m < M; m++) row[m] += factor[m];
        diagonal += part.kind === "linear"
          ? part.diagonal + part.variance[a] * us[i] ** 2 + part.variance[b] * v ** 2
          : part.variance;
      });
      let explained = 0;
      for (let m = 0, at = 0; gap && m < M; m++) {
        let sum = 0;
        for (let j = 0; j <= m; j++, at++) sum += gap[at] * row[j];
        explained += sum * row[m];
      }
      out[offset + i] = Math.max(diagonal - (gap ? explained : this.model.explained(row)), 0);
    }
  }
}
