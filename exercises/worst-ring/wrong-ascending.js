/** The best ring: every probe but the highest meets a higher node at once. */
export async function solve(client) {
  const { given } = await client.instance('worst-ring');
  return client.submit('worst-ring', { type: 'ring', ring: given.nodeIds.toSorted() });
}
