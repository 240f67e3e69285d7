export async function solve(client) {
  const { given } = await client.instance('salt-stockpile');
  // The expectation N·2^-c1 is more than four times the number of honest nodes.
  const stockpile = given.stockpileMax - (given.stockpileMax % given.batchKeys);
  const settings = {
    'adversaries.main.stockpile': stockpile,
    'epochs.salt': 'both',
    'network.identity.c1': given.bitsMax,
  };
  return client.submit('salt-stockpile', { type: 'settings', settings });
}
