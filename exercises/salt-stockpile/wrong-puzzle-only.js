/** Salts the puzzle and not the rank. */
export async function solve(client) {
  const { given } = await client.instance('salt-stockpile');
  const settings = {
    'adversaries.main.stockpile': 20 * given.honest * 2 ** given.c1,
    'epochs.salt': 'puzzle',
    'network.identity.c1': given.bitsMax,
  };
  return client.submit('salt-stockpile', { type: 'settings', settings });
}
