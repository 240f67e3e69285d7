/**
 * @module
 * What the checker knows of a question that a node has refused: it has not happened, unless it can have arrived twice at a
 * node that has returned in between.
 */

import { describe, expect, it } from 'vitest';
import type { Bounds } from '../../../src/checking/instance.ts';
import { NO_FAULTS } from '../../../src/checking/instance.ts';
import { LINEARIZABLE } from '../../../src/checking/properties/linearizable.ts';
import { whyUnclaimed } from '../../../src/checking/properties/registry.ts';
import type { NodeStep, WorldView } from '../../../src/checking/property.ts';
import type { Json, Message } from '../../../src/election/machine.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { toRank } from '../../../src/election/world/cast.ts';
import { instanceOf } from '../small-instances.ts';

const REPEATED = { duplicate: 1, crash: 1, recover: 1 };
const WRITE = { client: 0, serial: 1, input: { type: 'write', value: 1 } };
const READ = { client: 1, serial: 1, input: { type: 'read' } };
const { client, serial } = WRITE;

/** Whether an order explains that node 1 refuses the write of client 0, and then answers the read of client 1 with its value. */
function isExplained(bounds: Partial<Bounds>): boolean {
  const [history] = LINEARIZABLE.histories;
  if (history === undefined) throw new Error('the property has no history');
  const step = (message: Message, sent: readonly object[]): NodeStep => ({
    ...{ rank: 2, protocol: 'raft', bounds: { ...NO_FAULTS, ...bounds } },
    action: { type: 'deliver', message: 0 },
    delivered: { from: 1, message },
    effects: sent.map((asked) => {
      const ask = Object.assign({ type: 'ASK' }, asked);
      return { type: 'send', id: 0, to: toRank(1), message: ask };
    }),
  });
  const steps = [
    step({ type: 'FOLLOWS' }, [WRITE, READ]),
    step(Object.assign({ type: 'REDIRECT' }, { client, serial, leader: null }), []),
    step(Object.assign({ type: 'ANSWER' }, { ...READ, output: { value: 1 } }), []),
  ];
  const past = steps
    .flatMap((each) => history.notesOf(each))
    .reduce((before, note) => history.fold(before, note), history.first);
  const view = { pastOf: (): Json => past };
  // The property reads nothing else of a world.
  return LINEARIZABLE.holds(view as unknown as WorldView);
}

describe('a write that is refused, and read', () => {
  it.each([
    [true, REPEATED],
    [true, { duplicate: 1, crash: 1, amnesia: 1 }],
    [false, { duplicate: 1 }],
    [false, { crash: 1, recover: 1 }],
    [false, { crash: 1, amnesia: 1 }],
  ])('has happened: %j, with %j', (isPossible, bounds) => {
    expect(isExplained(bounds)).toBe(isPossible);
  });
});

describe('the property', () => {
  it.each([
    [/a repeated question/, REPEATED],
    [null, { duplicate: 1, crash: 1 }],
    [null, { crash: 1, recover: 1 }],
  ])('is not claimed by raft because of %s, with %j', (reason, bounds) => {
    const flags = { log: 'on' };
    const clients = { count: 2, reads: 'leader', patienceTicks: null, everyTicks: null } as const;
    const instance = { ...instanceOf('raft', 2, { flags, bounds }), flags, clients };

    const why = whyUnclaimed(LINEARIZABLE, PROTOCOLS.raft, instance);

    if (reason === null) expect(why).toBeNull();
    else expect(why).toMatch(reason);
  });
});
