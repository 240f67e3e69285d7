/** How the server forges. */

const POLL_MS = 20;

/** The network whose top ID costs the fewest attempts. */
export function cheapest(networks) {
  const costOf = ({ c1, nodeIds }) => {
    const highest = BigInt(`0x${nodeIds.toSorted().at(-1)}`);
    return 2 ** c1 * (2 ** 256 / Number(2n ** 256n - highest - 1n));
  };
  return networks.toSorted((one, other) => costOf(one) - costOf(other))[0];
}

/** The claim that a forgery finds; null if its budget ends before. */
export async function forged(client, forgery) {
  let job = await client.post('/v1/forgeries', forgery);
  while (!['done', 'failed', 'cancelled', 'interrupted'].includes(job.status)) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    job = await client.get(job.links.self);
  }
  return job.result?.claim ?? null;
}

export const submit = (client, claim) => client.submit('forge-top-id', { type: 'claim', claim });
