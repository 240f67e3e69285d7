/**
 * @module
 * What the variants of Bully cost, exactly, with the highest of n dead. Convention: a message is one
 * send, those to dead nodes count, calls and answers are two messages; unit delay, T = 3 units; `one
 * start` means that one node notices and the others learn of it from messages alone.
 */

import { describe, expect, it } from 'vitest';

import type { ProtocolName } from '../../../src/election/registry.ts';
import { simulateElection } from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { SEED } from '../ring/rings.ts';

const SIZES = [2, 3, 4, 5, 6, 7, 8, 9, 10];
const DETECTORS = SIZES.flatMap((nodes) =>
  Array.from({ length: nodes - 1 }, (_, index) => ({ nodes, detector: index + 1 })),
);

/** All survivors detect when no detector is named. */
function withHighestDead(protocol: ProtocolName, nodes: number, initiators?: readonly number[]) {
  const outcome = simulateElection({
    protocol,
    nodes,
    crashedBefore: [nodes],
    initiators,
    seed: SEED,
  });
  expect(outcome).toMatchObject({ leader: nodes - 1, agreed: true, bound: 'idle' });
  expect(outcome.verdict.value).toBe('true');
  return outcome;
}

function sent(messages: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(messages).filter(([, count]) => count > 0));
}

describe('bully-2phase', () => {
  it.each(DETECTORS)('$nodes nodes, detector $detector: one-shot and 2(n-2) more', (row) => {
    const { nodes, detector } = row;
    const higher = nodes - detector;

    const { messages } = withHighestDead('bully-2phase', nodes, [detector]);

    expect(messages).toEqual({
      ELECTION: (higher * (higher + 1)) / 2,
      OK: (higher * (higher - 1)) / 2,
      PREPARE: nodes - 2,
      READY: nodes - 2,
      ANNOUNCE: nodes - 2,
      total: higher ** 2 + nodes - 2 + 2 * (nodes - 2),
    });
  });

  it.each(SIZES)('%i nodes, all detect: as if the lowest had', (nodes) => {
    const { messages } = withHighestDead('bully-2phase', nodes);

    expect(messages.total).toBe(nodes ** 2 - nodes - 1 + 2 * (nodes - 2));
  });

  it('takes 2 message times more than the one-shot form', () => {
    expect(withHighestDead('bully-2phase', 10, [1]).ticks).toBe(7);
    expect(withHighestDead('bully-2phase', 10, [9]).ticks).toBe(6);
  });
});

describe('bully-gm82, the second highest detects', () => {
  it.each([
    { nodes: 3, total: 7 },
    { nodes: 4, total: 13 },
    { nodes: 5, total: 19 },
    { nodes: 6, total: 25 },
    { nodes: 10, total: 49 },
  ])('$nodes nodes: 6n - 11 = $total calls and answers', ({ nodes, total }) => {
    const { messages } = withHighestDead('bully-gm82', nodes, [nodes - 1]);

    expect(sent(messages)).toEqual({
      ARE_YOU_THERE: 1,
      HALT: nodes - 2,
      HALT_REPLY: nodes - 2,
      NEW_COORDINATOR: nodes - 2,
      NEW_COORDINATOR_REPLY: nodes - 2,
      READY: nodes - 2,
      READY_REPLY: nodes - 2,
      total,
    });
    expect(total).toBe(6 * nodes - 11);
  });

  it.each([3, 4, 5, 10])(
    '%i nodes take T, n - 2 HALT one after the other, and two more calls',
    (nodes) => {
      expect(withHighestDead('bully-gm82', nodes, [nodes - 1]).ticks).toBe(3 + 2 * (nodes - 2) + 4);
    },
  );

  it('takes 23 message times with ten nodes', () => {
    expect(withHighestDead('bully-gm82', 10, [9]).ticks).toBe(23);
  });
});

describe('bully-gm82, a node with live nodes above it detects', () => {
  const cases = [3, 4, 5, 6, 10, 16].flatMap((nodes) =>
    Array.from({ length: nodes - 2 }, (_, index) => ({ nodes, above: index + 1 })),
  );

  it.each(cases)('$nodes nodes, $above above: 6n - 9 + k(k + 5)', ({ nodes, above }) => {
    const { messages } = withHighestDead('bully-gm82', nodes, [nodes - 1 - above]);

    expect(messages.total).toBe(6 * nodes - 9 + above * (above + 5));
  });

  it.each([3, 4, 5, 6, 10, 16])('%i nodes: n^2 + 7n - 15 for the lowest', (nodes) => {
    const { messages } = withHighestDead('bully-gm82', nodes, [1]);

    expect(messages.total).toBe(nodes ** 2 + 7 * nodes - 15);
  });

  it.each([3, 4, 5, 6, 10, 16])('%i nodes: n^2 + 4n - 11 when all do', (nodes) => {
    expect(withHighestDead('bully-gm82', nodes).messages.total).toBe(nodes ** 2 + 4 * nodes - 11);
  });

  it('sends 155 messages when the lowest of ten detects', () => {
    expect(withHighestDead('bully-gm82', 10, [1]).messages.total).toBe(155);
  });
});

describe('bully-gm82, the lowest detects', () => {
  it.each(SIZES)(
    '%i nodes: a poll starts no election, but those polled look for themselves',
    (n) => {
      const { messages } = withHighestDead('bully-gm82', n, [1]);

      expect(messages.HALT).toBe(n - 2);
      expect(messages.ARE_YOU_THERE).toBeGreaterThanOrEqual(n - 1);
    },
  );

  it.each(SIZES)('%i nodes, all detect: everybody polls once, one halts', (nodes) => {
    const { messages } = withHighestDead('bully-gm82', nodes);

    expect(messages.ARE_YOU_THERE).toBe((nodes * (nodes - 1)) / 2);
    expect(messages.ARE_YOU_THERE_REPLY).toBe(((nodes - 1) * (nodes - 2)) / 2);
    expect(messages.HALT).toBe(nodes - 2);
  });
});

describe('bully-nextinline', () => {
  it.each(SIZES)('%i nodes, the next in line detects: n - 2, in one message time', (nodes) => {
    const { messages, ticks } = withHighestDead('bully-nextinline', nodes, [nodes - 1]);

    expect(sent(messages)).toEqual(nodes === 2 ? {} : { COORDINATOR: nodes - 2, total: nodes - 2 });
    expect(ticks).toBe(nodes === 2 ? 0 : 1);
  });

  it.each([3, 4, 5, 6, 10, 16])('%i nodes, all detect: n^2 - 3', (nodes) => {
    const total = withHighestDead('bully-nextinline', nodes).messages.total;

    expect(total).toBe(nodes ** 2 - 3);
    expect(total).toBe((withHighestDead('bully-oneshot', nodes).messages.total ?? 0) + nodes - 2);
  });

  it.each(DETECTORS.filter(({ nodes, detector }) => detector < nodes - 1))(
    '$nodes nodes, detector $detector: as the one-shot form',
    ({ nodes, detector }) => {
      const { messages } = withHighestDead('bully-nextinline', nodes, [detector]);

      expect(messages.total).toBe((nodes - detector) ** 2 + nodes - 2);
    },
  );
});

describe('bully-improved', () => {
  it.each(SIZES)('%i nodes, the declared next detects: n - 2', (nodes) => {
    const { messages } = withHighestDead('bully-improved', nodes, [nodes - 1]);

    expect(messages.COORDINATOR).toBe(nodes - 2);
    expect(messages.total).toBe(nodes - 2);
  });

  it.each(DETECTORS.filter(({ nodes, detector }) => detector < nodes - 1))(
    '$nodes nodes, detector $detector: n - 1 with its CRASH, in two message times',
    ({ nodes, detector }) => {
      const { messages, ticks } = withHighestDead('bully-improved', nodes, [detector]);

      expect(sent(messages)).toEqual({
        CRASH: 1,
        COORDINATOR: nodes - 2,
        total: nodes - 1,
      });
      expect(ticks).toBe(2);
    },
  );

  it('costs 3(n - 1) to declare who comes next when all are up', () => {
    const simulation = createSimulation({ protocol: 'bully-improved', nodes: 6, seed: SEED });
    simulation.start([6]);
    simulation.advance({ until: 'idle' });
    simulation.crash(3);
    simulation.advance({ until: 'idle' });
    const before = simulation.status().messages;

    simulation.recover(3);
    simulation.advance({ until: 'idle' });

    const after = simulation.status().messages;
    const more = (type: string) => (after[type] ?? 0) - (before[type] ?? 0);
    expect([more('INFO_REQ'), more('INFO'), more('NEXT')]).toEqual([5, 5, 5]);
  });

  it('asks everybody when the declared next is dead as well', () => {
    const outcome = simulateElection({
      protocol: 'bully-improved',
      nodes: 5,
      crashedBefore: [4, 5],
      initiators: [1],
      seed: SEED,
    });

    expect(outcome).toMatchObject({ leader: 3, agreed: true });
    expect(outcome.messages).toMatchObject({ CRASH: 1, ELECTION: 4 + 3 + 2 });
  });
});

describe('bully-modified', () => {
  it.each(DETECTORS)('$nodes nodes, detector $detector: asks once and grants once', (row) => {
    const { nodes, detector } = row;

    const { messages } = withHighestDead('bully-modified', nodes, [detector]);

    const grants = detector === nodes - 1 ? 0 : 1;
    expect(messages).toEqual({
      ELECTION: nodes - detector,
      OK: nodes - 1 - detector,
      GRANT: grants,
      COORDINATOR: nodes - 2,
      total: 2 * (nodes - detector) + nodes - 3 + grants,
    });
  });

  it.each([
    [3, 5],
    [4, 8],
    [5, 11],
    [6, 14],
    [7, 17],
    [8, 20],
    [9, 23],
    [10, 26],
  ])('%i nodes, the lowest detects: 3n - 4 = %i', (nodes, total) => {
    expect(withHighestDead('bully-modified', nodes, [1]).messages.total).toBe(total);
  });

  it.each(SIZES)('%i nodes, the second highest detects: n - 1', (nodes) => {
    expect(withHighestDead('bully-modified', nodes, [nodes - 1]).messages.total).toBe(nodes - 1);
  });

  it.each(SIZES.filter((nodes) => nodes > 2))('%i nodes, all detect: O(n²)', (nodes) => {
    const { messages } = withHighestDead('bully-modified', nodes);

    expect(messages).toEqual({
      ELECTION: (nodes * (nodes - 1)) / 2,
      OK: ((nodes - 1) * (nodes - 2)) / 2,
      GRANT: nodes - 2,
      // Once when no node has answered it, once for all the grants of the next tick.
      COORDINATOR: 2 * (nodes - 2),
      total: (nodes - 1) ** 2 + 3 * (nodes - 2),
    });
  });

  it('takes T and two message times from the lowest', () => {
    expect(withHighestDead('bully-modified', 10, [1]).ticks).toBe(5);
  });
});
