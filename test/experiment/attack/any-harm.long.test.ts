/**
 * @module
 * Every behaviour on every protocol that it fits, at every level: an election that is broken, and would not
 * have been without the adversary, is a success of the adversary. The test reads the harm from what was
 * seen, not from the findings that the judgement makes of it. The edges have every third behaviour of
 * a protocol, from another one for each protocol, and the slow suite all.
 */

import { describe, expect, it } from 'vitest';
import { BEHAVIOUR_NAMES, BEHAVIOURS } from '../../../src/adversary/behaviours/registry.ts';
import { LEVELS } from '../../../src/election/authentication/authenticated.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { executeAttack, planAttack } from '../../../src/experiment/attack/attack.ts';
import { reportAttack } from '../../../src/experiment/attack/report.ts';
import type { Sighting } from '../../../src/experiment/properties/sighting.ts';
import { IS_WHOLE } from '../../sample.ts';
import { asked, SERVICES } from './attacks.ts';

const NODES = 3;

/** The harm in a sighting that needs no threshold: what is certainly wrong. */
function harmIn(seen: Sighting): string[] {
  const { isUsurped, leader, longestAgreedTicks, splitTicksJudged, leadersPerEpochMax } = seen;
  return [
    ...(isUsurped ? ['captured-leader'] : []),
    ...(leader === null && longestAgreedTicks === 0 && splitTicksJudged === 0 ? ['no-leader'] : []),
    ...((leadersPerEpochMax ?? 0) > 1 || splitTicksJudged === seen.judgedTicks ? ['split'] : []),
    ...(seen.lateWrites > 0 ? ['late-writes'] : []),
  ];
}

describe.each(PROTOCOL_NAMES)('an attack on %s', (protocol) => {
  const fitting = BEHAVIOUR_NAMES.filter(
    (name) => BEHAVIOURS[name].unsupportedReason(protocol) === null,
  );
  // Each protocol begins at another one. Few behaviours fit a protocol without messages.
  const first = PROTOCOL_NAMES.indexOf(protocol) % Math.min(3, fitting.length);
  const behaviours = fitting.filter((_, index) => IS_WHOLE || index % 3 === first);

  it.each(behaviours)('by %s succeeds if it does harm, at every level', async (behaviour) => {
    for (const level of LEVELS) {
      const attack = planAttack(
        asked({ protocol, level, behaviours: [behaviour], nodes: NODES, c1: 1 }),
      );
      const execution = await executeAttack(attack, SERVICES);
      if (execution.outcome !== 'run') throw new TypeError('"outcome" expected run');
      const { seen, honest } = execution;
      const report = reportAttack(attack, execution, { trials: [], notTried: [], sets: null });
      if (seen.brokenOffAt !== null || honest.brokenOffAt !== null) {
        expect(report.succeeded, level).not.toBe(false);
        continue;
      }

      const caused = harmIn(seen).filter((harm) => !harmIn(honest).includes(harm));

      expect(report.harms, level).toEqual(expect.arrayContaining(caused));
      if (caused.length > 0) expect(report.succeeded, level).toBe(true);
      expect(report.succeeded, level).toBe(report.harms.length > 0);
    }
  });
});
