/** Small elections of your own, from which the messages of large ones follow. */

/** The messages of each crash and each return of the highest node, in turn. */
async function messagesOf(client, { nodes, defences }) {
  const election = { protocol: 'bully-oneshot', nodes, defences, seed: '1' };
  const { links } = await client.post('/v1/elections', election);
  let sent = 0;
  let until = 0;
  const act = async (action) => {
    await client.post(links.actions, action);
    until += 60;
    const { messages } = await client.post(links.actions, { type: 'advance', until });
    const more = messages.total - sent;
    sent = messages.total;
    return more;
  };
  await act({ type: 'start' });
  const events = [];
  for (let failure = 0; failure < 3; failure += 1) {
    events.push(await act({ type: 'crash', rank: nodes }));
    events.push(await act({ type: 'recover', rank: nodes }));
  }
  await client.remove(links.self);
  return events;
}

/** The value at n of the polynomial of degree 2 through the values at 5, 6 and 7. */
function extrapolated([five, six, seven], n) {
  const [first, second] = [six - five, seven - 2 * six + five];
  return five + first * (n - 5) + (second * (n - 5) * (n - 6)) / 2;
}

/** The messages of the first and of each later crash and return in a large network. */
export async function costs(client, { nodes, defences }) {
  const small = [];
  for (const few of [5, 6, 7]) small.push(await messagesOf(client, { nodes: few, defences }));
  const at = (event) =>
    extrapolated(
      small.map((events) => events[event]),
      nodes,
    );
  return { crash: at(0), return: at(1), laterCrash: at(2), laterReturn: at(3) };
}

/** The messages of all failures, from those of the first and of each later one. */
export function total(failures, cost) {
  const later = (failures - 1) * (cost.laterCrash + cost.laterReturn);
  return cost.crash + cost.return + later;
}
