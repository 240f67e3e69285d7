/**
 * @module
 * The skip-list: who is passed over, and who is heard again when.
 */

import { describe, expect, it } from 'vitest';

import { createBullyOneshot } from '../../../src/election/bully/bully-oneshot.ts';
import { createSkipList, ROUNDS_MAX } from '../../../src/election/defences/skip-list.ts';
import type { Event, Message } from '../../../src/election/machine.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { toRank } from '../../../src/election/world/cast.ts';
import { recorded, SELF } from '../recorded.ts';
import type { Stage } from './staged.ts';
import { agreedOn, play } from './staged.ts';

const TIMING = { latencyTicksMax: 1 };

describe('a top node that answers and never announces itself', () => {
  it.each<ProtocolName>([
    'bully-oneshot',
    'bully-nextinline',
    'bully-improved',
    'bully-2phase',
    'bully-gm82',
  ])('keeps %s without a leader, and with a skip-list is passed over', (protocol) => {
    const stage = {
      ...{ protocol, nodes: 5, level: 'L3', untilTicks: 2000 },
      byzantineNodes: { 5: 'answer-and-stall' },
    } satisfies Omit<Stage, 'defences'>;

    expect(agreedOn(play({ ...stage, defences: [] }))).toBeNull();
    expect(agreedOn(play({ ...stage, defences: ['skip-list'] }))).toBe(4);
  });

  it('is followed when it announces itself and does nothing', () => {
    const stage = {
      ...{ protocol: 'bully-oneshot', nodes: 5, level: 'L0', byzantineNodes: { 1: 'phantom-id' } },
      ...{ phantoms: [5], untilTicks: 2000 },
    } satisfies Omit<Stage, 'defences'>;

    expect(agreedOn(play({ ...stage, defences: ['skip-list'] }))).toBe(5);
  });
});

describe('the guard of node 2 of three', () => {
  it(`passes node 3 over after ${ROUNDS_MAX} rounds and not one earlier`, () => {
    const node = createNode();

    for (let round = 1; round < ROUNDS_MAX; round += 1) node.answer();
    expect(node.state.skipped).toEqual([]);
    node.answer();

    expect(node.state.skipped).toEqual([3]);
  });

  it('ignores answers of a node that it has passed over, but not its announcement', () => {
    const node = passingOver();

    expect(node.receive({ type: 'OK' })).toEqual([]);
    const effects = node.receive({ type: 'COORDINATOR', leader: 3 });

    expect(effects).toContainEqual({ type: 'elect', leader: 3, epoch: 0 });
    expect(node.state.skipped).toEqual([]);
  });

  it.each([
    ['the next election', { type: 'start' }],
    ['a word of the detector', { type: 'trust', node: toRank(3) }],
  ] satisfies [string, Event<Message>][])(
    'accepts messages of all nodes again from %s on',
    (_what, event) => {
      const node = passingOver();

      node.handle(event);

      expect(node.state.skipped).toEqual([]);
    },
  );

  it('begins the count anew when the detector speaks, and when somebody leads', () => {
    const node = createNode();

    for (let round = 1; round < ROUNDS_MAX; round += 1) node.answer();
    node.handle({ type: 'suspect', node: toRank(1) });
    for (let round = 1; round < ROUNDS_MAX; round += 1) node.answer();
    node.receive({ type: 'COORDINATOR', leader: 3 });

    expect(node.state).toMatchObject({ failures: {}, skipped: [], wanted: false });
  });
});

function passingOver() {
  const node = createNode();
  for (let round = 1; round <= ROUNDS_MAX; round += 1) node.answer();
  return node;
}

/** In an election. */
function createNode() {
  const machine = createSkipList(createBullyOneshot(TIMING), 'bully-oneshot', TIMING);
  const state = machine.init(SELF);
  const handle = (event: Event<Message>) =>
    recorded((effects) => machine.step(SELF, state, event, effects));
  const receive = (message: Message & Readonly<Record<string, unknown>>) =>
    handle({ type: 'deliver', from: toRank(3), message });
  const answer = () => {
    receive({ type: 'OK' });
    handle({ type: 'timeout', timer: 'skip:round' });
  };
  handle({ type: 'start' });
  return { state, handle, receive, answer };
}
