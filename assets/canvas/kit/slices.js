// Long work in slices, so that the page stays responsive.

const WORK_MS = 30; // the longest work per frame

/**
 * Run some steps of a generator per frame, then call done() with the result.
 * @template Result
 * @param {Generator<unknown, Result>} steps
 * @param {(result: Result) => void} done
 * @returns {() => void} stops the work
 */
export function inSlices(steps, done) {
  let frame = 0;
  const work = () => {
    const end = performance.now() + WORK_MS;
    do {
      const step = steps.next();
      if (step.done) {
        done(step.value);
        return;
      }
    } while (performance.now() < end);
    frame = requestAnimationFrame(work);
  };
  frame = requestAnimationFrame(work);
  return () => cancelAnimationFrame(frame);
}
