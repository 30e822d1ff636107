// Sums over numbers, and a little linear algebra.

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
export function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** Return the product of a matrix and a vector. @param {Float64Array | Float32Array} matrix R × M @param {ArrayLike<number>} vector M */
export function timesVector(matrix, vector) {
  const product = new Float64Array(matrix.length / vector.length);
  for (let r = 0, at = 0; r < product.length; r++) {
    let sum = 0;
    for (let m = 0; m < vector.length; m++, at++) sum += matrix[at] * vector[m];
    product[r] = sum;
  }
  return product;
}

/** Return the point at a fraction of the line between two points. @param {Float64Array} from @param {Float64Array} to @param {number} share */
export function blend(from, to, share) {
  return from.map((value, i) => (1 - share) * value + share * to[i]); // this formula is exact at both ends
}

/**
 * Replace a symmetric matrix by its Cholesky factor L (K × K, lower triangle). Tiny pivots are raised to a
 * small number, so that solutions have no huge entries.
 * @param {Float64Array} matrix
 * @param {number} K
 */
export function cholesky(matrix, K) {
  let most = 0;
  for (let i = 0; i < K; i++) most = Math.max(most, matrix[i * K + i]);
  for (let i = 0; i < K; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i * K + j];
      for (let k = 0; k < j; k++) sum -= matrix[i * K + k] * matrix[j * K + k];
      matrix[i * K + j] = i === j ? Math.sqrt(Math.max(sum, 1e-9 * most || 1)) : sum / matrix[j * K + j];
    }
  }
  return matrix;
}

/**
 * Solve L Lᵀ x = b, in place of b.
 * @param {Float64Array} lower from `cholesky`
 * @param {Float64Array} b K
 */
export function choleskySolve(lower, b) {
  const K = b.length;
  for (let i = 0; i < K; i++) {
    for (let j = 0; j < i; j++) b[i] -= lower[i * K + j] * b[j];
    b[i] /= lower[i * K + i];
  }
  for (let i = K - 1; i >= 0; i--) {
    for (let j = i + 1; j < K; j++) b[i] -= lower[j * K + i] * b[j];
    b[i] /= lower[i * K + i];
  }
  return b;
}
