/** Multiplies the costs of the puzzles, as if every X needed a new key. */
export async function solve(client) {
  const { given } = await client.instance('predict-cost');
  const number = given.identities * 2 ** (given.c1 + given.c2);
  return client.submit('predict-cost', { type: 'number', number });
}
