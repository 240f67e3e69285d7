import { walk } from './walk.js';

/** Stops one step before the violation. */
export async function solve(client) {
  const { given } = await client.instance('find-counterexample');
  const byHand = (await walk(client, given.byHand)).slice(0, -1);
  return client.submit('find-counterexample', { type: 'counterexamples', byHand });
}
