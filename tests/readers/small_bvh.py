"""A small movement as a BVH file: three joints, random angles."""

import numpy as np

HIERARCHY = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT Leg
  {
    OFFSET 0 0 0
    CHANNELS 3 Xrotation Yrotation Zrotation
    JOINT Foot
    {
      OFFSET 0 -4 0.5
      CHANNELS 3 Yrotation Zrotation Xrotation
      End Site
      {
        OFFSET 0 0 1.5
      }
    }
  }
}
MOTION
Frames: {frames}
Frame Time: 0.1
"""
ANGLES = np.random.default_rng(5).uniform(-170, 170, (6, 12))


def bvh(channels: np.ndarray = ANGLES, announced: int | None = None) -> str:
    """Return the file's text with these channels.

    announced: the number of frames that the file declares; None: the true number.
    """
    frames = str(len(channels) if announced is None else announced)
    rows = [" ".join(repr(float(value)) for value in row) for row in channels]
    return HIERARCHY.replace("{frames}", frames) + "\n".join(rows) + "\n"
