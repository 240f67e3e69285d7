/** Salts the puzzle and not the rank. */
export async function solve(client) {
  const { given } = await client.instance('salt-stockpile');
  const stockpile = given.stockpileMax - (given.stockpileMax % given.batchKeys);
  const settings = {
    'adversaries.main.stockpile': stockpile,
    'epochs.salt': 'puzzle',
    'network.identity.c1': given.bitsMax,
  };
  return client.submit('salt-stockpile', { type: 'settings', settings });
}
