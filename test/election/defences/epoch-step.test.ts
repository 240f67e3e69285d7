/**
 * @module
 * The bound on steps of terms and epochs: what is heard, and who stays out for how long.
 */

import { describe, expect, it } from 'vitest';
import { createEpochStep, EPOCH_STEP_MAX } from '../../../src/election/defences/epoch-step.ts';
import type { Event, Json, Message } from '../../../src/election/machine.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { createCast, toRank } from '../../../src/election/world/cast.ts';
import { recorded } from '../recorded.ts';
import { agreedOn, play } from './staged.ts';

const LAST = Number.MAX_SAFE_INTEGER;
const TIMING = { latencyTicksMax: 1 };
/** Node 1 of five. */
const SELF = createCast({
  ...{ protocol: 'raft', timing: TIMING, ring: [1, 2, 3, 4, 5], crashedBefore: [] },
}).selfOf(1);

describe('a node that says the last term there is', () => {
  it.each<ProtocolName>(['raft', 'quorum-lease', 'zk-slide-quorum', 'zab-fle'])(
    'ends all elections of %s, and with a bound on steps none',
    (protocol) => {
      const stage = {
        protocol,
        nodes: 5,
        level: 'L3',
        byzantineNodes: { 1: 'term-inflation' },
      } as const;

      expect(agreedOn(play({ ...stage, defences: [] }))).toBeNull();
      expect(agreedOn(play({ ...stage, defences: ['epoch-step'] }))).not.toBeNull();
    },
  );

  it('climbs as high step by step', () => {
    const node = createNode();

    for (let step = 1; step <= 3; step += 1) node.receive(2, step * EPOCH_STEP_MAX);

    expect(node.state.known).toEqual({ term: 3 * EPOCH_STEP_MAX });
  });
});

describe('the guard of a voter', () => {
  it.each([
    [EPOCH_STEP_MAX, true],
    [EPOCH_STEP_MAX + 1, false],
    [LAST, false],
  ])('with term 0 and a word of term %i: heard is %s', (term, isHeard) => {
    const node = createNode();

    const answers = node.receive(2, term).filter(({ type }) => type === 'send');

    expect(answers).toHaveLength(isHeard ? 1 : 0);
  });

  it('accepts what three of five name, as high as all three do', () => {
    const node = createNode();
    const high = 10 * EPOCH_STEP_MAX;

    node.receive(2, LAST);
    node.receive(3, high);
    expect(node.state.known).toEqual({});
    node.receive(4, high + 1);

    expect(node.state.known).toEqual({ term: high + 1 });
  });

  it('counts one that names many numbers once, and itself never', () => {
    const node = createNode();

    for (const term of [LAST, LAST - 1, LAST - 2]) node.receive(2, term);
    for (const from of [1, 3]) node.receive(from, LAST);

    expect(node.state.known).toEqual({});
  });

  it('knows after a return what it knew before, and its protocol what it stored', () => {
    const before = createNode();
    const [stored] = before
      .receive(2, EPOCH_STEP_MAX)
      .flatMap((effect) => (effect.type === 'persist' ? [effect.fields] : []));

    const after = createNode();
    after.handle({ type: 'recover', persisted: stored ?? null });

    expect(stored).toBeDefined();
    expect(after.state.known).toEqual({ term: EPOCH_STEP_MAX });
    expect(after.state.inner).toMatchObject({ term: EPOCH_STEP_MAX });
  });

  it.each<Json>([null, 'x', [], { known: 1 }, { known: { term: -1 } }])(
    'knows nothing with %j on its disk',
    (persisted) => {
      const node = createNode();

      node.handle({ type: 'recover', persisted });

      expect(node.state.known).toEqual({});
    },
  );
});

function createNode() {
  const machine = createEpochStep(PROTOCOLS.raft.create(TIMING), 'raft');
  const state = machine.init(SELF);
  const handle = (event: Event<Message>) =>
    recorded((effects) => machine.step(SELF, state, event, effects));
  const receive = (from: number, term: number) => {
    const message = { type: 'VOTE', term, lastIndex: 0 };
    return handle({ type: 'deliver', from: toRank(from), message });
  };
  return { state, handle, receive };
}
