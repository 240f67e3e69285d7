/**
 * @module
 * The output of `design` as a schema, and as a report for people.
 */

import { z } from 'zod';
import type { DesignCheck, DesignReport } from '../experiment/design/check.ts';
import { designReportSchema, designVerdictSchema } from '../experiment/design/check.ts';
import type { DesignCost } from '../experiment/design/cost.ts';
import type { Design, JoinTimes, JudgedDifficulty } from '../experiment/design/design.ts';
import { questionFor } from '../experiment/design/questions.ts';
import { formatSeconds } from './figures.ts';
import { costRows } from './honest-cost.ts';
import type { Block, Report } from './report.ts';
import { sentenceBlock } from './report.ts';

export const designOutput = z
  .object({
    verdict: designVerdictSchema.describe('The worst of the answers.'),
    answers: z.array(designReportSchema).readonly().describe('One for each advantage.'),
    measured: z.string().nullable().describe('What was measured for the advantage; null without.'),
    seed: z.string().nullable().describe('Of the runs that check it; null without.'),
    replay: z.string().describe('Command that computes the same.'),
  })
  .meta({ id: 'DesignResult' });

export type DesignOutput = z.output<typeof designOutput>;

/** The report: facts about one answer, a table of several. */
export function designBlocks(output: DesignOutput): Report {
  const { verdict, answers, measured } = output;
  const [first, ...others] = answers;
  if (first === undefined) throw new TypeError('"answers" expected at least one, got none');
  const sentence = sentenceBlock(verdict.sentence, verdict.value);
  if (others.length > 0) return [sentence, answerTable(answers), sharedFacts(first, verdict)];
  const facts = factsOf(first, measured);
  if (first.isPossible) return [sentence, facts];
  return [sentence, suggestionsIn(first), facts, remedyTable(first)];
}

function factsOf(answer: DesignReport, measured: string | null): Block {
  const { request, needed, bearable, join, check, verdict, honestCost } = answer;
  const { event } = questionFor(request.question);
  const affordable =
    bearable === null ? 'none: no time for one candidate' : difficultyText(bearable, event);
  return {
    type: 'facts',
    rows: [
      ['verdict', `${verdict.value}: ${verdict.reason}`],
      ['assumes', answer.assumes],
      ...(measured === null ? [] : [['measured', measured] as const]),
      ['needed', difficultyText(needed, event)],
      ['affordable', affordable],
      [`one joins (${needed.wholeBits} bits)`, timesText(join.one, request.joinQuantile)],
      [`slowest of ${request.nodes} joins`, timesText(join.slowest, request.joinQuantile)],
      ['enough alone', enoughText(answer.enough)],
      ['check', check === null ? 'none' : checkText(check)],
      ...costRows(honestCost),
      ...epochRows(honestCost),
    ],
  };
}

/** What the answers share. */
function sharedFacts(first: DesignReport, { value, reason }: DesignReport['verdict']): Block {
  const { bearable, request, honestCost } = first;
  const { event, formula } = questionFor(request.question);
  const most = percent(request.epsilon);
  const affordable =
    bearable === null
      ? 'none: no time for one candidate'
      : `${bearable.realBits.toFixed(2)} bits (${bearable.wholeBits}) in ${formatSeconds(request.joinTime)}`;
  return {
    type: 'facts',
    rows: [
      ['verdict', `${value}: ${reason}`],
      ['P', `${formula}, an adversary ${event}; at most ${most} is allowed`],
      ['assumes', first.assumes],
      ['affordable', affordable],
      ...costRows(honestCost).slice(1),
    ],
  };
}

function answerTable(answers: readonly DesignReport[]): Block {
  const names = ['advantage', 'possible', 'bits needed', 'P', 'check', 'join 50 %', '95 %'];
  return {
    type: 'table',
    title: 'Answers',
    columns: [...names, 'CPU mean', 'with a defence'].map((name) => ({ name })),
    rows: answers.map((answer) => {
      const { request, needed, check, honestCost, isPossible } = answer;
      const { seconds } = honestCost.join;
      return [
        String(Number(request.advantage.toPrecision(6))),
        POSSIBLE[answer.verdict.value],
        `${needed.realBits.toFixed(2)} (${needed.wholeBits})`,
        percent(needed.probability),
        check === null
          ? 'none'
          : `${check.agrees ? 'agrees' : 'differs'} (${check.difficultyBits})`,
        formatSeconds(seconds?.p50 ?? 0),
        formatSeconds(seconds?.p95 ?? 0),
        formatSeconds(seconds?.expected ?? 0),
        isPossible ? '' : repairText(answer),
      ];
    }),
  };
}

const POSSIBLE = { true: 'yes', false: 'no', unknown: 'unknown' } as const;

/** The defences that make it possible, each alone, or all together. */
function repairText({ remedies }: Design): string {
  const enough = remedies.filter((each) => each.isPossible).map(({ defence }) => defence);
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

function enoughText({ time, joinTime, nodes }: Design['enough']): string {
  return [
    time === null ? [] : [`at most ${formatSeconds(time)} of the adversary`],
    [`a join time of ${formatSeconds(joinTime)}`],
    // One honest node is always there.
    nodes === null || nodes === 1 ? [] : [`${nodes} honest nodes`],
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
function epochRows({ joinUnder }: DesignCost): readonly (readonly [string, string])[] {
  const salted = joinUnder.find(({ defence }) => defence === 'commit-then-beacon');
  if (salted?.seconds === undefined || salted.seconds === null) return [];
  const { difficultyBits, seconds } = salted;
  return [
    [
      'each epoch, if salted',
      `the join is paid in every epoch, at ${difficultyBits} bits: ${formatSeconds(seconds.expected)} CPU on average, 95 % in ${formatSeconds(seconds.p95)}`,
    ],
  ];
}

function remedyTable({ remedies, honestCost }: DesignReport): Block {
  const bits = (value: number | undefined) => (value === undefined ? 'none' : value.toFixed(2));
  return {
    type: 'table',
    title: 'Defences of registration',
    columns: [
      { name: 'defence' },
      ...['gains bits', 'needed', 'affordable'].map((name) => ({ name, isNumber: true })),
      ...['possible', 'join 95 %', 'remark'].map((name) => ({ name })),
    ],
    rows: remedies.map((effect, index) => [
      effect.defence,
      bits(effect.gainBits),
      bits(effect.needed.realBits),
      bits(effect.bearable?.realBits),
      effect.isPossible ? 'yes' : 'no',
      formatSeconds(honestCost.joinUnder[index]?.seconds?.p95 ?? 0),
      effect.remark,
    ]),
  };
}

/** The change of a single member that is enough. */
function suggestionsIn({ enough: { time, joinTime, nodes } }: Design): Block {
  const fewer = [
    ...(nodes === null
      ? []
      : [{ text: `have ${nodes} honest nodes`, change: { nodes: String(nodes) } }]),
    ...(time === null
      ? []
      : [
          {
            text: `leave the adversary at most ${formatSeconds(time)}`,
            change: { time: rounded(time * 0.9995), preparation: '' },
          },
        ]),
  ];
  const longer = {
    text: `accept a time to join of ${formatSeconds(joinTime)}`,
    change: { joinTime: rounded(joinTime * 1.0005) },
  };
  return {
    type: 'suggestions',
    title: 'Each of these changes alone would be enough',
    suggestions: [longer, ...fewer],
  };
}

/** Four digits. What is rounded has a margin, so that the change is enough. */
function rounded(seconds: number): string {
  return `${Number(seconds.toPrecision(4))}s`;
}

function percent(probability: number): string {
  return `${Number((100 * probability).toPrecision(3))} %`;
}
