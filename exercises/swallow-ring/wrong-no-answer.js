import { join, run } from './playing.js';

/** Joins and never looks at the inbox. */
export async function solve(client) {
  const { path } = await join(client);
  await run(client, path);
  return client.submit('swallow-ring', { type: 'elections' });
}
