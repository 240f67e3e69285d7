/** Crashes of the highest node, one in each window. */
export function flapping({ nodes, windows }, downTicks) {
  return windows.map(({ from }) => ({ rank: nodes, from, to: from + downTicks }));
}

/** How often the leader changes under crashes with a defence, in an election of your own. */
export async function changesWith(client, { given, crashes, defence }) {
  const { protocol, nodes, seed, ticks } = given;
  const election = { protocol, nodes, seed, defences: [defence] };
  const { links } = await client.post('/v1/elections', election);
  const act = (action) => client.post(links.actions, action);
  await act({ type: 'start' });
  const leaders = [];
  const look = async (until) => leaders.push((await act({ type: 'advance', until })).leader?.rank);
  for (const { rank, from, to } of crashes) {
    await look(from);
    await act({ type: 'crash', rank });
    await look(to);
    await act({ type: 'recover', rank });
  }
  await look(ticks);
  await client.remove(links.self);
  // While nodes elect, they follow no common leader.
  const agreed = leaders.filter((rank) => rank !== undefined);
  return agreed.filter((rank, index) => index > 0 && rank !== agreed[index - 1]).length;
}
