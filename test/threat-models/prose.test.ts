/**
 * @module
 * Results that the prose of a document states, each beside the runs that show it. A document that states
 * another result, or a run that shows another one, fails here.
 */

import { describe, expect, it } from 'vitest';
import { applySettings, readSetting } from '../../src/experiment/reading/settings.ts';
import { onlyOf } from '../experiment/models.ts';
import { judged, modelOf } from './catalogue-judged.ts';

/** A statement of the outcome, and the frequency that its runs must have. */
interface Claim {
  readonly id: string;
  readonly states: string;
  readonly settings: readonly string[];
  readonly runs: number;
  /** In percent, as the document rounds it. */
  readonly percent: number;
}

const CLAIMS: readonly Claim[] = [
  ...(
    [
      ['bully-oneshot', 'L0', 100, 'no live leader is followed by all'],
      ['bully-gm82', 'L0', 100, 'no live leader is followed by all'],
      ['bully-oneshot', 'L1', 100, 'again no leader lasts in any run'],
      ['bully-gm82', 'L1', 0, 'stops the attack on bully-gm82'],
      ['bully-oneshot', 'L2', 0, 'L2 stops both'],
      ['bully-gm82', 'L2', 0, 'L2 stops both'],
    ] as const
  ).map(([protocol, level, percent, states]) => ({
    id: 'spoofed-coordinator-l0',
    states,
    settings: [`network.election.protocols=[${protocol}]`, `network.election.level=${level}`],
    runs: 40,
    percent,
  })),
  {
    id: 'partition-raft',
    states: 'halves@100-300, in 46 % of 1 000 runs',
    settings: ['faults.partition=halves@100-300'],
    runs: 1000,
    percent: 46,
  },
];

describe('the prose of a document', () => {
  it.each(CLAIMS)('$id: $states ($settings)', ({ id, states, settings, runs, percent }) => {
    const model = applySettings(modelOf(id), settings.map(readSetting));

    expect(modelOf(id).outcome.replaceAll(/\s+/g, ' ')).toContain(states);
    const { measured } = onlyOf(judged(model, runs).results);
    expect(Math.round(100 * measured.frequency)).toBe(percent);
  });
});
