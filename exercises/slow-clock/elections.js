/** Elections of your own with the clock of the instance. */

/** The nodes that lead at a tick if the drift is ignored. */
async function leadersAt(client, given, tick) {
  const { protocol, nodes, seed, leaseTicks, slowPercent, holder, from } = given;
  const flags = { leaseTicks: String(leaseTicks), drift: 'ignored' };
  const partition = `isolate:${holder}@${from}-${from + 4 * leaseTicks}`;
  const network = { skew: `${holder}:${slowPercent}/100`, partition };
  const { links } = await client.post('/v1/elections', { protocol, nodes, seed, flags, network });
  await client.post(links.actions, { type: 'start' });
  await client.post(links.actions, { type: 'advance', until: tick });
  const { items } = await client.get(links.nodes);
  await client.remove(links.self);
  return items.filter(({ rank, follows }) => follows === rank).map(({ rank }) => rank);
}

/** The first tick at which a condition on the leaders holds, which then holds for a while. */
async function firstTick(client, given, [from, to], holds) {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(await leadersAt(client, given, middle))) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** For how many ticks two nodes lead. */
export async function overlap(client, given) {
  const { from, leaseTicks, slowPercent, holder } = given;
  const end = from + Math.ceil((leaseTicks * slowPercent) / 100) + 1;
  const ended = await firstTick(client, given, [from, end], (ranks) => !ranks.includes(holder));
  const begun = await firstTick(client, given, [from, ended], (ranks) => ranks.length > 1);
  return ended - begun;
}
