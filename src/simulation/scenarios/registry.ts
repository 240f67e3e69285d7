/**
 * @module
 * The closed list of named scenarios; command line, tests and documentation read it.
 */

import { LabError } from '../../errors.ts';

import { CONSENSUS_BY_ELECTION } from './consensus-by-election.ts';
import { FLAPPING_TOP } from './flapping-top.ts';
import { LATE_JOINER } from './late-joiner.ts';
import { ONE_WAY_LOSS } from './one-way-loss.ts';
import { ORPHAN_PROBE } from './orphan-probe.ts';
import type { Scenario } from './scenario.ts';
import { SPLIT_BRAIN } from './split-brain.ts';
import { STALE_COORDINATOR } from './stale-coordinator.ts';

export const SCENARIOS: readonly Scenario[] = [
  FLAPPING_TOP,
  SPLIT_BRAIN,
  ORPHAN_PROBE,
  STALE_COORDINATOR,
  ONE_WAY_LOSS,
  LATE_JOINER,
  CONSENSUS_BY_ELECTION,
];

/** The scenario of that name or alias. Throws LabError `arguments` that names them all. */
export function findScenario(name: string): Scenario {
  const found = SCENARIOS.find((each) => each.name === name || each.aliases.includes(name));
  if (found !== undefined) return found;
  const names = SCENARIOS.map((each) => each.name).join(', ');
  throw new LabError(
    'arguments',
    `there is no scenario ${JSON.stringify(name)}; there are ${names}`,
  );
}
