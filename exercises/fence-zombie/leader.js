/** The node that leads at a tick. */
export async function leaderAt(client, tick) {
  const { elections } = await client.instance('fence-zombie');
  await client.remove(elections.lease);
  const { lease } = (await client.instance('fence-zombie')).elections;
  await client.post(`${lease}/actions`, { type: 'start' });
  await client.post(`${lease}/actions`, { type: 'advance', until: tick });
  const { items } = await client.get(`${lease}/nodes`);
  return items.find(({ rank, follows }) => follows === rank).rank;
}
