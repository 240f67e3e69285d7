/**
 * @module
 * The hop limit: what it takes off a ring, what it cannot, and how often it begins anew.
 */

import { describe, expect, it } from 'vitest';
import { ANEW_MAX, createHopLimit, VISITS_MAX } from '../../../src/election/defences/hop-limit.ts';
import type { Message } from '../../../src/election/machine.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { CR_JOIN } from '../../../src/election/ring/chang-roberts.ts';
import { toRank } from '../../../src/election/world/cast.ts';
import { recorded, SELF } from '../recorded.ts';
import { agreedOn, play } from './staged.ts';

/** Rank 6 exists nowhere. */
const PHANTOM = { nodes: 6, phantoms: [6], ring: 'by-id', level: 'L0' } as const;

describe('a candidate that no node is', () => {
  it.each<ProtocolName>([
    'cr-join',
    'cr-replace',
    'cr-always',
    'ring-lelann',
    'ring-attr',
    'hs-wake',
    'peterson',
  ])(
    'is followed in %s, and with a hop limit taken off the ring, after which the best leads',
    (protocol) => {
      const stage = { ...PHANTOM, protocol, byzantineNodes: { 1: 'phantom-id' } } as const;

      const without = play({ ...stage, defences: [] });
      const guarded = play({ ...stage, defences: ['hop-limit'] });

      expect(agreedOn(without)).toBe(6);
      expect(agreedOn(guarded)).toBe(5);
      expect(guarded.simulation.status().messages.total).toBeLessThan(
        Number(without.simulation.status().messages.total),
      );
    },
  );

  it('is still followed if a lap ends at the node that began it', () => {
    const stage = {
      ...PHANTOM,
      protocol: 'ring-collect',
      byzantineNodes: { 1: 'phantom-id' },
    } as const;

    expect(agreedOn(play({ ...stage, defences: ['hop-limit'] }))).toBe(6);
  });

  it('comes back for ever from a node that makes one of every candidate', () => {
    const stage = {
      ...PHANTOM,
      protocol: 'cr-join',
      byzantineNodes: { 1: 'tamper-token' },
    } as const;

    expect(agreedOn(play({ ...stage, defences: [] }))).toBeNull();
    expect(agreedOn(play({ ...stage, defences: ['hop-limit'] }))).toBeNull();
  });
});

describe('the guard of a ring of three', () => {
  it('passes a token on that has made six hops, one more each time, and drops it at the seventh', () => {
    const node = createNode();
    node.receive({ type: 'PROBE', candidate: 3 });

    expect(node.receive({ type: 'PROBE', candidate: 3, travelled: 5 })).toEqual([
      { type: 'PROBE', candidate: 3, travelled: 6 },
    ]);
    expect(node.receive({ type: 'PROBE', candidate: 3, travelled: 6 })).toEqual([
      { type: 'BEGIN_ANEW', call: 1 },
      { type: 'BEGIN_ANEW', call: 1 },
      { type: 'PROBE', candidate: 2 },
    ]);
  });

  it('counts from the beginning what it says itself', () => {
    const node = createNode();

    expect(node.receive({ type: 'PROBE', candidate: 3, travelled: 4 })).toEqual([
      { type: 'PROBE', candidate: 2 },
      { type: 'PROBE', candidate: 3, travelled: 5 },
    ]);
  });

  it('takes a count that is none for no hops', () => {
    const node = createNode();
    node.receive({ type: 'PROBE', candidate: 3 });

    expect(node.receive({ type: 'PROBE', candidate: 3, travelled: -1e300 })).toEqual([
      { type: 'PROBE', candidate: 3, travelled: 1 },
    ]);
  });

  it('begins again at a call, once, without a leader', () => {
    const node = createNode();
    node.receive({ type: 'SELECTED', leader: 3 });

    const first = node.effectsOf({ type: 'BEGIN_ANEW', call: 1 });
    const second = node.effectsOf({ type: 'BEGIN_ANEW', call: 1 });

    expect(first.map(({ type }) => type)).toEqual(['step-down', 'send']);
    expect(second).toEqual([]);
  });

  it(`begins anew ${ANEW_MAX} times and not once more until its detector speaks`, () => {
    const node = createNode();
    for (let call = 1; call <= ANEW_MAX; call += 1) node.receive({ type: 'BEGIN_ANEW', call });

    const once = node.receive({ type: 'BEGIN_ANEW', call: ANEW_MAX + 1 });
    node.handle({ type: 'suspect', node: toRank(3) });
    const again = node.receive({ type: 'BEGIN_ANEW', call: ANEW_MAX + 2 });

    expect(once).toEqual([]);
    expect(again).toEqual([{ type: 'PROBE', candidate: 2 }]);
  });

  it.each([
    { type: 'BEGIN_ANEW', call: 0.5 },
    { type: 'BEGIN_ANEW', call: 0 },
    { type: 'BEGIN_ANEW' },
  ])('does nothing at the call %j', (message) => {
    expect(createNode().receive(message)).toEqual([]);
  });

  it(`passes a token on ${VISITS_MAX} times that is new each time, and takes the next for an orphan`, () => {
    const node = createNode();
    const visit = () => node.receive({ type: 'PROBE', candidate: 3 }).at(0)?.type;

    const visits = Array.from({ length: VISITS_MAX }, visit);

    expect(new Set(visits)).toEqual(new Set(['PROBE']));
    expect(visit()).toBe('BEGIN_ANEW');
  });

  it('forgets what has come by when the ring has been quiet for an election', () => {
    const node = createNode();
    for (let visit = 1; visit <= VISITS_MAX; visit += 1)
      node.receive({ type: 'PROBE', candidate: 3 });

    node.handle({ type: 'timeout', timer: 'hops:quiet' });

    expect(node.receive({ type: 'PROBE', candidate: 3 }).at(0)?.type).toBe('PROBE');
  });
});

type Word = Message & Readonly<Record<string, unknown>>;

/** Node 2 of three, 3 next. */
function createNode() {
  const timing = { latencyTicksMax: 1 };
  const machine = createHopLimit(CR_JOIN.create(timing), 'cr-join', timing);
  const state = machine.init(SELF);
  const handle = (event: Parameters<typeof machine.step>[2]) =>
    recorded((effects) => machine.step(SELF, state, event, effects));
  const effectsOf = (message: Word) => handle({ type: 'deliver', from: toRank(1), message });
  const receive = (message: Word) =>
    effectsOf(message).flatMap((effect) => (effect.type === 'send' ? [effect.message] : []));
  return { state, handle, receive, effectsOf };
}

it('a node counts the visits of a bounded number of tokens, whatever their names', () => {
  const { state, receive } = createNode();
  for (let name = 1; name <= 2_000; name += 1) receive({ type: 'PROBE', candidate: name });

  expect(Object.keys(state.visits).length).toBeLessThan(200);
});
