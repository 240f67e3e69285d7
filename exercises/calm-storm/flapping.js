/** Crashes of the highest node, one in each window. */
export function flapping({ nodes, windows }, downTicks) {
  return windows.map(({ from }) => ({ rank: nodes, from, to: from + downTicks }));
}
