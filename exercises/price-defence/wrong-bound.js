import { costs, total } from './measured.js';

/** Takes the cost of a return from the list of defences, which states a bound. */
export async function solve(client) {
  const { nodes, failures } = (await client.instance('price-defence')).given;
  const cost = await costs(client, { nodes, defences: [] });
  const incumbency = cost.crash + failures * 2 * (nodes - 1);
  const number = total(failures, cost) - incumbency;
  return client.submit('price-defence', { type: 'number', number });
}
