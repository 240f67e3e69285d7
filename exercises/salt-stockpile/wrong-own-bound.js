/** Allows the adversary to lead always, so that no defence is needed. */
export async function solve(client) {
  const { given } = await client.instance('salt-stockpile');
  const stockpile = given.stockpileMax - (given.stockpileMax % given.batchKeys);
  const settings = { 'adversaries.main.stockpile': stockpile, 'expect.probability': 1 };
  return client.submit('salt-stockpile', { type: 'settings', settings });
}
