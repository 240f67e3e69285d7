import { cheapest } from './prices.js';

/** Lets each node pay once in a lifetime, as if no node left. */
export async function solve(client) {
  const { given } = await client.instance('price-churn');
  const settings = cheapest(given, (lifetime) => 1 / lifetime);
  return client.submit('price-churn', { type: 'settings', settings });
}
