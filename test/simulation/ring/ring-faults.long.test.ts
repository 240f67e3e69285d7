/**
 * @module
 * One-way rings whose nodes crash and return, and rings at their smallest. What each promises holds in
 * every run; a ring with a hole stops, at rest, and never has two leaders. On links that reorder only
 * those counts change that are known to.
 */

import { describe, expect, it } from 'vitest';

import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { parseSeed } from '../../../src/random.ts';
import { simulateElection } from '../../../src/simulation/run/simulate.ts';
import { faultRun } from '../run/fault-runs.ts';
import { SEED } from './rings.ts';

const RUNS = 1500;
const REORDERING_RUNS = 500;
const RINGS = [
  'ring-lelann',
  'ring-collect',
  'ring-maxtoken',
  'cr-replace',
  'cr-always',
  'ring-attr',
] as const;
const ROBUST = ['ring-robust', 'ring-robust:peterson'] as const;

function outcomes(protocol: ProtocolName, heals: boolean) {
  return Array.from({ length: RUNS }, (_, number) =>
    simulateElection(faultRun(number, { protocol, heals })),
  );
}

describe.each(RINGS)('%s', (protocol) => {
  it('keeps every property in every run where all who crash return', () => {
    const broken = outcomes(protocol, true).filter(({ verdict }) => verdict.value !== 'true');

    expect(broken).toEqual([]);
  });

  it('stops at rest in some runs where nodes stay down, and never has two leaders', () => {
    const runs = outcomes(protocol, false);
    const uniqueness = runs.map(({ verdict }) => verdict.properties.uniqueness.value);
    const agreement = runs.map(({ verdict }) => verdict.properties.agreement.value);

    expect(runs.filter(({ bound }) => bound !== 'idle')).toEqual([]);
    expect(uniqueness).not.toContain('false');
    expect(agreement).not.toContain('false');
    expect(runs.some(({ leader }) => leader === null)).toBe(true);
  });

  it.each([1, 5, 7])('elects the highest again when it crashes at tick %i and returns', (at) => {
    const outcome = simulateElection({
      protocol,
      nodes: 5,
      faults: [
        { type: 'crash', rank: 5, at },
        { type: 'recover', rank: 5, at: at + 30 },
      ],
      seed: SEED,
    });

    expect(outcome.leader).toBe(5);
    expect(outcome.verdict.value).toBe('true');
  });
});

describe.each([...RINGS, ...ROBUST])('%s at its smallest', (protocol) => {
  it.each([
    { nodes: 1, initiators: [1] },
    { nodes: 2, initiators: [1] },
    { nodes: 2, initiators: [2] },
    { nodes: 2, initiators: [1, 2] },
  ])('$nodes nodes, started by $initiators: the highest leads', ({ nodes, initiators }) => {
    const outcome = simulateElection({ protocol, nodes, initiators, seed: SEED });

    expect(outcome.leader).toBe(nodes);
    expect(outcome.verdict.value).toBe('true');
    expect(outcome.bound).toBe('idle');
  });

  it('elects the survivor when the only other node died before', () => {
    const outcome = simulateElection({ protocol, nodes: 2, crashedBefore: [2], seed: SEED });

    expect(outcome.leader).toBe(1);
    expect(outcome.agreed).toBe(true);
  });
});

describe('links that reorder', () => {
  /** In how many runs the sends differ from those in lockstep. */
  function changes(protocol: ProtocolName): number {
    let changed = 0;
    for (let number = 0; number < REORDERING_RUNS; number += 1) {
      const options = { protocol, nodes: 3 + (number % 4), seed: parseSeed(String(number)) };
      const lockstep = simulateElection(options);
      const latency = { type: 'uniform', ticksMin: 1, ticksMax: 50 } as const;
      const reordered = simulateElection({ ...options, latency, fifo: false });
      if (reordered.messages.total !== lockstep.messages.total) changed += 1;
    }
    return changed;
  }

  it.each(['ring-lelann', 'ring-collect', 'ring-maxtoken', 'cr-always', 'cr-join'] as const)(
    'do not change what %s sends',
    (protocol) => {
      expect(changes(protocol)).toBe(0);
    },
  );

  it('change what cr-replace sends: a PROBE that SELECTED overtook starts others', () => {
    expect(changes('cr-replace')).toBeGreaterThan(0);
  });

  it('are said to break ring-lelann and ring-robust:peterson alone of these', () => {
    const needing = [...RINGS, ...ROBUST].filter((name) => PROTOCOLS[name].fifo);

    expect(needing).toEqual(['ring-lelann', 'ring-robust:peterson']);
  });

  it('make nodes of ring-lelann follow another than the highest', () => {
    const wrong = Array.from({ length: REORDERING_RUNS }, (_, number) =>
      simulateElection({
        protocol: 'ring-lelann',
        nodes: 3 + (number % 4),
        seed: parseSeed(String(number)),
        latency: { type: 'uniform', ticksMin: 1, ticksMax: 50 },
        fifo: false,
      }),
    ).filter(({ verdict }) => verdict.properties.highestLiveWins.value === 'false');

    expect(wrong.length).toBeGreaterThan(0);
  });
});
