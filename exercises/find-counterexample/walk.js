/** Walks through the worlds of a check, and lets the checker search. */

/** The address after the first possible action that begins with each text in turn. */
export async function walk(client, check, beginnings) {
  const address = [];
  for (const beginning of beginnings) {
    const { actions } = await client.post('/v1/checks/worlds', { ...check, address });
    const next = actions.find(({ text }) => text.startsWith(beginning));
    if (next === undefined) throw new Error(`no action begins with "${beginning}"`);
    address.push(next.index);
  }
  return address;
}

/** What makes nodes lead: each of them holds an election, and then its timer fires before an OK has arrived. */
export function steps({ initiators }, leaders) {
  const woken = leaders.filter((rank) => !initiators.includes(rank));
  return [
    ...initiators.map((rank) => `node ${rank} starts`),
    ...woken.map((rank) => `node ${rank} ELECTION`),
    ...leaders.map((rank) => `node ${rank} timer`),
  ];
}

/** The address of a counterexample that the checker finds. */
export async function searched(client, check) {
  const { result } = await client.post('/v1/checks', check, { Prefer: 'wait=60' });
  return result.address;
}
