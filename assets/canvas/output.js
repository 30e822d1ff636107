// One row of data as a picture: image, stick figure, curve or bars. The same code draws the live
// output, the samples, the uncertainty and the thumbnails. NaN is a missing value: a pixel is
// hatched, a joint and its bones are left out, a bar gives way to a band, a curve is interrupted.

const BONE_COLOURS = { left: [0, 114, 178], right: [213, 94, 0] };

/** Height of the drawing for a width, by the kind of data. */
function outputHeight(drawing, width, small = false) {
  if (drawing.kind === "image") return (width * drawing.shape[0]) / drawing.shape[1];
  if (drawing.kind === "skeleton") return width;
  return width * (small ? 0.85 : 0.7);
}

/**
 * Draw `values` into the box (0, 0, width, height) of a context.
 * options: theme, turn {yaw, pitch}; small (no axes); spread: standard deviations to show around the
 * values (skeleton, curve, bars); heat: the values are standard deviations (image: own colours).
 */
function drawOutput(context, drawing, values, width, height, options) {
  context.clearRect(0, 0, width, height);
  const draw = { image: drawImage, skeleton: drawSkeleton, curve: drawVector, bars: drawVector }[drawing.kind];
  draw(context, drawing, values, width, height, options);
}

function drawImage(context, drawing, values, width, height, { theme, heat = null }) {
  const [rows, columns, channels = 1] = drawing.shape;
  const source = drawImage.source ??= document.createElement("canvas");
  [source.width, source.height] = [columns, rows];
  const pixels = source.getContext("2d");
  const image = pixels.createImageData(columns, rows);
  const [low, high] = heat ?? drawing.range;
  const scale = 255 / (high - low);
  let gaps = false;
  for (let i = 0; i < rows * columns; i++) {
    let value = 0;
    for (let c = 0; c < channels; c++) value += values[i * channels + c] / channels;
    if (Number.isNaN(value)) {
      gaps = true; // stays transparent
      continue;
    }
    if (heat) {
      image.data.set(heatColour((value - low) / (high - low)), 4 * i);
    } else {
      for (let c = 0; c < 3; c++) image.data[4 * i + c] = (values[i * channels + (channels === 3 ? c : 0)] - low) * scale;
    }
    image.data[4 * i + 3] = 255;
  }
  pixels.putImageData(image, 0, 0);
  // A coarse image keeps its pixels, a little softened; a fine one is smoothed.
  const { x, y, fit } = imageBox(drawing, width, height);
  const [w, h] = [columns * fit, rows * fit];
  if (gaps) drawHatching(context, x, y, w, h, theme);
  context.imageSmoothingQuality = "high";
  if (Math.max(rows, columns) > 24) {
    context.imageSmoothingEnabled = true;
    context.drawImage(source, x, y, w, h);
    return;
  }
  const middle = drawImage.middle ??= document.createElement("canvas");
  [middle.width, middle.height] = [columns * 6, rows * 6];
  const soft = middle.getContext("2d");
  soft.imageSmoothingEnabled = false;
  soft.drawImage(source, 0, 0, middle.width, middle.height);
  context.imageSmoothingEnabled = true;
  context.drawImage(middle, x, y, w, h);
}

/** Diagonal lines where nothing is known. */
function drawHatching(context, x, y, width, height, theme) {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.strokeStyle = css(theme.muted, 0.55);
  context.lineWidth = 1;
  context.beginPath();
  for (let at = -height; at < width; at += 5) {
    context.moveTo(x + at, y + height);
    context.lineTo(x + at + height, y);
  }
  context.stroke();
  context.restore();
}

function heatColour(share) {
  const place = Math.min(Math.max(share, 0), 1) * (CIVIDIS.length - 1);
  const i = Math.min(Math.floor(place), CIVIDIS.length - 2);
  return mix(CIVIDIS[i], CIVIDIS[i + 1], place - i);
}

function boneSide(name) {
  if (/^(l(?=[A-Z_. ])|left)/i.test(name) && !/^lower|^lumbar/i.test(name)) return "left";
  if (/^(r(?=[A-Z_. ])|right)/i.test(name) && !/^root/i.test(name)) return "right";
  return null;
}

function drawSkeleton(context, drawing, values, width, height, { theme, turn, spread = null, small = false }) {
  const { parents, names } = drawing.skeleton;
  const { reach } = drawing.extent;
  const { centre, scale, project } = jointFrame(drawing, values, width, height, small);
  if (!small) drawFloor(context, drawing, project, turn, theme);
  const joints = turnJoints(values, centre, turn);
  const known = joints.map((joint) => !joint.some(Number.isNaN));
  const bones = parents
    .map((parent, joint) => ({ parent, joint }))
    .filter(({ parent, joint }) => parent >= 0 && known[parent] && known[joint])
    .sort((p, q) => joints[p.joint][2] - joints[q.joint][2]);
  context.lineCap = "round";
  for (const { parent, joint } of bones) {
    const side = boneSide(names[joint]);
    const depth = Math.min(Math.max(0.5 + joints[joint][2] / (2 * reach), 0), 1);
    const colour = side ? mix(theme.background, mix(BONE_COLOURS[side], theme.text, 0.12), 0.55 + 0.45 * depth)
      : mix(theme.background, theme.text, 0.5 + 0.4 * depth);
    context.strokeStyle = css(colour);
    context.lineWidth = small ? 1.4 : 2 + 2.4 * depth;
    context.beginPath();
    context.moveTo(...project(joints[parent]));
    context.lineTo(...project(joints[joint]));
    context.stroke();
  }
  if (known.includes(false)) drawLoneJoints(context, joints, known, bones, project, small, theme);
  if (spread) {
    context.fillStyle = css(theme.accent, 0.28);
    joints.forEach((joint, j) => {
      if (!known[j]) return;
      const radius = Math.hypot(spread[3 * j], spread[3 * j + 1], spread[3 * j + 2]) / Math.sqrt(3);
      context.beginPath();
      context.arc(...project(joint), Math.max(scale * radius, 0.8), 0, 2 * Math.PI);
      context.fill();
    });
  }
}

/** Joints that are known while none of their neighbours is. */
function drawLoneJoints(context, joints, known, bones, project, small, theme) {
  const bound = new Set(bones.flatMap(({ parent, joint }) => [parent, joint]));
  context.fillStyle = css(theme.text, 0.8);
  joints.forEach((joint, j) => {
    if (!known[j] || bound.has(j)) return;
    context.beginPath();
    context.arc(...project(joint), small ? 1.4 : 3, 0, 2 * Math.PI);
    context.fill();
  });
}

/** A grid on the floor, so that turning and height can be read. */
function drawFloor(context, drawing, project, turn, theme) {
  const { reach, floor, centre } = drawing.extent;
  context.strokeStyle = css(theme.faint);
  context.lineWidth = 1;
  context.beginPath();
  for (let i = -3; i <= 3; i++) {
    const at = (i / 3) * 0.75 * reach;
    const end = 0.75 * reach;
    for (const line of [[-end, at, end, at], [at, -end, at, end]]) {
      const points = [line[0], floor - centre[1], line[1], line[2], floor - centre[1], line[3]];
      const [from, to] = turnJoints(points, [0, 0, 0], turn);
      context.moveTo(...project(from));
      context.lineTo(...project(to));
    }
  }
  context.stroke();
}

function drawVector(context, drawing, values, width, height, options) {
  const { theme, spread = null, small = false } = options;
  const bars = drawing.kind === "bars";
  const [low, high] = drawing.range;
  const n = values.length;
  const frame = vectorFrame(drawing, n, width, height, small);
  const { step, px, py, named } = frame;
  const base = py(Math.min(Math.max(0, low), high));
  if (!small) drawVectorAxes(context, drawing, frame, { px, py, low, high, n, named, theme, base });
  context.save();
  context.beginPath();
  context.rect(frame.left - 1, frame.top - 2, frame.right - frame.left + 2, frame.bottom - frame.top + 4);
  context.clip();
  const tint = theme.dark ? mix([0, 114, 178], [255, 255, 255], 0.25) : [0, 114, 178];
  if (bars) {
    const wide = Math.max(step * 0.62, 1);
    for (let i = 0; i < n; i++) {
      const gap = Number.isNaN(values[i]);
      const [from, to] = gap ? [frame.top, frame.bottom] : [Math.min(py(values[i]), base), Math.max(py(values[i]), base)];
      context.fillStyle = gap ? css(theme.muted, 0.18) : css(tint, 0.85);
      context.fillRect(px(i) - wide / 2, from, wide, Math.max(to - from, 1));
    }
    if (spread) {
      context.strokeStyle = css(theme.text);
      context.lineWidth = small ? 1 : 1.5;
      context.beginPath();
      for (let i = 0; i < n; i++) {
        context.moveTo(px(i), py(values[i] - 2 * spread[i]));
        context.lineTo(px(i), py(values[i] + 2 * spread[i]));
      }
      context.stroke();
    }
  } else {
    if (spread) {
      context.fillStyle = css(tint, 0.25);
      context.beginPath();
      for (let i = 0; i < n; i++) context.lineTo(px(i), py(values[i] + 2 * spread[i]));
      for (let i = n - 1; i >= 0; i--) context.lineTo(px(i), py(values[i] - 2 * spread[i]));
      context.fill();
    }
    context.strokeStyle = css(tint);
    context.lineWidth = small ? 1.4 : 2;
    context.lineJoin = "round";
    context.lineCap = "round"; // a value between two gaps is a dot
    context.beginPath();
    for (let i = 0; i < n; i++) {
      if (Number.isNaN(values[i])) continue;
      if (i === 0 || Number.isNaN(values[i - 1])) context.moveTo(px(i), py(values[i]));
      context.lineTo(px(i), py(values[i]));
    }
    context.stroke();
  }
  context.restore();
}

function drawVectorAxes(context, drawing, frame, { px, py, low, high, n, named, theme, base }) {
  context.font = `11px ${theme.font}`;
  context.fillStyle = css(theme.muted);
  context.strokeStyle = css(theme.faint);
  context.lineWidth = 1;
  context.textAlign = "right";
  context.textBaseline = "middle";
  context.beginPath();
  for (const tick of niceTicks(low, high, (frame.bottom - frame.top) / 44)) {
    context.moveTo(frame.left, py(tick));
    context.lineTo(frame.right, py(tick));
    context.fillText(formatNumber(tick), frame.left - 6, py(tick));
  }
  context.stroke();
  context.strokeStyle = css(theme.muted, 0.7);
  context.beginPath();
  context.moveTo(frame.left, base);
  context.lineTo(frame.right, base);
  context.stroke();
  context.textBaseline = "top";
  if (named) {
    for (let i = 0; i < n; i++) {
      context.save();
      context.translate(px(i), frame.bottom + 6);
      context.rotate(-Math.PI / 5);
      context.textAlign = "right";
      context.fillText(drawing.columns[i].slice(0, 12), 0, 0);
      context.restore();
    }
    return;
  }
  context.textAlign = "center";
  for (const tick of niceTicks(1, n, (frame.right - frame.left) / 70)) {
    if (Number.isInteger(tick) && tick >= 1) context.fillText(String(tick), px(tick - 1), frame.bottom + 6);
  }
  context.textAlign = "right";
  context.fillText("column", frame.right, frame.bottom + 20);
}

/** A training item on a canvas of its own, for the map. */
function thumbnailPicture(model, n, size, theme) {
  const canvas = document.createElement("canvas");
  const context = fitCanvas(canvas, size, size);
  const drawing = { ...model.drawing, shape: model.header.item_shape };
  const picture = document.createElement("canvas");
  const inner = fitCanvas(picture, size, size);
  const range = model.header.item_range ?? drawing.range;
  drawOutput(inner, { ...drawing, range }, model.item(n), size, size, { theme, turn: START_TURN, small: true });
  context.fillStyle = css(theme.background, 0.92);
  context.fillRect(0, 0, size, size);
  context.drawImage(picture, 0, 0, size, size);
  return canvas;
}
