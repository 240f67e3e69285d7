import { cheapest } from './prices.js';

export async function solve(client) {
  const { given } = await client.instance('price-churn');
  const stays = 1 - given.churn;
  // An identity serves in its first epoch, and in each later one if its node is still there.
  const settings = cheapest(given, (lifetime) => given.churn / (1 - stays ** lifetime));
  return client.submit('price-churn', { type: 'settings', settings });
}
