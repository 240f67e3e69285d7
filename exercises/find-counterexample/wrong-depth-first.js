import { searched } from './walk.js';

/** Searches in depth, which finds a counterexample that is not the shortest. */
export async function solve(client) {
  const { given } = await client.instance('find-counterexample');
  const byCheck = await searched(client, { ...given.byCheck, order: 'depth' });
  return client.submit('find-counterexample', { type: 'counterexamples', byCheck });
}
