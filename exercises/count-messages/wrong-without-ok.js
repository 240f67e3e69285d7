/** Forgets that every ELECTION to a live node is answered. */
export async function solve(client) {
  const { given } = await client.instance('count-messages');
  const { nodes } = given;
  const number = (nodes * (nodes - 1)) / 2 + nodes - 2;
  return client.submit('count-messages', { type: 'number', number });
}
