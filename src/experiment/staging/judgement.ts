/**
 * @module
 * The harm that an attack caused, judged by the honest live nodes. What also happens on the same stage
 * without an attack does not count, because the adversary did not cause it.
 */

import type { Aim } from '../../adversary/behaviours/behaviour.ts';
import { AIMS } from '../../adversary/behaviours/behaviour.ts';
import type { Finding, Sighting } from '../properties/sighting.ts';
import { FINDINGS, isSeen, lacksLeader } from '../properties/sighting.ts';

/** The harms that an adversary can do to an election, in the order of AIMS. */
export type Harm = 'captured-leader' | 'no-leader' | 'split' | 'late-writes';

interface AimFacts {
  /** The harm that is done if the aim is reached. */
  readonly harm: Harm;
  /** Each of these signs shows that the aim is reached. */
  readonly signs: readonly Finding[];
  /** In the attack matrix. */
  readonly letter: string;
  /** Completes "the adversary can" and "the adversary did not". */
  readonly verb: string;
  /** What the honest nodes show of the harm, as a clause. */
  readonly detail: (seen: Sighting) => string;
}

export const AIM_FACTS: Readonly<Record<Aim, AimFacts>> = {
  lead: {
    harm: 'captured-leader',
    signs: ['usurped'],
    letter: 'L',
    verb: 'become leader',
    detail: ({ isUsurped, usurpedTicks, ticks }) =>
      isUsurped
        ? 'in the end every honest node follows the adversary'
        : `every honest node followed the adversary for ${usurpedTicks} of ${ticks} ticks, but no longer in the end`,
  },
  stop: {
    harm: 'no-leader',
    signs: ['leaderless'],
    letter: 'N',
    verb: 'leave the honest nodes without a leader',
    detail: ({ longestAgreedTicks }) =>
      longestAgreedTicks === 0
        ? 'the honest nodes agree on no live one'
        : `no live one was followed by all for more than ${longestAgreedTicks} ticks in a row`,
  },
  split: {
    harm: 'split',
    signs: ['split', 'epoch-shared'],
    letter: 'S',
    verb: 'split the leadership',
    detail({ splitTicks, leadersPerEpochMax }) {
      const most = leadersPerEpochMax ?? 0;
      const shared = most > 1 ? `, and ${most} of them led in one epoch` : '';
      return `honest nodes followed different live leaders for ${splitTicks} ticks${shared}`;
    },
  },
  'outlive-lease': {
    harm: 'late-writes',
    signs: ['late-writes'],
    letter: 'O',
    verb: 'outlive its lease',
    detail: ({ lateWrites }) =>
      `the resource accepted ${lateWrites} writes after those of a later leader`,
  },
};

/** The verb of an aim. An adversary without one does any harm. */
export function aimVerb(aim: Aim | null): string {
  return aim === null ? 'harm the election' : AIM_FACTS[aim].verb;
}

/** What the adversary caused: the signs that are absent without it. */
export function findingsOf(seen: Sighting, honest: Sighting): readonly Finding[] {
  return FINDINGS.filter((finding) => isSeen(finding, seen) && showsIn(finding, honest) === false);
}

/** The signs of which it is unknown whether they are absent without it. */
export function doubtfulOf(seen: Sighting, honest: Sighting): readonly Finding[] {
  return FINDINGS.filter((finding) => isSeen(finding, seen) && showsIn(finding, honest) === null);
}

/** Null if watching stopped before the sign could show. A part of a run cannot show what must last. */
function showsIn(finding: Finding, seen: Sighting): boolean | null {
  if (seen.brokenOffAt === null) return isSeen(finding, seen);
  return finding !== 'leaderless' && isSeen(finding, seen) ? true : null;
}

/** The aims that these findings reach, in the order of AIMS. */
export function aimsReached(findings: readonly Finding[]): readonly Aim[] {
  return AIMS.filter((aim) => isReached(aim, findings));
}

/** Whether these findings reach an aim. Without an aim any finding does. */
export function isReached(aim: Aim | null, findings: readonly Finding[]): boolean {
  return signsOf(aim).some((sign) => findings.includes(sign));
}

/** Whether a sign of an aim is seen, whatever its cause. */
export function showsAim(aim: Aim | null, seen: Sighting): boolean {
  return signsOf(aim).some((sign) => isSeen(sign, seen));
}

function signsOf(aim: Aim | null): readonly Finding[] {
  return aim === null ? FINDINGS : AIM_FACTS[aim].signs;
}

/**
 * Whether a repeated attack still reaches one of these aims against a defence: it shows a sign of the first attack, or
 * another sign that is absent without the attack. Null if watching stopped early. `honest` runs the
 * defended election without the attack.
 */
export function harmsStill(
  aims: readonly Aim[],
  seen: Sighting,
  against: { readonly signs: readonly Finding[]; readonly honest: () => Sighting },
): boolean | null {
  if (seen.brokenOffAt !== null) return null;
  const shown = aims.flatMap(signsOf).filter((sign) => isSeen(sign, seen));
  if (shown.length === 0) return false;
  if (shown.some((sign) => against.signs.includes(sign))) return true;
  const honest = against.honest();
  const reachedBy = (findings: readonly Finding[]) => aims.some((aim) => isReached(aim, findings));
  if (reachedBy(findingsOf(seen, honest))) return true;
  return reachedBy(doubtfulOf(seen, honest)) ? null : false;
}

/** How the election ended if an aim was missed, as the second half of a sentence. */
export function standingClause(aim: Aim | null, seen: Sighting): string {
  if (seen.isUsurped) return 'every honest node follows the adversary';
  if (seen.leader !== null) return `all follow the honest node ${seen.leader}`;
  if (lacksLeader(seen)) {
    return aim === 'stop'
      ? `honest nodes followed different live leaders for ${seen.splitTicksJudged} ticks`
      : 'the honest nodes agree on no live leader';
  }
  return `all followed one leader for ${seen.longestAgreedTicks} ticks in a row, though not in the end`;
}
