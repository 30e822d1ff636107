// Ticks and axes.

/** Round numbers between two ends, about `count` of them. */
function niceTicks(low, high, count) {
  const rough = (high - low) / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const ticks = [];
  for (let i = Math.ceil(low / step); i * step <= high; i++) ticks.push(i * step);
  return ticks;
}

/** Ticks and names along the left and lower edge of a LatentMap. */
function drawMapAxes(context, map) {
  const { model, state, view, width, height } = map;
  const { theme, a, b } = state;
  context.font = `11px ${theme.font}`;
  context.fillStyle = css(theme.muted);
  context.strokeStyle = css(theme.muted, 0.55);
  context.lineWidth = 1;
  context.beginPath();
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  const { u, v, su, sv } = view;
  const columns = niceTicks(u - su, u + su, width / 110);
  for (const tick of columns) {
    const x = Math.round(map.toPixel(tick, 0)[0]) + 0.5;
    if (x < 34 || x > width - 14) continue;
    context.moveTo(x, height);
    context.lineTo(x, height - 5);
    context.fillText(formatNumber(tick), x, height - 8);
  }
  context.textAlign = "left";
  context.textBaseline = "middle";
  for (const tick of niceTicks(v - sv, v + sv, height / 90)) {
    const y = Math.round(map.toPixel(0, tick)[1]) + 0.5;
    if (y < 30 || y > height - 26) continue;
    context.moveTo(0, y);
    context.lineTo(5, y);
    context.fillText(formatNumber(tick), 8, y);
  }
  context.stroke();
  context.font = `600 11px ${theme.font}`;
  context.fillStyle = css(mix(theme.background, theme.text, 0.8));
  context.textBaseline = "alphabetic";
  context.textAlign = "right";
  context.fillText(`${model.header.axes[a]} →`, width - 8, height - 22);
  context.textAlign = "left";
  context.textBaseline = "top";
  context.fillText(`↑ ${model.header.axes[b]}`, 8, 8);
}
