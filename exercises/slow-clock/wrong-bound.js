/** Computes the longest possible overlap, and allows for half of the drift because two nodes seldom lead then. */
export async function solve(client) {
  const { given } = await client.instance('slow-clock');
  const { leaseTicks, slowPercent } = given;
  const overlapTicks = Math.round((leaseTicks * (slowPercent - 100)) / 100);
  const driftPpm = Math.ceil((5e5 * (slowPercent - 100)) / (slowPercent + 100));
  const settings = { overlapTicks, driftPpm };
  return client.submit('slow-clock', { type: 'settings', settings });
}
