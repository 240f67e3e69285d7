/**
 * @module
 * Byzantine nodes of a run as data: their ranks, their behaviours, the level of authentication, the defences
 * of the honest nodes, and the ranks that no node has.
 */

import { PHANTOM_ID } from '../../adversary/behaviours/impersonation/phantom-id.ts';
import { BEHAVIOUR_NAMES, findBehaviour } from '../../adversary/behaviours/registry.ts';
import { LEVELS } from '../../election/authentication/authenticated.ts';
import { assertDisjoint, assertRanks, assertThat } from './assertions.ts';
import { planDefences } from './defences.ts';
import { hasOutsideNodes } from './outside-nodes.ts';
import type { Plan, SimulationOptions } from './plan.ts';

/** The checked part of a plan. Throws LabError `arguments`. */
export function planByzantine(
  options: SimulationOptions,
): Pick<Plan, 'level' | 'byzantine' | 'phantoms' | 'defences'> {
  const { protocol, nodes, byzantine = [], phantoms = [], crashedBefore = [] } = options;
  const isGuarded = byzantine.length > 0 || hasOutsideNodes(options);
  const level = options.level ?? (isGuarded ? 'L0' : null);
  assertThat(level === null || LEVELS.includes(level), () => `level must be one of ${LEVELS}`);
  assertRanks('phantoms', phantoms, nodes);
  const ranks = byzantine.map(({ rank }) => rank);
  assertRanks('byzantine', ranks, nodes);
  const gone = [...phantoms, ...crashedBefore];
  assertDisjoint('byzantine', ranks, gone, 'a phantom or died before the run');
  for (const name of byzantine.flatMap(({ behaviours }) => behaviours)) {
    assertBehaviour(name, options);
  }
  const defences = planDefences(options.defences ?? [], { protocol, level });
  return { level, byzantine, phantoms, defences };
}

function assertBehaviour(
  name: string,
  { protocol, nodes, phantoms = [] }: SimulationOptions,
): void {
  const behaviour = findBehaviour(name);
  const names = BEHAVIOUR_NAMES.join(', ');
  assertThat(
    behaviour !== null,
    () => `there is no behaviour ${JSON.stringify(name)}; there are ${names}`,
  );
  const unsupportedReason = behaviour?.unsupportedReason(protocol) ?? null;
  assertThat(
    unsupportedReason === null,
    () => `${name} does not fit ${protocol}: ${unsupportedReason}`,
  );
  assertThat(
    behaviour !== PHANTOM_ID || phantoms.includes(nodes),
    () =>
      `${name} names the highest rank, which no node may have: add ${nodes} to phantoms, or one more node that is a phantom`,
  );
}
