import { begin } from './attack.js';

/** Does nothing, because the nodes knew the dead node as their leader before. */
export async function solve(client) {
  await begin(client);
  return client.submit('spoof-coordinator', { type: 'elections' });
}
