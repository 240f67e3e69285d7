/** Joins the ring, and answers the events of a node with nothing. */

import { mine } from '../mine-claim/mining.js';

/** The election of the instance as it was at first, with a node that joins. */
export async function join(client) {
  const { elections } = await client.instance('swallow-ring');
  await client.remove(elections.ring);
  const instance = await client.instance('swallow-ring');
  const path = instance.elections.ring;
  const body = { claim: mine(instance), waitMs: 0 };
  const { token, links } = await client.post(`${path}/nodes`, body);
  return { path, node: client.node(token), links };
}

/** Answers all events that the node has received. */
export async function swallow({ node, links }) {
  for (let through = 0; ; ) {
    const { events } = await node.get(`${links.inbox}?after=${through}`);
    if (events.length === 0) return;
    through = events.at(-1).number;
    await node.post(links.outbox, { through, effects: [] });
  }
}

/** Starts the election and lets it come to rest. */
export async function run(client, path) {
  await client.post(`${path}/actions`, { type: 'start' });
  await client.post(`${path}/actions`, { type: 'advance', until: 'idle' });
}
