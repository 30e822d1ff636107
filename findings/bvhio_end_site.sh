#!/usr/bin/env bash
# Question: Does `writeHierarchy` keep the end site of a bone that `readAsHierarchy` read?
# Guessed: Yes
# Seen: Every end site here is written as `0 −3 0`, whatever the file had; `readAsBvh` and
#   `writeBvh` keep it
# Versions: bvhio 1.5.4, numpy 2.4.6; Python 3.11
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"
python3 -m venv --without-pip venv
python3 -m pip --python venv install --quiet --no-compile --disable-pip-version-check bvhio==1.5.4 numpy==2.4.6
venv/bin/python - <<'PY'
import bvhio

FORM = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Leg
  {
    OFFSET 0 -10 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 -%d 0
    }
  }
}
MOTION
Frames: 1
Frame Time: 0.01
0 0 0 0 0 0 0 0 0"""
for length in (5, 50):
    open("in.bvh", "w").write(FORM % length)
    bvhio.writeHierarchy("tree.bvh", bvhio.readAsHierarchy("in.bvh"), 0.01)
    bvhio.writeBvh("plain.bvh", bvhio.readAsBvh("in.bvh"))
    tips = [float(open(name).read().split("OFFSET")[-1].split()[1]) for name in ("tree.bvh", "plain.bvh")]
    assert tips == [-3, -length], tips
PY
