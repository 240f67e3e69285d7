/** Walks through the worlds of a check, and lets the checker search. */

const STEPS_MAX = 12;

/** Lets timers fire as early as possible, until a property no longer holds. */
export async function walk(client, check) {
  const address = [];
  while (address.length < STEPS_MAX) {
    const { properties, actions } = await client.post('/v1/checks/worlds', { ...check, address });
    if (properties.some(({ kind, holds }) => kind === 'always' && !holds)) break;
    const next = actions.find(({ text }) => text.includes('timer')) ?? actions[0];
    address.push(next.index);
  }
  return address;
}

/** The address of a counterexample that the checker finds. */
export async function searched(client, check) {
  const { result } = await client.post('/v1/checks', check, { Prefer: 'wait=60' });
  return result.address;
}
