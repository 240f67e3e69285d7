/**
 * @module
 * The row of the fault matrix that `usurp conform` checks: definitions of the registry conform, and a
 * changed cell is reported with what was seen.
 */

import { describe, expect, it } from 'vitest';

import type { FaultRow } from '../../../src/election/definition/fault-row.ts';
import { breaks, live, ok, stop } from '../../../src/election/definition/fault-row.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { faultMatrix } from '../../../src/simulation/conform/fault-matrix.ts';
import { checkFaultRow } from '../../../src/simulation/conform/fault-row.ts';

import { SEED } from '../ring/rings.ts';

function failuresOf(name: ProtocolName, changed: Partial<FaultRow> = {}): string[] {
  const faults = { ...PROTOCOLS[name].faults, ...changed };
  const protocol = { ...PROTOCOLS[name], faults };
  const findings = checkFaultRow({ protocol, seed: SEED });
  return findings.filter(({ holds }) => !holds).map(({ check, detail }) => `${check}: ${detail}`);
}

describe('the stated row of the fault matrix', () => {
  it.each(['bully-oneshot', 'franklin', 'quorum-lease', 'lease-local'] as const)(
    '%s: conforms',
    (name) => {
      expect(failuresOf(name)).toEqual([]);
    },
  );

  it.each<[string, ProtocolName, Partial<FaultRow>, RegExp]>([
    [
      'a violation that is not stated',
      'bully-oneshot',
      { drop: ok('') },
      /for drop: expected ok, seen X S1 S2 .*: S1 in the run of \d nodes with seed \d+: nodes \d/,
    ],
    [
      'a violation that is stated and never occurs',
      'cr-join',
      { 'unknown-message': breaks(['S1'], '') },
      /for unknown-message: expected X S1, seen ok .*: none of 4000 runs violates S1$/,
    ],
    [
      'a stop that is not stated',
      'cr-join',
      { drop: live('') },
      /for drop: expected ok\/L, seen stop .*: L in the run of \d nodes with seed \d+: /,
    ],
    [
      'a stop that never occurs',
      'cr-join',
      { duplicate: stop('') },
      /for duplicate: expected stop, seen ok .*: none of 4000 runs ends without a leader$/,
    ],
    [
      'a storm that is not stated',
      'franklin',
      { duplicate: stop('') },
      /for duplicate: expected stop, seen stop without rest .*: no rest in the run of \d nodes/,
    ],
  ])('reports %s', (_what, name, changed, expected) => {
    expect(failuresOf(name, changed)).toEqual([expect.stringMatching(expected)]);
  });
});

describe('a fault matrix whose nodes start at different ticks', () => {
  it('states what only such runs violate, and finds it', async () => {
    const order = { protocols: ['peterson-prose'], runs: 14, starts: 'any' } as const;
    const { value: row } = await faultMatrix(order, async () => true).next();
    const drop = row?.cells.find(({ fault }) => fault === 'drop');

    expect(drop).toMatchObject({ stated: 'stop (late S1)', agrees: 'true' });
    expect(drop?.seen).toContainEqual(expect.objectContaining({ effect: 'S1', seed: '13' }));
    expect(row?.cells.filter(({ agrees }) => agrees === 'false')).toEqual([]);
  });
});
