/** Takes the largest stockpile, both salts and a difficulty that is surely enough, and computes nothing. */
export async function solve(client) {
  const { given } = await client.instance('salt-stockpile');
  const stockpile = given.stockpileMax - (given.stockpileMax % given.batchKeys);
  const settings = {
    'adversaries.main.stockpile': stockpile,
    'epochs.salt': 'both',
    'network.identity.c1': given.c1 + 8,
  };
  return client.submit('salt-stockpile', { type: 'settings', settings });
}
