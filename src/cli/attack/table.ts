/**
 * @module
 * The report of an attack as a table for people.
 */

import type { AttackReport } from '../../experiment/attack/report.ts';
import type { SetSearch } from '../../experiment/attack/sets.ts';
import type { Trial } from '../../experiment/attack/trials.ts';
import { counted } from '../../experiment/document/wording.ts';
import { formatSeconds } from '../../operations/figures.ts';
import { columns } from '../shell/layout.ts';

const ANSWERS = { true: 'yes', false: 'no', null: 'unknown' } as const;
const STOPS = { true: 'stopped', false: 'succeeds', null: 'unknown' } as const;

const KEYS = {
  none: '',
  symbolic: ', symbolic signatures',
  real: ', signatures of the mined keys',
} as const;

export function attackTable(report: AttackReport): string {
  const { aim, succeeded, ledger, members, measured, trials, replay, forge } = report;
  const { attempts, hashes, groupOperations, cpuSeconds } = ledger;
  const spent = `${attempts} attempts, ${hashes} hashes, ${groupOperations} group operations, ${formatSeconds(cpuSeconds)} CPU`;
  const rows = [
    ...(aim === null ? [] : [['aim', aim]]),
    ['succeeded', ANSWERS[`${succeeded}`]],
    ['harm', report.harms.join(', ') || 'none'],
    ...(report.possibleHarms.length === 0
      ? []
      : [['possible harm', report.possibleHarms.join(', ')]]),
    ...membersRows(members),
    ...(measured === null ? [] : measuredRows(measured)),
    ['ledger', forge === 'none' ? 'no identity was forged' : spent],
    ...trials.map((trial) => ['against', `${trialName(trial)}: ${STOPS[`${trial.stops}`]}`]),
    ...(report.sets === null || report.sets.tried === 0
      ? []
      : [['against sets', setsText(report.sets)]]),
    ...report.notTried.map(({ defence, why }) => ['not tried', `${defence}: ${why}`]),
    ['replay', replay],
  ];
  return `${report.sentence}\n${columns(rows)}`;
}

function setsText({ smallest, tried, complete }: SetSearch): string {
  const found = smallest === null ? 'none stops it' : `${smallest.join(', ')}: stopped`;
  return `${found} (${counted(tried, 'set')} tried${complete ? '' : ', not all that fit'})`;
}

function membersRows(members: AttackReport['members']): string[][] {
  const SHOWN_MAX = 12;
  const shown = members
    .slice(0, SHOWN_MAX)
    .map(({ rank, nodeId, owner }) => [
      `rank ${rank}`,
      owner === 'adversary' ? `${nodeId}  adversary` : nodeId,
    ]);
  const rest = members.length - shown.length;
  return rest > 0 ? [...shown, ['', `and ${rest} more`]] : shown;
}

function measuredRows({
  ticks,
  leader,
  leaderOtherwise,
  messages,
  keys,
}: NonNullable<AttackReport['measured']>): string[][] {
  return [
    ['leader', `${rankText(leader)}; without the attack: ${rankText(leaderOtherwise)}`],
    ['simulated', `${ticks} ticks, ${messages} messages${KEYS[keys]}`],
  ];
}

function rankText(rank: number | null): string {
  return rank === null ? 'none' : String(rank);
}

function trialName({ defence, c1 }: Trial): string {
  return c1 === undefined ? defence : `${defence} (c1 ${c1})`;
}
