import { searched, steps, walk } from './walk.js';

export async function solve(client) {
  const { given } = await client.instance('find-counterexample');
  const byHand = await walk(client, given.byHand, steps(given.byHand, given.leaders));
  const byCheck = await searched(client, given.byCheck);
  return client.submit('find-counterexample', { type: 'counterexamples', byHand, byCheck });
}
