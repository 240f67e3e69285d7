import { searched } from './walk.js';

/** Lets the checker search in place of the walk by hand: it stops at two leaders. */
export async function solve(client) {
  const { given } = await client.instance('find-counterexample');
  const byHand = await searched(client, given.byHand);
  return client.submit('find-counterexample', { type: 'counterexamples', byHand });
}
