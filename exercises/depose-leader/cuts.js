/** Elections of your own in which a node is cut off. */

const FLAGS = {
  none: {},
  preVote: { rules: 'etcd', preVote: 'on' },
  both: { rules: 'etcd', preVote: 'on', checkQuorum: 'on' },
};

/** Whether a cut that ends at this tick deposes the leader. */
async function isDeposed(client, given, to, flags) {
  const { protocol, nodes, seed, initiators, node, from } = given;
  const network = { partition: `isolate:${node}@${from}-${to}` };
  const election = { protocol, nodes, seed, initiators, network, flags: FLAGS[flags] };
  const { links } = await client.post('/v1/elections', election);
  await client.post(links.actions, { type: 'start' });
  let items = [];
  for (let until = to + 150; items.length === 0; until += 1) {
    await client.post(links.actions, { type: 'advance', until });
    ({ items } = await client.get(links.messages));
  }
  await client.remove(links.self);
  return items.some(({ body }) => body.term > 1);
}

/** The first tick at which a cut can end that deposes the leader. A longer one does, too. */
export async function shortest(client, given) {
  let [low, high] = [given.from + 1, given.toMax];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await isDeposed(client, given, middle, 'none')) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A tick at which a cut can end that deposes the leader although nodes ask before they stand. */
export async function despitePreVote(client, given) {
  for (let to = given.from + 1; to <= given.toMax; to += 1) {
    if (await isDeposed(client, given, to, 'preVote')) return to;
  }
  throw new Error('no cut deposes the leader');
}
