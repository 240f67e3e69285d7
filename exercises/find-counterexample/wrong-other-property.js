import { searched } from './walk.js';

const SEARCH = { properties: ['agreement'], walks: 1000, depth: 200, seed: '1' };

/** Finds a violation of another property by random walks, which takes more steps. */
export async function solve(client) {
  const { given } = await client.instance('find-counterexample');
  const byCheck = await searched(client, { ...given.byCheck, ...SEARCH });
  return client.submit('find-counterexample', { type: 'counterexamples', byCheck });
}
