/** Ends the cut after two heartbeats, before any time-out is over. */
export async function solve(client) {
  const { given } = await client.instance('depose-leader');
  const to = given.from + 6;
  const settings = { plainTo: to, preVoteTo: to, flags: 'both' };
  return client.submit('depose-leader', { type: 'settings', settings });
}
