/**
 * @module
 * The rows of the fault matrix in which somebody lies, and what a seed draws of them. One member lies, all
 * others are honest, and in half of the runs one of these crashes and comes back besides, which by itself
 * breaks nothing: the honest repeat what they have said, and their terms go on.
 */

import { EQUIVOCATE } from '../../../../src/adversary/behaviours/impersonation.ts';
import { FLOOD } from '../../../../src/adversary/behaviours/messages/flood.ts';
import { SWALLOW } from '../../../../src/adversary/behaviours/messages/tokens.ts';
import { DOUBLE_VOTE } from '../../../../src/adversary/behaviours/quorums/double-vote.ts';
import { ANSWER_AND_STALL } from '../../../../src/adversary/behaviours/timing/answer-and-stall.ts';
import type { Level } from '../../../../src/election/authentication/authenticated.ts';
import type { Random } from '../../../../src/random.ts';
import { CALM_AT } from '../../../../src/simulation/conform/fault-runs.ts';
import type { ScheduledFault } from '../../../../src/simulation/faults/schedule.ts';
import type { Trick } from './tricks.ts';
import { masked, twoFaced } from './tricks.ts';

export const BYZANTINE_ROW_NAMES = [
  'flipped-bytes',
  'forged-sender',
  'replay',
  'equivocation',
  'withholding',
  'flood',
  'membership-change',
] as const;

export type ByzantineRowName = (typeof BYZANTINE_ROW_NAMES)[number];

export interface ByzantineRow {
  /** In the words of a report. */
  readonly fault: string;
  /** In which forms it is run, by name. */
  readonly forms: Readonly<Record<string, ByzantineForm>>;
}

export interface ByzantineForm {
  readonly level: Level;
  /** What the Byzantine node does, the innermost first. Without an entry and an echo all nodes are honest. */
  readonly tricks?: readonly Trick[];
  /** Which rank the Byzantine node has; any by default. */
  readonly matrixCell?: 'any' | 'top';
  /** Whether it says again, as it was sealed, what was said in two earlier elections and in this one. */
  readonly echoes?: boolean;
  /** Whether the wire flips bits. */
  readonly flips?: boolean;
  /** How many nodes there are once all have joined; 4 to 6 by default. */
  readonly nodes?: readonly number[];
  /** How many of them join while the vote is on. */
  readonly joins?: number;
  /** Whether each member learns of them at a time of its own. */
  readonly lateReports?: boolean;
  /** For how long after the faults; shorter where it is known never to come to rest. */
  readonly calmTicks?: number;
  /** Whether a run costs so much that there are fewer of them. */
  readonly isDear?: boolean;
}

const NEVER_RESTS = { calmTicks: 300 } as const;

export const BYZANTINE_ROWS: Readonly<Record<ByzantineRowName, ByzantineRow>> = {
  'flipped-bytes': {
    fault: 'message bytes flipped, in 1-30 % of the messages',
    forms: atLevels(['L0', 'L2'], { flips: true }),
  },
  'forged-sender': {
    fault: 'forged sender',
    forms: atLevels(['L0', 'L1', 'L3'], { tricks: [masked] }),
  },
  replay: {
    fault: 'replay of an old term or other election',
    forms: atLevels(['L0', 'L2', 'L3'], { echoes: true }),
  },
  equivocation: {
    fault: 'equivocation by one member',
    forms: {
      announcing: { level: 'L3', tricks: [EQUIVOCATE.wrap] },
      'two-faced': { level: 'L3', tricks: [twoFaced], matrixCell: 'top', ...NEVER_RESTS },
      'voting twice, 3': { level: 'L3', tricks: [DOUBLE_VOTE.wrap], nodes: [3] },
      'voting twice, 5': { level: 'L3', tricks: [DOUBLE_VOTE.wrap], nodes: [5] },
      'voting twice, 4 or 6': { level: 'L3', tricks: [DOUBLE_VOTE.wrap], nodes: [4, 6] },
    },
  },
  withholding: {
    fault: 'withholding',
    forms: {
      swallow: { level: 'L3', tricks: [SWALLOW.wrap], ...NEVER_RESTS },
      'answer-and-stall': {
        ...{ level: 'L3', tricks: [ANSWER_AND_STALL.wrap], matrixCell: 'top' },
        ...{ ...NEVER_RESTS, isDear: true },
      },
    },
  },
  flood: {
    fault: 'flood by one member',
    forms: { L3: { level: 'L3', tricks: [FLOOD.wrap], isDear: true } },
  },
  'membership-change': {
    fault: 'membership change during the vote',
    forms: {
      'one joins': { level: 'L3', joins: 1, nodes: [4, 5, 6] },
      'two join': { level: 'L3', joins: 2, nodes: [5] },
      'one joins, heard late': { level: 'L3', joins: 1, nodes: [4, 5, 6], lateReports: true },
      'two join, heard late': { level: 'L3', joins: 2, nodes: [5], lateReports: true },
    },
  },
};

function atLevels(
  levels: readonly Level[],
  form: Omit<ByzantineForm, 'level'>,
): Readonly<Record<string, ByzantineForm>> {
  return Object.fromEntries(levels.map((level) => [level, { ...form, level }]));
}

/** Somebody honest crashes and returns, in half of the runs. */
export function drawReturn(random: Random, honest: readonly number[]): readonly ScheduledFault[] {
  const rank = honest[random.below(honest.length)] ?? 1;
  const at = random.below(CALM_AT - 1);
  const back = at + 1 + random.below(CALM_AT - at - 1);
  if (random.below(2) === 0) return [];
  return [
    { type: 'crash', rank, at },
    { type: 'restart', rank, at: back, amnesia: false },
  ];
}

/** Nodes of any rank join, one shortly after the other, before or while the first votes are given. */
export function drawJoins(random: Random, newcomers: readonly number[]): readonly ScheduledFault[] {
  const at = 1 + random.below(random.below(2) === 0 ? 10 : 50);
  return newcomers.map((rank) => ({ type: 'join', rank, at: at + random.below(4) }));
}
