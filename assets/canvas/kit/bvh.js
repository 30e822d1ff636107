// A pose as a BVH file, which animation programs open: its bones as they lie, in one frame without
// rotations. A movement needs those too: gplvm_core/datasets/bvh_writer.py writes it.

const ROTATIONS = "Zrotation Xrotation Yrotation";
const FRAME_SECONDS = 1 / 30;

/**
 * The text of the file; y is up, the unit of length that of the positions.
 * @param {{ names: string[], parents: number[] }} skeleton
 * @param {ArrayLike<number>} positions x, y, z of every joint
 * @returns {string} Throws an Error in words for a skeleton with several roots.
 */
export function poseBvh({ names, parents }, positions) {
  const roots = parents.filter((parent) => parent < 0);
  if (roots.length !== 1) throw new Error(`A BVH file holds one root; this skeleton has ${roots.length}.`);
  const at = (/** @type {number} */ joint) => [0, 1, 2].map((k) => positions[3 * joint + k]);
  const written = (/** @type {number[]} */ numbers) => numbers.map((value) => value.toFixed(6)).join(" ");
  /** @param {number} joint @param {string} indent @returns {string[]} */
  const described = (joint, indent) => {
    const parent = parents[joint];
    const offset = parent < 0 ? [0, 0, 0] : at(joint).map((value, k) => value - at(parent)[k]);
    const children = names.flatMap((_, child) => (parents[child] === joint ? described(child, `${indent}  `) : []));
    const end = [`${indent}  End Site`, `${indent}  {`, `${indent}    OFFSET ${written([0, 0, 0])}`, `${indent}  }`];
    return [
      `${indent}${parent < 0 ? "ROOT" : "JOINT"} ${names[joint].trim().replace(/\s+/g, "_")}`,
      `${indent}{`,
      `${indent}  OFFSET ${written(offset)}`,
      `${indent}  CHANNELS ${parent < 0 ? `6 Xposition Yposition Zposition ${ROTATIONS}` : `3 ${ROTATIONS}`}`,
      ...(children.length ? children : end),
      `${indent}}`,
    ];
  };
  const root = parents.findIndex((parent) => parent < 0);
  const channels = [...at(root), ...new Array(3 * names.length).fill(0)];
  return [
    "HIERARCHY", ...described(root, ""), "MOTION", "Frames: 1", `Frame Time: ${FRAME_SECONDS.toFixed(7)}`, written(channels), "",
  ].join("\n");
}
