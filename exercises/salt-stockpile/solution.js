import { fewestBits, fewestKeys } from './probability.js';

export async function solve(client) {
  const { given } = await client.instance('salt-stockpile');
  const settings = {
    'adversaries.main.stockpile': fewestKeys(given),
    'epochs.salt': 'both',
    'network.identity.c1': fewestBits(given),
  };
  return client.submit('salt-stockpile', { type: 'settings', settings });
}
