/**
 * @module
 * The answer of `usurp design` for people: rows for one advantage, a table for several.
 */

import type { DesignCheck, DesignReport, DesignVerdict } from '../../experiment/design/check.ts';
import type { DesignCost } from '../../experiment/design/cost.ts';
import type { DefenceEffect } from '../../experiment/design/defences.ts';
import type { Design, JoinTimes, JudgedDifficulty } from '../../experiment/design/design.ts';
import { questionFor } from '../../experiment/design/questions.ts';
import { columns, formatSeconds, textColumns } from '../shell/layout.ts';
import { costRows } from './cost-text.ts';

/** The sentence and the rows of one answer. */
export function designText(report: DesignReport, replay: string): string {
  const { request, needed, bearable, join, check, verdict, enough, honestCost } = report;
  const { event } = questionFor(request.question);
  const rows = [
    ['verdict', `${verdict.value}: ${verdict.reason}`],
    ['assumes', report.assumes],
    ['needed', difficultyText(needed, event)],
    [
      'affordable',
      bearable === null ? 'none: no time for one candidate' : difficultyText(bearable, event),
    ],
    [`one joins (${needed.wholeBits} bits)`, timesText(join.one, request.joinQuantile)],
    [`slowest of ${request.nodes} joins`, timesText(join.slowest, request.joinQuantile)],
    ['enough alone', enoughText(enough)],
    ['check', check === null ? 'none' : checkText(check)],
    ...costRows(honestCost),
    ...epochRows(honestCost),
    ['replay', replay],
  ];
  const summary = `${verdict.sentence}\n${columns(rows)}`;
  return report.isPossible ? summary : `${summary}\n${defenceTable(report.defences, honestCost)}`;
}

/** The table of several advantages, at most 100 characters wide, and the rows that they share. */
export function designTable(
  verdict: DesignVerdict,
  reports: readonly DesignReport[],
  replay: string,
): string {
  const [first] = reports;
  if (first === undefined) throw new TypeError('"reports" expected at least one, got none');
  const { head, rows } = answerTable(reports);
  const { bearable, request, honestCost } = first;
  const { event, formula } = questionFor(request.question);
  const shared = [
    ['verdict', `${verdict.value}: ${verdict.reason}`],
    ['P', `${formula}, an adversary ${event}; at most ${percent(request.epsilon)} is allowed`],
    ['assumes', first.assumes],
    [
      'affordable',
      bearable === null
        ? 'none: no time for one candidate'
        : `${bearable.realBits.toFixed(2)} bits (${bearable.wholeBits}) in ${formatSeconds(request.joinSeconds)}`,
    ],
    ...costRows(honestCost).slice(1),
    ['replay', replay],
  ];
  return `${verdict.sentence}\n${columns([head, ...rows])}\n${textColumns(shared)}`;
}

/** The answers as a table, also for the page of a chart. */
export function answerTable(reports: readonly DesignReport[]) {
  const head = [
    ...['advantage', 'possible', 'bits needed', 'P', 'check', 'join 50 %', '95 %', 'CPU mean'],
    'with a defence',
  ];
  const rows = reports.map((report) => {
    const { request, needed, check, honestCost, isPossible } = report;
    const { seconds } = honestCost.join;
    return [
      String(Number(request.advantage.toPrecision(6))),
      POSSIBLE[report.verdict.value],
      `${needed.realBits.toFixed(2)} (${needed.wholeBits})`,
      percent(needed.probability),
      check === null ? 'none' : `${check.agrees ? 'agrees' : 'differs'} (${check.difficultyBits})`,
      formatSeconds(seconds?.p50 ?? 0),
      formatSeconds(seconds?.p95 ?? 0),
      formatSeconds(seconds?.expected ?? 0),
      isPossible ? '' : repairText(report),
    ];
  });
  return { head, rows };
}

const POSSIBLE = { true: 'yes', false: 'no', unknown: 'unknown' } as const;

/** The defences that make it possible, each alone, or all together. */
function repairText({ defences }: Design): string {
  const enough = defences.filter((each) => each.isPossible).map(({ defence }) => defence);
  const alone = enough.filter((defence) => defence !== 'together');
  if (alone.length > 0) return alone.join(', ');
  return enough.length > 0 ? 'all together' : 'none';
}

function difficultyText(
  { realBits, wholeBits, probability }: JudgedDifficulty,
  event: string,
): string {
  return `${realBits.toFixed(2)} bits; at ${wholeBits} the adversary ${event} with ${percent(probability)}`;
}

function timesText(times: JoinTimes, quantile: number): string {
  const { p50Seconds, p95Seconds, quantileSeconds } = times;
  const usual = `50 % in ${formatSeconds(p50Seconds)}, 95 % in ${formatSeconds(p95Seconds)}`;
  if (quantile === 0.5 || quantile === 0.95) return usual;
  return `${usual}, ${Number((100 * quantile).toPrecision(6))} % in ${formatSeconds(quantileSeconds)}`;
}

function enoughText({ adversarySeconds, joinSeconds, nodes }: Design['enough']): string {
  return [
    adversarySeconds === null
      ? []
      : [`at most ${formatSeconds(adversarySeconds)} of the adversary`],
    [`a join time of ${formatSeconds(joinSeconds)}`],
    nodes === null ? [] : [`${nodes} honest nodes`],
  ]
    .flat()
    .join(', or ');
}

function checkText({
  runs,
  wins,
  difficultyBits,
  frequency,
  interval,
  theory,
}: DesignCheck): string {
  const [low, high] = interval;
  return (
    `${wins} of ${runs} sampled runs at ${difficultyBits} bits, ${percent(frequency)} ` +
    `(${percent(low)} to ${percent(high)}); closed form ${percent(theory)}`
  );
}

/** What it costs to remain if solutions expire. */
function epochRows({ joinUnder }: DesignCost): readonly string[][] {
  const salted = joinUnder.find(({ defence }) => defence === 'epoch-salt');
  if (salted?.seconds === undefined || salted.seconds === null) return [];
  const { difficultyBits, seconds } = salted;
  return [
    [
      'each epoch, if salted',
      `the join is paid in every epoch, at ${difficultyBits} bits: ${formatSeconds(seconds.expected)} CPU on average, 95 % in ${formatSeconds(seconds.p95)}`,
    ],
  ];
}

function defenceTable(defences: readonly DefenceEffect[], { joinUnder }: DesignCost): string {
  const bits = (value: number | undefined) => (value === undefined ? 'none' : value.toFixed(2));
  const rows = defences.map((effect, index) => [
    effect.defence,
    bits(effect.gainBits),
    bits(effect.needed.realBits),
    bits(effect.bearable?.realBits),
    effect.isPossible ? 'yes' : 'no',
    formatSeconds(joinUnder[index]?.seconds?.p95 ?? 0),
    effect.remark,
  ]);
  return columns([
    ['defence', 'gains bits', 'needed', 'affordable', 'possible', 'join 95 %', 'remark'],
    ...rows,
  ]);
}

function percent(probability: number): string {
  return `${Number((100 * probability).toPrecision(3))} %`;
}
