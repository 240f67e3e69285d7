/** Sends COORDINATOR in the name of a node, after the nodes have elected a leader. */
export async function attack(client, path, rankOf) {
  const act = (action) => client.post(`${path}/actions`, action);
  await client.post(`${path}/actions`, { type: 'start' });
  const { nodes } = await act({ type: 'advance', until: 'idle' });
  const rank = rankOf(nodes);
  const message = { type: 'COORDINATOR', leader: rank };
  await act({ type: 'inject', from: rank, to: 'all', message });
  await act({ type: 'advance', until: 'idle' });
}

/** Makes the elections of the instance as they were at first. */
export async function begin(client) {
  const { elections } = await client.instance('spoof-coordinator');
  for (const path of Object.values(elections)) await client.remove(path);
  return client.instance('spoof-coordinator');
}
