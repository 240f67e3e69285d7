/**
 * @module
 * Time in units: what `--latency 1` takes from the first event to the last, where each message takes
 * one tick and a step none. T is 2Δ + 1 = 3 units.
 *
 * Chang and Roberts, all start: the PROBE of the highest is out at 0 and home after n, wherever the
 * others are; SELECTED takes n more, and no other PROBE is older than n. Bully, highest dead: the
 * question (1), the second highest's own question to the dead, unanswered for T, its announcement (1).
 */

import { describe, expect, it } from 'vitest';

import { parseLatency } from '../../../src/simulation/faults/latency.ts';
import { simulateElection } from '../../../src/simulation/run/simulate.ts';
import { SEED } from '../ring/rings.ts';

const UNIT = { latency: parseLatency('1'), seed: SEED } as const;
const ANSWER_UNITS = 3;

describe.each(['cr-join', 'cr-replace', 'cr-always'] as const)('%s, all start', (protocol) => {
  it.each([1, 2, 3, 10, 65, 200])(
    'takes 2n units on %i nodes, ascending or descending',
    (nodes) => {
      const ascending = Array.from({ length: nodes }, (_, index) => index + 1);
      const descending = ascending.toReversed();

      const [up, down] = [ascending, descending].map((ring) =>
        simulateElection({ protocol, nodes, ring, ...UNIT }),
      );

      expect(up?.ticks).toBe(2 * nodes);
      expect(down?.ticks).toBe(2 * nodes);
      expect(up?.agreed).toBe(true);
      expect(down?.agreed).toBe(true);
    },
  );
});

describe('bully-oneshot', () => {
  it.each([3, 5, 10, 40])('takes T + 2 units among %i, T + 1 from the second highest', (nodes) => {
    const crashedBefore = [nodes];
    for (let detector = 1; detector < nodes; detector += 1) {
      const options = { nodes, crashedBefore, initiators: [detector], ...UNIT };

      const outcome = simulateElection({ protocol: 'bully-oneshot', ...options });

      const asked = detector === nodes - 1 ? 0 : 1;
      expect(outcome.ticks, `detector ${detector}`).toBe(asked + ANSWER_UNITS + 1);
      expect(outcome.leader).toBe(nodes - 1);
    }
  });

  it('takes 1 unit when the highest alone starts, 2 when all do: they also ask', () => {
    const run = (initiators?: readonly number[]) =>
      simulateElection({ protocol: 'bully-oneshot', nodes: 8, initiators, ...UNIT });

    expect(run([8]).ticks).toBe(1);
    expect(run().ticks).toBe(2);
  });
});

describe('bully-nextinline', () => {
  it('takes 1 unit when the second highest detects: it announces itself at once', () => {
    const options = { nodes: 8, crashedBefore: [8], initiators: [7], ...UNIT };

    expect(simulateElection({ protocol: 'bully-nextinline', ...options }).ticks).toBe(1);
  });
});
