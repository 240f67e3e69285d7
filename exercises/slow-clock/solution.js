import { overlap } from './elections.js';

export async function solve(client) {
  const { given } = await client.instance('slow-clock');
  // (1 - ρ)/(1 + ρ) of the lease, on the slow clock, is the lease.
  const drift = (given.slowPercent - 100) / (given.slowPercent + 100);
  const driftPpm = Math.ceil(1e6 * drift);
  const settings = { overlapTicks: await overlap(client, given), driftPpm };
  return client.submit('slow-clock', { type: 'settings', settings });
}
