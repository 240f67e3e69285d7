/** Leaves out the messages to the node that is down. */
export async function solve(client) {
  const { given } = await client.instance('count-messages');
  const live = given.nodes - 1;
  const number = live * (live - 1) + live - 1;
  return client.submit('count-messages', { type: 'number', number });
}
