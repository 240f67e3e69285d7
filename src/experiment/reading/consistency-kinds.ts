/**
 * @module
 * What the members of a threat model must say together for the kind of run that they ask for: epochs
 * that can be drawn, captures and watched elections that end, and nothing that the kind passes over in
 * silence.
 */

import { parseWish } from '../../adversary/goals.ts';
import { CAPTURED_MAX, EPOCH_CLAIMS_MAX } from '../document/limits.ts';
import { runKindOf } from '../document/run-kind.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { namesJudgedBy, PROPERTIES } from '../properties/registry.ts';
import type { Contradiction } from './stage-faults.ts';
import { stageFault } from './stage-faults.ts';

/** Whatever does not fit the kind of run. */
export function kindContradictions(parts: ThreatModel): readonly Contradiction[] {
  const kind = runKindOf(parts);
  const found = [...placesContradictions(parts), ...epochWords(parts)];
  switch (kind) {
    case 'epochs':
      return [...found, ...epochsContradictions(parts), ...registrationContradictions(parts)];
    case 'capture':
      return [...found, ...captureContradictions(parts), ...registrationContradictions(parts)];
    case 'watched':
      return [...found, ...watchedContradictions(parts)];
    case 'ranking':
      return found;
    default:
      return kind satisfies never;
  }
}

/** Of registration and ranks, not of what nodes do. */
const REGISTRATION_DEFENCES = ['frozen-membership', 'beacon-rank'] as const;

/** What is drawn by rank alone has its closed form, which knows of neither. */
function registrationContradictions({ network }: ThreatModel): readonly Contradiction[] {
  const { defences } = network.election;
  const named = REGISTRATION_DEFENCES.find((name) => defences.includes(name));
  if (named === undefined) return [];
  const message = `must not name ${named} where no election is watched`;
  return [{ path: ['network', 'election', 'defences'], message }];
}

function placesContradictions({ expect }: ThreatModel): readonly Contradiction[] {
  if (PROPERTIES[expect.property].isCounted || expect.count === 1) return [];
  const message = `does not apply to ${expect.property}: leave it out`;
  return [{ path: ['expect', 'count'], message }];
}

/** What means something over epochs only. */
function epochWords({ epochs, expect, adversaries }: ThreatModel): readonly Contradiction[] {
  if (epochs !== undefined) return [];
  const found: Contradiction[] = [];
  if (namesJudgedBy('election', 'watched', 'ranking').every((name) => name !== expect.property)) {
    const message = `is about epochs: add epochs: {count: 10}, or expect another property than ${expect.property}`;
    found.push({ path: ['expect', 'property'], message });
  }
  for (const [name, { reveals }] of Object.entries(adversaries)) {
    if (reveals === 0) continue;
    const message = 'is about the beacons of epochs: add epochs, or leave it out';
    found.push({ path: ['adversaries', name, 'reveals'], message });
  }
  return found;
}

function epochsContradictions(parts: ThreatModel): readonly Contradiction[] {
  const { work, expect, network, epochs, adversaries, faults } = parts;
  const found: Contradiction[] = [];
  if (work !== 'sampled') {
    found.push({
      path: ['work'],
      message: 'must be sampled where there are epochs: they are drawn',
    });
  }
  const fitting = namesJudgedBy('epochs', 'ranking');
  if (!fitting.includes(expect.property)) {
    const message = `must be one of ${fitting.join(', ')} if there are epochs`;
    found.push({ path: ['expect', 'property'], message });
  }
  if (network.identity.c2 > 0) {
    const message = 'must be 0 where there are epochs, which draw the static puzzle alone';
    found.push({ path: ['network', 'identity', 'c2'], message });
  }
  if (faults !== undefined) {
    const message =
      'are of elections that are watched, and epochs are drawn: leave one of them out';
    found.push({ path: ['faults'], message });
  }
  const names = Object.keys(adversaries).sort();
  if (names.length > 1) {
    const message = 'must be one at most where there are epochs: give one the budget of all';
    found.push({ path: ['adversaries', names[1] ?? ''], message });
  }
  for (const name of names) {
    const { behaviours = [], identities = 0, goal } = adversaries[name] ?? {};
    const at = (member: string, message: string) =>
      found.push({ path: ['adversaries', name, member], message });
    if (behaviours.length > 0) at('behaviours', 'are of elections, and epochs are drawn');
    if (identities > 0) at('identities', 'are not drawn where there are epochs');
    if (goal !== undefined && goal !== 'top') at('goal', 'must be top where there are epochs');
  }
  if (epochs !== undefined && epochs.count * network.honest > EPOCH_CLAIMS_MAX) {
    const message = `must be lower: epochs times honest nodes are at most ${EPOCH_CLAIMS_MAX}`;
    found.push({ path: ['epochs', 'count'], message });
  }
  return found;
}

function captureContradictions({
  network,
  adversaries,
  work,
}: ThreatModel): readonly Contradiction[] {
  const found: Contradiction[] = [];
  if (network.honest > CAPTURED_MAX) {
    const message = `must be at most ${CAPTURED_MAX} where all ranks of a run are looked at`;
    found.push({ path: ['network', 'honest'], message });
  }
  for (const [name, { goal, behaviours }] of Object.entries(adversaries)) {
    const wish = parseWish(goal);
    if (wish?.type === 'count' && wish.identities > CAPTURED_MAX && work === 'sampled') {
      const message = `must be count:${CAPTURED_MAX} at most where all ranks of a run are looked at`;
      found.push({ path: ['adversaries', name, 'goal'], message });
    }
    if (behaviours.length > 0) {
      const message = 'are of elections, and the expected property is about identities alone';
      found.push({ path: ['adversaries', name, 'behaviours'], message });
    }
  }
  return found;
}

/** One at a time: what follows from it is no news. */
function watchedContradictions(parts: ThreatModel): readonly Contradiction[] {
  const fault = stageFault(parts);
  return fault === null ? [] : [fault];
}

/** Whether the elections of a document are held by rank alone. */
export function isRankingAlone(parts: ThreatModel): boolean {
  return runKindOf(parts) === 'ranking';
}
