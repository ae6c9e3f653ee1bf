// What is wrong with how an instrument stands in a window, one sentence each.
(root) => {
  const box = (element) => element.getBoundingClientRect();
  const all = (selector) => [...root.querySelectorAll(selector)].filter((e) => e.checkVisibility());
  const faults = [];
  const style = (element) => getComputedStyle(element);

  const WORDS = "button, .widget-label, .widget-readout, .dpviz-sentence p, small, summary, p";
  for (const e of all(WORDS)) {
    if (style(e).display !== "inline" && e.scrollWidth > e.clientWidth + 1) faults.push(`cut: ${e.textContent}`);
  }
  for (const e of [root, ...all("*")]) {
    const { overflowX, overflowY } = style(e);
    const wide = /auto|scroll/.test(overflowX) && e.scrollWidth > e.clientWidth + 1;
    const tall = /auto|scroll/.test(overflowY) && e.scrollHeight > e.clientHeight + 1;
    if (wide || tall) faults.push(`a scroll bar: ${e.className}`);
  }

  const PARTS = ["presets", "controls", "idle", "problem", "picture", "sentence", "table", "notice"];
  const parts = all(PARTS.map((name) => `.dpviz-${name}`).join()).filter((e) => box(e).height > 0);
  for (const [i, one] of parts.entries())
    for (const other of parts.slice(i + 1)) {
      const [a, b] = [box(one), box(other)];
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 1 && down > 1) faults.push(`overprinted: ${one.className} and ${other.className}`);
    }

  const view = (root.closest(".jp-WindowedPanel-outer") ?? document.documentElement).clientHeight;
  const ends = all(".dpviz-sentence, .dpviz-controls").map((e) => box(e).bottom);
  const needed = Math.max(...ends) - box(root).top;
  if (needed > view) faults.push(`${needed} pixels of ${view}`);
  if (box(root).right > innerWidth) faults.push("wider than the window");

  const picture = root.querySelector(".dpviz-picture svg[role]");
  const paper = document.body.dataset.jpThemeLight === "false" ? "rgb(22, 24, 28)" : "rgb(255, 255, 255)";
  if (style(picture).backgroundColor !== paper) faults.push("the picture is not on its theme's ground");

  // WCAG: contrast of words with the ground they stand on.
  const rgba = (text) => text.match(/[\d.]+/g).map(Number);
  const over = ([r, g, b, a = 1], ground) => [r, g, b].map((c, i) => a * c + (1 - a) * ground[i]);
  const ground = (e) => {
    const [r, g, b, a = 1] = rgba(style(e).backgroundColor);
    const below = a < 1 ? (e.parentElement ? ground(e.parentElement) : [255, 255, 255]) : [0, 0, 0];
    return over([r, g, b, a], below);
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  for (const e of all(WORDS).filter((one) => !one.disabled && one.textContent.trim())) {
    const [low, high] = [light(over(rgba(style(e).color), ground(e))), light(ground(e))].sort((a, b) => a - b);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < 4.5) faults.push(`contrast ${ratio.toFixed(1)}: ${e.textContent.trim().slice(0, 30)}`);
  }
  return faults;
}
