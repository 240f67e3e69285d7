/**
 * @module
 * Whether an attack got what it wanted, judged by the honest live nodes. What comes of the same stage when
 * nobody cheats counts for nothing: it was not the adversary's doing.
 */

import type { Aim } from '../../adversary/behaviours/behaviour.ts';
import { AIMS } from '../../adversary/behaviours/behaviour.ts';
import type { Finding, Sighting } from '../properties/sighting.ts';
import { FINDINGS, isSeen, lacksLeader } from '../properties/sighting.ts';

/** By which of them an aim is reached, any one of them. */
const SIGNS: Readonly<Record<Aim, readonly Finding[]>> = {
  lead: ['usurped'],
  stop: ['leaderless'],
  split: ['split', 'epoch-shared'],
  'outlive-lease': ['stale-writes'],
};

/**
 * What the adversary brought about: what is seen and would not have come without it. What was watched
 * without it in part only shows nothing of what did not come later.
 */
export function findingsOf(seen: Sighting, honest: Sighting): readonly Finding[] {
  return FINDINGS.filter((finding) => isSeen(finding, seen) && showsIn(finding, honest) === false);
}

/** What is seen with it, and without it could not be watched for long enough. */
export function doubtfulOf(seen: Sighting, honest: Sighting): readonly Finding[] {
  return FINDINGS.filter((finding) => isSeen(finding, seen) && showsIn(finding, honest) === null);
}

/** Null where it was broken off before that could be told; what lasts cannot be told from a part. */
function showsIn(finding: Finding, seen: Sighting): boolean | null {
  if (seen.brokenOffAt === null) return isSeen(finding, seen);
  return finding !== 'leaderless' && isSeen(finding, seen) ? true : null;
}

/** The aims that were reached by it, in the order of AIMS. */
export function aimsAchieved(findings: readonly Finding[]): readonly Aim[] {
  return AIMS.filter((aim) => isReached(aim, findings));
}

export function isReached(aim: Aim, findings: readonly Finding[]): boolean {
  return SIGNS[aim].some((sign) => findings.includes(sign));
}

/** Whether any of these signs of an aim is seen, by whomever it was brought about. */
export function showsAim(aim: Aim, seen: Sighting, signs: readonly Finding[] = FINDINGS): boolean {
  return SIGNS[aim].some((sign) => signs.includes(sign) && isSeen(sign, seen));
}

/**
 * Whether a trial shows an aim by these signs; null where it was broken off, since what must last cannot be
 * told from a part of it.
 */
export function reachedIn(aim: Aim, seen: Sighting, signs: readonly Finding[]): boolean | null {
  return seen.brokenOffAt === null ? showsAim(aim, seen, signs) : null;
}

/** What came of it, in a clause with the adversary as its subject. */
export function outcomeClause(aim: Aim, seen: Sighting): string {
  switch (aim) {
    case 'lead':
      return seen.isUsurped
        ? 'became leader: in the end every honest node follows it'
        : `became leader: every honest node followed it for ${seen.usurpedTicks} of ${seen.ticks} ticks, but no longer in the end`;
    case 'stop':
      return seen.longestAgreedTicks === 0
        ? 'prevented any leader: the honest nodes agree on no live one'
        : `prevented any leader that lasts: none was followed by all for more than ${seen.longestAgreedTicks} ticks in a row`;
    case 'split':
      return splitClause(seen);
    case 'outlive-lease':
      return `outlived its lease: ${seen.staleWrites} writes were taken from leaders that had been replaced`;
    default:
      return aim satisfies never;
  }
}

function splitClause({ splitTicks, leadersPerEpochMax }: Sighting): string {
  const shared =
    (leadersPerEpochMax ?? 0) > 1 ? `, and ${leadersPerEpochMax} of them led in one epoch` : '';
  return `split the leadership: honest nodes followed different live leaders for ${splitTicks} ticks${shared}`;
}

/** How things stand in the end where an aim was missed, as a sentence's second half. */
export function standingClause(aim: Aim, seen: Sighting): string {
  if (seen.isUsurped) return 'every honest node follows the adversary';
  if (seen.leader !== null) return `all follow the honest node ${seen.leader}`;
  if (aim !== 'stop') return 'the honest nodes agree on no live leader';
  return lacksLeader(seen)
    ? `honest nodes followed different live leaders for ${seen.splitTicksJudged} ticks`
    : `all followed one leader for ${seen.longestAgreedTicks} ticks in a row, though not in the end`;
}

/** What the aim is, after "wanted to". */
export const AIM_WORDS: Readonly<Record<Aim, string>> = {
  lead: 'become leader',
  stop: 'prevent any leader',
  split: 'split the leadership',
  'outlive-lease': 'outlive its lease',
};
