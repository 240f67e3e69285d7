/**
 * @module
 * A frozen membership: who takes part in which election.
 */

import { describe, expect, it } from 'vitest';

import { createBullyOneshot } from '../../../src/election/bully/bully-oneshot.ts';
import { createFrozenMembership } from '../../../src/election/defences/frozen-membership.ts';
import type { Event, Message } from '../../../src/election/machine.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { createCast, toRank } from '../../../src/election/world/cast.ts';
import type { ScheduledFault } from '../../../src/simulation/faults/schedule.ts';
import { recorded } from '../recorded.ts';
import type { Stage } from './staged.ts';
import { agreedOn, play } from './staged.ts';

const BULLIES: readonly ProtocolName[] = [
  'bully-oneshot',
  'bully-gm82',
  'bully-2phase',
  'bully-nextinline',
  'bully-improved',
  'bully-modified',
];
const TIMING = { latencyTicksMax: 4 };

describe('a higher node that joins during an election', () => {
  it.each(BULLIES)('wins it in %s, and a frozen one not, of which it is informed', (protocol) => {
    const stage = joining(protocol, { at: 4 });

    const guarded = play({ ...stage, defences: ['frozen-membership'], audit: true });

    expect(agreedOn(play({ ...stage, defences: [] }))).toBe(5);
    expect(agreedOn(guarded)).toBe(4);
    const { simulation } = guarded;
    expect(simulation.audit()?.finish(simulation.status().ticks).ticksSplit).toBe(0);
  });

  it.each(BULLIES)('wins the next one of %s', (protocol) => {
    const stage = joining(protocol, { at: 4 }, [{ type: 'crash', rank: 4, at: 300 }]);

    expect(agreedOn(play({ ...stage, defences: ['frozen-membership'] }))).toBe(5);
  });

  it('wins when it comes as soon as the election is over', () => {
    const stage = joining('bully-oneshot', { at: 40 });

    expect(agreedOn(play({ ...stage, defences: ['frozen-membership'] }))).toBe(5);
  });
});

describe('the guard of node 5 of five', () => {
  it('begins T after it was started, if it is not asked to stand by', () => {
    const node = createNode();

    expect(node.handle({ type: 'start' })).toEqual([
      { type: 'set-timer', timer: 'frozen:start', ticks: 9, periodic: false },
    ]);
    expect(node.handle({ type: 'timeout', timer: 'frozen:start' })).toContainEqual({
      ...{ type: 'elect', leader: 5, epoch: 0 },
    });
  });

  it('stands by when three of the four others say so, and not for two', () => {
    const node = createNode();
    node.handle({ type: 'start' });

    for (const from of [1, 1, 2]) node.receive(from, { type: 'STAND_BY' });
    expect(node.state.phase).toBe('waiting');
    node.receive(3, { type: 'STAND_BY' });

    expect(node.state.phase).toBe('standing-by');
  });

  it('follows the leader that three of the four others name, and not one that two name', () => {
    const node = createNode();
    node.handle({ type: 'start' });
    const named = { type: 'ELECTED_BEFORE', leader: toRank(4), epoch: 0 };

    expect([1, 2].flatMap((from) => node.receive(from, named))).toEqual([]);
    const effects = node.receive(4, named);

    expect(effects).toContainEqual({ type: 'elect', leader: 4, epoch: 0 });
  });

  it('heeds neither once it has taken part', () => {
    const node = createNode();
    node.handle({ type: 'start' });
    node.handle({ type: 'timeout', timer: 'frozen:start' });
    const named = { type: 'ELECTED_BEFORE', leader: toRank(4), epoch: 0 };

    const words = [1, 2, 3, 4].flatMap((from) => [
      ...node.receive(from, { type: 'STAND_BY' }),
      ...node.receive(from, named),
    ]);

    expect(words).toEqual([]);
    expect(node.state.leader).toBe(5);
  });

  it('stands after a while if no node names a leader', () => {
    const node = createNode();
    node.handle({ type: 'start' });
    for (const from of [1, 2, 3]) node.receive(from, { type: 'STAND_BY' });

    node.handle({ type: 'timeout', timer: 'frozen:start' });

    expect(node.state.leader).toBe(5);
  });
});

function joining(
  protocol: ProtocolName,
  { at }: { readonly at: number },
  more: readonly ScheduledFault[] = [],
): Omit<Stage, 'defences'> {
  const faults = [{ type: 'join', rank: 5, at } as const, ...more];
  return {
    ...{ protocol, nodes: 5, level: 'L3', latency: { type: 'constant', ticks: 4 } },
    schedule: { faults, calm: null, detector: 'crashes' },
  };
}

function createNode() {
  const self = createCast({
    ...{ protocol: 'bully-oneshot', timing: TIMING, ring: [1, 2, 3, 4, 5], crashedBefore: [] },
  }).selfOf(5);
  const machine = createFrozenMembership(createBullyOneshot(TIMING), TIMING);
  const state = machine.init(self);
  const handle = (event: Event<Message>) =>
    recorded((effects) => machine.step(self, state, event, effects));
  const receive = (from: number, message: Message) =>
    handle({ type: 'deliver', from: toRank(from), message });
  return { state, handle, receive };
}
