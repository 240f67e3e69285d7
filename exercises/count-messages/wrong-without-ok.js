/** Forgets that every ELECTION to a live node is answered. */
export async function solve(client) {
  const { elections } = await client.instance('count-messages');
  const { nodes } = await client.get(elections.bully);
  const number = (nodes * (nodes - 1)) / 2 + nodes - 2;
  return client.submit('count-messages', { type: 'number', number });
}
