export async function solve(client) {
  const { given } = await client.instance('salt-stockpile');
  // The expectation N·2^-c1 is 20 times the number of honest nodes.
  const stockpile = Math.min(given.stockpileMax, 20 * given.honest * 2 ** given.c1);
  const settings = {
    'adversaries.main.stockpile': stockpile,
    'epochs.salt': 'both',
    'network.identity.c1': given.bitsMax,
  };
  return client.submit('salt-stockpile', { type: 'settings', settings });
}
