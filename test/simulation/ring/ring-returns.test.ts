/**
 * @module
 * Nodes that crash in the middle of an election and return with their stable store: Hirschberg and
 * Sinclair's ring and Peterson's, in many schedules, each with what it promises and what it does not.
 */

import { describe, expect, it } from 'vitest';

import type { PropertyName } from '../../../src/election/properties.ts';
import { PROPERTY_NAMES } from '../../../src/election/properties.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { simulateElection } from '../../../src/simulation/run/simulate.ts';
import { faultRun } from '../run/fault-runs.ts';

const RUNS = 1000;

function runs(protocol: ProtocolName, heals: boolean) {
  return Array.from({ length: RUNS }, (_, number) => {
    const { bound, verdict } = simulateElection(faultRun(number, { protocol, heals }));
    const broken = PROPERTY_NAMES.filter((name) => verdict.properties[name].value === 'false');
    return { number, bound, broken };
  });
}

const EXPECTED: readonly { name: ProtocolName; never: readonly PropertyName[] }[] = [
  { name: 'hs-wake', never: [] },
  { name: 'hs-slide', never: [] },
  { name: 'peterson', never: [] },
  { name: 'peterson-prose', never: [] },
];

describe('nodes that crash and return', () => {
  it.each(EXPECTED)('$name: every run ends, and breaks $never alone', ({ name, never }) => {
    const surprising = runs(name, true).filter(
      ({ bound, broken }) => bound !== 'idle' || broken.join() !== never.join(),
    );

    expect(surprising).toEqual([]);
  });
});

describe('nodes that crash for good', () => {
  it.each(EXPECTED)(
    '$name: some runs elect no leader; all rest, none has two leaders',
    ({ name }) => {
      const outcomes = runs(name, false);

      expect(outcomes.filter(({ broken }) => broken.includes('termination'))).not.toEqual([]);
      expect(outcomes.filter(({ bound }) => bound !== 'idle')).toEqual([]);
      expect(outcomes.filter(({ broken }) => broken.includes('uniqueness'))).toEqual([]);
    },
  );
});
