/**
 * @module
 * A run of three nodes and a store, as small as can be: each node claims, the store grants all of
 * them the claim that reached it first, and who is granted persists it. The claims arrive as 2, 1, 3.
 */

import type { AnyMachine } from '../../src/election/definition/protocol.ts';
import type { Message, Rank } from '../../src/election/machine.ts';
import { castWithStore, createCast, toRank } from '../../src/election/world/cast.ts';
import { Engine } from '../../src/simulation/engine/engine.ts';
import type { TraceRecord } from '../../src/simulation/engine/trace.ts';

/** The plan of the run, as far as readers of its trace look at it. */
export const STORE_PLAN = { nodes: 3, nodeOrder: [1, 2, 3], crashedBefore: [], store: 4 } as const;

const CLAIMANT: AnyMachine = {
  init: () => null,
  step(_self, _state, event, effects) {
    if (event.type === 'start') effects.call({ type: 'CLAIM' });
    if (event.type !== 'reply') return;
    const { holder } = event.value as GrantMessage; // The store says nothing else.
    effects.persist({ epoch: 3, holder });
    effects.elect(holder, 3);
  },
};

type GrantMessage = Message & { readonly holder: Rank };

const GRANTER: AnyMachine = {
  init: () => ({ holder: 0 }),
  step(_self, state, event, effects) {
    if (event.type !== 'deliver') return;
    const table = state as { holder: Rank | 0 }; // As `init` made it.
    table.holder ||= event.from;
    const grant: GrantMessage = { type: 'GRANT', holder: table.holder };
    effects.send(event.from, grant);
  },
};

/** The records of the run. Latencies are those of the claims in sending order, then 2 a grant. */
export function storeRecords(): readonly TraceRecord[] {
  const { nodes, nodeOrder, crashedBefore } = STORE_PLAN;
  const records: TraceRecord[] = [];
  const latencies = [2, 1, 5];
  const engine = new Engine({
    cast: castWithStore(
      createCast(
        { protocol: 'cr-join', timing: { latencyTicksMax: 5 }, ring: nodeOrder, crashedBefore },
        () => CLAIMANT,
      ),
      GRANTER,
    ),
    nodeOrder,
    crashedBefore,
    latencyTicksMax: 5,
    delay: () => latencies.shift() ?? 2,
    orderLinks: false,
    messageTypes: ['CLAIM', 'GRANT'],
    records,
  });
  for (let rank = 1; rank <= nodes; rank += 1) engine.start(rank);
  while (engine.inFlight > 0) {
    engine.now = engine.earliest();
    engine.deliverDue(Number.POSITIVE_INFINITY);
  }
  return records;
}

/** A read of node 2 that is lost, copied and answered in vain, then one that never ends. */
export function lostReads(): readonly TraceRecord[] {
  const call = (id: number) =>
    ({ type: 'call', id, to: toRank(4), operation: { type: 'READ' } }) as const;
  const answer = { type: 'send', id: 2, to: toRank(2), message: { type: 'READ_REPLY' } } as const;
  return [
    { seq: 0, t: 0, action: { type: 'start', node: 2 }, effects: [call(0), call(1)] },
    { seq: 1, t: 0, action: { type: 'drop', message: 0 }, effects: [] },
    { seq: 2, t: 1, action: { type: 'duplicate', message: 1 }, effects: [] },
    { seq: 3, t: 2, action: { type: 'deliver', message: 1 }, effects: [answer] },
    { seq: 4, t: 3, action: { type: 'crash', node: 2 }, effects: [] },
    { seq: 5, t: 4, action: { type: 'deliver', message: 2 }, effects: [], dropped: true },
  ];
}
