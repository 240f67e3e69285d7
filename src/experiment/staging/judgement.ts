/**
 * @module
 * Whether an attack reached its aim, judged by the honest live nodes. What also happens on the same stage
 * without an attack does not count, because the adversary did not cause it.
 */

import type { Aim } from '../../adversary/behaviours/behaviour.ts';
import { AIMS } from '../../adversary/behaviours/behaviour.ts';
import type { Finding, Sighting } from '../properties/sighting.ts';
import { FINDINGS, isSeen, lacksLeader } from '../properties/sighting.ts';

interface AimFacts {
  /** Each of these signs shows that the aim is reached. */
  readonly signs: readonly Finding[];
  /** In the attack matrix. */
  readonly letter: string;
  /** Completes "the adversary can" and "the adversary did not". */
  readonly verb: string;
  /** What happened, with the adversary as the subject. */
  readonly outcome: (seen: Sighting) => string;
}

export const AIM_FACTS: Readonly<Record<Aim, AimFacts>> = {
  lead: {
    signs: ['usurped'],
    letter: 'L',
    verb: 'become leader',
    outcome: ({ isUsurped, usurpedTicks, ticks }) =>
      isUsurped
        ? 'became leader: in the end every honest node follows it'
        : `became leader: every honest node followed it for ${usurpedTicks} of ${ticks} ticks, but no longer in the end`,
  },
  stop: {
    signs: ['leaderless'],
    letter: 'N',
    verb: 'prevent any leader',
    outcome: ({ longestAgreedTicks }) =>
      longestAgreedTicks === 0
        ? 'prevented any leader: the honest nodes agree on no live one'
        : `prevented any leader that lasts: none was followed by all for more than ${longestAgreedTicks} ticks in a row`,
  },
  split: {
    signs: ['split', 'epoch-shared'],
    letter: 'S',
    verb: 'split the leadership',
    outcome({ splitTicks, leadersPerEpochMax }) {
      const most = leadersPerEpochMax ?? 0;
      const shared = most > 1 ? `, and ${most} of them led in one epoch` : '';
      return `split the leadership: honest nodes followed different live leaders for ${splitTicks} ticks${shared}`;
    },
  },
  'outlive-lease': {
    signs: ['stale-writes'],
    letter: 'O',
    verb: 'outlive its lease',
    outcome: ({ staleWrites }) =>
      `outlived its lease: the resource accepted ${staleWrites} writes of replaced leaders`,
  },
};

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
export function aimsAchieved(findings: readonly Finding[]): readonly Aim[] {
  return AIMS.filter((aim) => isReached(aim, findings));
}

export function isReached(aim: Aim, findings: readonly Finding[]): boolean {
  return AIM_FACTS[aim].signs.some((sign) => findings.includes(sign));
}

/** Whether one of these signs of an aim is seen, whatever its cause. */
export function showsAim(aim: Aim, seen: Sighting, signs: readonly Finding[] = FINDINGS): boolean {
  return AIM_FACTS[aim].signs.some((sign) => signs.includes(sign) && isSeen(sign, seen));
}

/** Whether a trial shows an aim by these signs. Null if watching stopped early. */
export function reachedIn(aim: Aim, seen: Sighting, signs: readonly Finding[]): boolean | null {
  return seen.brokenOffAt === null ? showsAim(aim, seen, signs) : null;
}

/** How the election ended if an aim was missed, as the second half of a sentence. */
export function standingClause(aim: Aim, seen: Sighting): string {
  if (seen.isUsurped) return 'every honest node follows the adversary';
  if (seen.leader !== null) return `all follow the honest node ${seen.leader}`;
  if (aim !== 'stop') return 'the honest nodes agree on no live leader';
  return lacksLeader(seen)
    ? `honest nodes followed different live leaders for ${seen.splitTicksJudged} ticks`
    : `all followed one leader for ${seen.longestAgreedTicks} ticks in a row, though not in the end`;
}
