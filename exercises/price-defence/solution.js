import { costs, total } from './measured.js';

export async function solve(client) {
  const { nodes, failures } = (await client.instance('price-defence')).given;
  const none = total(failures, await costs(client, { nodes, defences: [] }));
  const incumbency = total(failures, await costs(client, { nodes, defences: ['incumbency'] }));
  return client.submit('price-defence', { type: 'number', number: none - incumbency });
}
