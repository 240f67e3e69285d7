/** Crashes of the highest node, as long as they are permitted. */
export function flapping({ nodes, crashes, ticks }, downTicks) {
  const period = Math.floor(ticks / (crashes + 1));
  return Array.from({ length: crashes }, (_, index) => {
    const from = period * index + 40;
    return { rank: nodes, from, to: from + downTicks };
  });
}
