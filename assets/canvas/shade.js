// The map's shading: predictive standard deviation on a grid, coarse at once, then finer while idle.

const COARSE_CELL = 22; // CSS pixels
const FINE_CELL = 6;
const REFERENCE = 24; // cells a side of the grid that light and shadow are fitted to
const SLICE_MS = 7; // work per frame, so that hovering stays smooth

class Shading {
  /** onChange() is called whenever a better picture is ready. */
  constructor(model, onChange) {
    this.model = model;
    this.onChange = onChange;
    this.picture = null; // {canvas, left, right, bottom, top} in latent units
    this.frame = 0;
    this.range = [1, 1];
  }

  /** Start over for a plane and a view; what was drawn stays until the coarse grid is there. */
  request(slice, view, width, height, theme) {
    cancelAnimationFrame(this.frame);
    this.job = { slice, view: { ...view }, theme, sizes: [COARSE_CELL, COARSE_CELL / 2, FINE_CELL], width, height };
    this.begin();
    this.frame = requestAnimationFrame(() => this.work());
  }

  begin() {
    const { view, width, height, sizes } = this.job;
    const cell = sizes.shift();
    // One cell more on every side: smoothing at the rim then has something to smooth with.
    const columns = Math.ceil(width / cell) + 2;
    const rows = Math.ceil(height / cell) + 2;
    const [du, dv] = [(2 * view.su) / (columns - 2), (2 * view.sv) / (rows - 2)];
    const left = view.u - view.su - du;
    const top = view.v + view.sv + dv;
    const us = Float64Array.from({ length: columns }, (_, i) => left + (i + 0.5) * du);
    Object.assign(this.job, {
      columns, rows, us, left, top, du, dv,
      row: 0,
      tables: this.job.slice.columns(us),
      values: new Float64Array(columns * rows),
    });
  }

  work() {
    const job = this.job;
    const end = performance.now() + SLICE_MS;
    while (job.row < job.rows && performance.now() < end) {
      const v = job.top - (job.row + 0.5) * job.dv;
      job.slice.variances(job.us, job.tables, v, job.values, job.row * job.columns);
      job.row += 1;
    }
    if (job.row === job.rows) {
      this.paint(job);
      this.onChange();
      if (!job.sizes.length) return;
      this.begin();
    }
    this.frame = requestAnimationFrame(() => this.work());
  }

  paint({ columns, rows, values, theme, left, top, du, dv }) {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [columns, rows];
    const context = canvas.getContext("2d");
    const image = context.createImageData(columns, rows);
    for (let i = 0; i < values.length; i++) {
      const colour = mix(theme.known, theme.unknown, this.level(values[i]));
      image.data.set([colour[0], colour[1], colour[2], 255], 4 * i);
    }
    context.putImageData(image, 0, 0);
    this.picture = { canvas, left, top, right: left + columns * du, bottom: top - rows * dv };
  }

  /**
   * Fit light and shadow to what occurs on a plane in a view: standard deviations [least, most].
   * They stay while zooming and while sliders move, so that brightness keeps its meaning.
   */
  calibrate(slice, view) {
    const values = new Float64Array(REFERENCE * REFERENCE);
    const along = (centre, half) => Float64Array.from({ length: REFERENCE }, (_, i) => centre + half * ((2 * i + 1) / REFERENCE - 1));
    const us = along(view.u, view.su);
    const tables = slice.columns(us);
    along(view.v, view.sv).forEach((v, row) => slice.variances(us, tables, v, values, row * REFERENCE));
    const sorted = values.map(Math.sqrt).sort();
    const most = sorted[sorted.length - 1];
    this.range = [Math.max(sorted[0], 1e-3 * most, 1e-12), most];
  }

  /** 0 in the light (certain) to 1 in the shadow, by factors; nothing to tell apart: all light. */
  level(variance) {
    const [least, most] = this.range;
    if (most < 1.02 * least) return 0;
    return Math.min(Math.max(Math.log(Math.sqrt(variance) / least) / Math.log(most / least), 0), 1);
  }

  stop() {
    cancelAnimationFrame(this.frame);
  }
}
