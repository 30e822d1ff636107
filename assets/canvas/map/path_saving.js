// Making and saving the files of a path, in steps.

import { bvhText } from "../kit/bvh.js";
import { download } from "../kit/download.js";
import { csvText } from "../kit/numbers.js";
import { inSlices } from "../kit/slices.js";
import { columnNames } from "./outputs.js";
import { pathGif, pathZip } from "./path_files.js";

/** @import { PathFrame } from "./path_files.js" */
/** @import { Paths } from "./paths.js" */

const FRAME_RATE = 20; // pictures per second in a file; GIF uses hundredths of a second

export class PathSaving {
  /** @param {Paths} paths */
  constructor(paths) {
    this.paths = paths;
  }

  /** Return the places and dragged bodies of a file's pictures along the path; with `loop`, also on the way back. @returns {PathFrame[]} */
  frames() {
    const { way, loop, poses, explorer: { state: { chosen: { seconds } } } } = this.paths;
    const pieces = seconds * FRAME_RATE - 1;
    const frames = way?.even(pieces).map((place, i) => ({ place, pose: poses.along(i / pieces) })) ?? [];
    return loop ? [...frames, ...frames.slice(1, -1).reverse()] : frames;
  }

  saveGif() {
    this.save((report) => pathGif(this.paths.explorer.pictures[0], this.frames(), 100 / FRAME_RATE, report), "path.gif", "image/gif");
  }

  saveFrames() {
    this.save((report) => pathZip(this.paths.explorer.pictures[0], this.frames(), report), "path.zip", "application/zip");
  }

  saveMovement() {
    const { paths } = this;
    const { model } = paths;
    paths.pause();
    try {
      const poses = this.frames().map(({ place, pose }) => pose ?? model.moments(place, null).mean);
      download("path.bvh", bvhText(model.drawing.skeleton, poses, 1 / FRAME_RATE), "text/plain");
    } catch (error) {
      paths.panel.say(/** @type {Error} */ (error).message);
    }
  }

  /** One line for every picture: the time, the latent point, and the outputs there. */
  saveTable() {
    const { paths, paths: { explorer, model } } = this;
    const [{ model: output }] = explorer.pictures;
    paths.pause();
    const values = new Float64Array(output.nOutputs);
    const dimensions = Array.from({ length: model.header.n_latent }, (_, q) => `x${q + 1}`);
    const lines = this.frames().map(({ place, pose }, frame) => {
      output.predict(place, values);
      if (pose) values.set(pose);
      return [frame / FRAME_RATE, ...place.subarray(0, dimensions.length), ...values];
    });
    download("path.csv", csvText([["seconds", ...dimensions, ...columnNames(output.drawing, values.length)], ...lines]), "text/csv");
  }

  /**
   * @param {(report: (done: number, all: number) => void) => Generator<void, Uint8Array>} make
   * @param {string} name
   * @param {string} type
   */
  save(make, name, type) {
    const { paths } = this;
    const { panel } = paths;
    paths.pause();
    panel.busy(true);
    const steps = make((done, all) => panel.say(`Drawing the pictures: ${10 * Math.floor((10 * done) / all)} %`));
    const stop = inSlices(steps, (bytes) => {
      download(name, bytes, type);
      panel.busy(false);
      paths.sayLength();
    });
    paths.cease = () => {
      stop();
      panel.busy(false);
    };
  }
}
