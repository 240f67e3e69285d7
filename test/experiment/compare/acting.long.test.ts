/**
 * @module
 * Rows of a comparison may share runs: against an adversary that follows the protocol, a defence which leaves
 * identities and ranks alone never changes who leads. Where ranks have no meaning, the adversary leads with its
 * share of the identities, with these defences and without them.
 */

import { describe, expect, it } from 'vitest';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { actingDefences } from '../../../src/experiment/compare/defences.ts';
import type { ComparedDefence } from '../../../src/experiment/compare/names.ts';
import { planComparison } from '../../../src/experiment/compare/outline.ts';
import { allSets } from '../../../src/experiment/compare/sets.ts';
import { applySettings, readSetting } from '../../../src/experiment/reading/settings.ts';
import { createRunner } from '../../../src/experiment/runs/run.ts';
import { exactInterval } from '../../../src/experiment/theory/statistics.ts';
import { parseSeed } from '../../../src/random.ts';
import { IS_WHOLE } from '../../sample.ts';
import { isWon, modelFrom, STILL } from '../models.ts';

const SEED = parseSeed('3');
const RUNS = IS_WHOLE ? 30 : 15;
const SMALL = ['network.honest=5', 'network.identity.c1=1', 'network.election.ticks=400'];
// Pilot runs would choose among equally good responses by their draws.
const FIXED = ['adversaries.main.goal=top', 'adversaries.main.registers=after'];
const BASE = modelFrom(
  'cpu-advantage',
  ...[...SMALL, ...FIXED, 'adversaries.main.budget={attempts: 8}'],
);

/** The rows of a protocol whose single defence is not an acting one. */
function inertRows(protocol: ProtocolName) {
  const question = { settings: [], protocols: [protocol], sets: allSets(false) };
  const rest = { advantages: [1], machines: null, hardRate: 20 };
  const { rows } = planComparison(BASE, { ...question, ...rest }, 1);
  return rows.filter(({ defences }) => actingDefences(BASE, defences).length < defences.length);
}

/** Whether the adversary leads, for each of the first runs. */
function leads(model: Parameters<typeof createRunner>[0], runs: number): boolean[] {
  const execute = createRunner(model, STILL);
  return Array.from({ length: runs }, (_, run) => isWon(execute({ seed: SEED, run })));
}

const nameOf = (defences: readonly ComparedDefence[]) => defences.join('+');

describe.each(['bully-oneshot', 'cr-join'] as const)('%s, watched', (protocol) => {
  const settings = [`network.election.protocols=[${protocol}]`].map(readSetting);
  const plain = leads(applySettings(BASE, settings), RUNS);

  it('shows both outcomes', () => {
    expect(new Set(plain)).toEqual(new Set([true, false]));
  });

  it.each(inertRows(protocol).map((row) => [nameOf(row.defences), row] as const))(
    'has the same leaders with %s',
    (_, { model }) => {
      expect(leads(model, RUNS)).toEqual(plain);
    },
  );
});

describe('raft, watched', () => {
  const settings = [
    ...['network.election.protocols=[raft]', 'network.identity.c1=0', 'adversaries.main.goal=all'],
    'adversaries.main.budget={attempts: 3}',
  ].map(readSetting);

  it.each([
    ['none', BASE] as const,
    ...inertRows('raft').map((row) => [nameOf(row.defences), row.model] as const),
  ])('is led by the adversary in its share of the identities, with %s', (_, model) => {
    const runs = 4 * RUNS;
    const won = leads(applySettings(model, settings), runs).filter(Boolean).length;

    // 3 of 8 identities.
    const [low, high] = exactInterval({ runs, wins: won, confidence: 0.9999 });
    expect(low).toBeLessThan(3 / 8);
    expect(high).toBeGreaterThan(3 / 8);
  });
});
