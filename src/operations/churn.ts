/**
 * @module
 * The operation `churn`: what a defence against bought identities costs honest nodes, and which share of the members an
 * adversary reaches, while sessions join and leave.
 */

import { z } from 'zod';
import { figure, percentText } from '../experiment/charts/cells.ts';
import { CHURN_ADVERSARIES } from '../experiment/churn/adversaries.ts';
import type { CostRow } from '../experiment/churn/cost-curve.ts';
import {
  COST_COLUMNS,
  costCurveSchema,
  costCurves,
  costPicture,
  costRow,
  costRowSchema,
  costRows,
} from '../experiment/churn/cost-curve.ts';
import { CHURN_DEFENCES, parseChurnDefence } from '../experiment/churn/registry.ts';
import { stepsOf } from '../experiment/churn/run-size.ts';
import {
  countsIn,
  parseSessionLaw,
  parseTrace,
  sessionsIn,
  sessionsOf,
  TRACE_ROWS_MAX,
} from '../experiment/churn/sessions.ts';
import type { Seed } from '../random.ts';
import { formatSeconds } from './figures.ts';
import type { NamedFile } from './file.ts';
import { file } from './file.ts';
import type { InputOf } from './member.ts';
import { amount, amounts, choices, SEED, texts } from './member.ts';
import { defineOperation, inMember, memberFault, replayOf } from './operation.ts';
import type { Report } from './report.ts';
import { sentenceBlock } from './report.ts';

/** A local trace is a file, and a request contains it in its body of at most 64 KiB. */
const TRACE_CHARACTERS_MAX = { local: 128 * 2 ** 20, remote: 64 * 2 ** 10 } as const;

const COUNT = { kind: 'count', slider: [0, 6] } as const;

const MEMBERS = {
  defences: texts(
    { most: 16, separator: ' ', read: parseChurnDefence },
    {
      label: 'Defences',
      meaning: 'Defences, each with its settings',
      example: 'ccom ergo',
      isArgument: true,
      otherwise: 'all',
    },
  ),
  laws: texts(
    { most: 8, separator: ',', read: parseSessionLaw },
    {
      label: 'Sessions',
      meaning:
        'Laws of the length of sessions: exp:MEAN, weibull:SHAPE:SCALE or pareto:SHAPE:LEAST',
      example: 'exp:2.3h,weibull:0.59:41.9m',
      otherwise: 'exp:2.3h',
    },
  ),
  nodes: amount({
    ...COUNT,
    bounds: { min: 2, max: 1e6 },
    remoteMax: 1e5,
    label: 'Honest nodes',
    meaning: 'Honest sessions that are under way at a time, on average',
    example: '10000',
    otherwise: '10000',
  }),
  trace: file(
    z.string().max(TRACE_CHARACTERS_MAX.remote),
    {
      label: 'Trace',
      meaning: 'Sessions as CSV with the columns joinS and leaveS, in the place of laws and nodes',
      example: 'sessions.csv',
      isFurther: true,
      otherwise: 'none',
    },
    TRACE_CHARACTERS_MAX.local,
  ),
  adversaries: choices(
    CHURN_ADVERSARIES.map(({ name }) => name),
    {
      label: 'Adversaries',
      meaning: 'How the adversary buys IDs',
      example: 'join,keep',
      each: Object.fromEntries(CHURN_ADVERSARIES.map(({ name, summary }) => [name, summary])),
      initial: ['join'],
    },
  ),
  rate: amounts({
    kind: 'number',
    bounds: { min: 0, max: 1e9 },
    slider: [0, 6],
    most: 16,
    label: 'Rate of the adversary',
    meaning: 'What the adversary can spend per second, in puzzles of hardness 1',
    example: '0,1,100,1e4',
    initial: [0, 1, 100, 1e4],
  }),
  power: amount({
    kind: 'probability',
    bounds: { min: 0, max: 0.9 },
    slider: [-3, 0],
    label: 'Power',
    meaning:
      'Largest share of the IDs for which the adversary can solve the puzzle of a purge in time',
    example: '1/18',
    isFurther: true,
    otherwise: '1/18',
  }),
  time: amount({
    kind: 'time',
    bounds: { min: 1, max: 1e9 },
    slider: [2, 8],
    label: 'Time',
    meaning: 'How long the network is observed',
    example: '8760h',
    initial: 10_000,
  }),
  mine: amount({
    ...COUNT,
    bounds: { min: 0, max: 16 },
    label: 'Mined bits',
    meaning: 'Bits of a puzzle of hardness 1 that is solved in fact; 0 counts puzzles',
    example: '4',
    isFurther: true,
    initial: 0,
  }),
  seed: SEED,
};

const VERB = { name: 'churn', members: MEMBERS } as const;

const outputSchema = z
  .object({
    seconds: z.number(),
    rows: z.array(costRowSchema).readonly(),
    curves: z.array(costCurveSchema).readonly(),
    complete: z.boolean().describe('False after an interruption.'),
    replay: z.string(),
  })
  .meta({ id: 'ChurnCosts' });

type Output = z.output<typeof outputSchema>;

/** The formulas of the defences that have one. */
const BOUNDS = CHURN_DEFENCES.flatMap(({ name, bound }) =>
  bound === null ? [] : [`${bound.formula} for ${name}`],
).join(', ');

/** Largest share of the computing power with which the theorem on Ergo holds. */
const POWER = 1 / 18;

/** Largest number of steps of a remote request. */
const REMOTE_STEPS_MAX = 1e8;

/** A slow machine takes this many steps per second. With more steps than these, the answer is preceded by a note. */
const STEPS_A_SECOND = 1e7;
const NOTED_STEPS_MIN = 1e9;

export const CHURN = defineOperation({
  ...VERB,
  collection: 'churn-costs',
  title: 'Proof of work under churn',
  summary: 'measure what defences against bought IDs cost while nodes join and leave',
  description: `Honest nodes join by a Poisson law. Each stays for a time that the law of the sessions draws. An adversary buys IDs with what it can spend per second. A puzzle of hardness 1 is the unit of work.
${CHURN_DEFENCES.map(({ name, summary }) => `${name}: ${summary}`).join('\n')}
A trace has at most ${TRACE_ROWS_MAX} sessions. Its file has at most 128 MiB, and the body of a request at most 64 KiB.
The answer has the work of honest nodes per second, A, beside that of the adversary, T, and the share of the members that are its IDs. "bound" is what the theory of the defence states for A, without its constant factor: ${BOUNDS}. Others have none.`,
  output: outputSchema,
  answersWhileTyping: false,
  measuresTime: false,
  check(input, isRemote) {
    const repeated = input.defences?.find((text, index, all) => all.indexOf(text) < index);
    if (repeated !== undefined) throw memberFault('arguments', 'defences', `repeats ${repeated}`);
    for (const name of ['laws', 'nodes'] as const) {
      if (input.trace === undefined || input[name] === undefined) continue;
      throw memberFault('arguments', name, 'does not fit a trace, which states its sessions');
    }
    const sessions = inMember('trace', () => sessionsAsked(input));
    if (!isRemote) return;
    const steps = stepsAsked(input, sessions);
    if (steps > REMOTE_STEPS_MAX) {
      const detail = `leads to up to ${figure(steps)} steps; at most ${REMOTE_STEPS_MAX}`;
      throw memberFault('job.size', 'time', detail);
    }
  },
  atOnce: () => null,
  async run(input, { signal, onProgress, onNote, machine, seedFor }) {
    const seed = seedFor(input.seed);
    const { adversaries, rate: rates, power = POWER, time: seconds, mine } = input;
    const [defences, sessions] = [defencesAsked(input), sessionsAsked(input)];
    const chosen = CHURN_ADVERSARIES.filter(({ name }) => adversaries.includes(name));
    const steps = stepsAsked(input, sessions);
    if (steps > NOTED_STEPS_MIN) {
      const time = formatSeconds(steps / STEPS_A_SECOND);
      onNote(
        `up to ${figure(steps)} steps, which take up to about ${time}; Ctrl-C keeps finished rows`,
      );
    }
    const rows: CostRow[] = [];
    const total = defences.length * sessions.length * chosen.length * rates.length;
    const asked = { defences, sessions, adversaries: chosen, rates, power, seconds, mine, seed };
    for (const row of costRows(asked)) {
      if (row !== null) rows.push(row);
      onProgress({ now: 'rows', done: rows.length, total });
      await machine.pause();
      if (signal.aborted) break;
    }
    if (rows.length === 0) return null;
    const replay = replayOf(VERB, { ...input, seed });
    return { seconds, rows, curves: costCurves(rows), complete: rows.length === total, replay };
  },
  outcomeOf: ({ complete }) => (complete ? 'holds' : 'unknown'),
  outcomes: { holds: 'all rows', violated: null, unknown: 'an interruption left rows out' },
  report: (answer) => [
    sentenceBlock(sentenceOf(answer)),
    {
      type: 'table',
      title: 'Work in puzzles per second',
      columns: [
        ...[{ name: 'defence' }, { name: 'sessions' }, { name: 'adversary' }],
        ...['T', 'A', 'bound', 'J', 'purges', 'largest share', 'elections lost'].map((name) => {
          return { name, isNumber: true };
        }),
      ],
      rows: answer.rows.map((row) => [
        ...[row.defence, row.sessions, row.adversary],
        ...[figure(row.adversaryRate), figure(row.honestRate)],
        row.bound === null ? '-' : figure(row.bound),
        ...[figure(row.joinRate), figure(row.purges)],
        ...[percentText(row.largestShare), percentText(row.electionsLost)],
      ]),
    },
    ...slopesBlock(answer.curves),
  ],
  picture: (answer) =>
    costPicture(answer.rows, { sentence: sentenceOf(answer), replay: answer.replay }),
  table: ({ rows }) => ({ columns: COST_COLUMNS, rows: rows.map(costRow) }),
  has: { picture: true, table: true },
  examples: [
    { defences: 'ccom ergo', rate: '0,1,100,1e4', seed: '1' },
    { defences: 'ergo', adversaries: 'hold', laws: 'weibull:0.59:41.9m', time: '24h', seed: '1' },
    { defences: 'fixed:hardness=16 age:lifetime=1h', seed: '1' },
  ],
});

function slopesBlock(curves: Output['curves']): Report {
  const rows = curves.flatMap(({ defence, sessions, adversary, slope }) =>
    slope === null ? [] : [[`${defence}, ${sessions}, ${adversary}`, figure(slope)] as const],
  );
  if (rows.length === 0) return [];
  return [{ type: 'facts', title: 'Exponent of A as a power of T', rows }];
}

type Input = InputOf<typeof MEMBERS>;

function defencesAsked({ defences }: Input) {
  return (defences ?? CHURN_DEFENCES.map(({ name }) => name)).map(parseChurnDefence);
}

/** About the largest number of steps of all rows. */
function stepsAsked(input: Input, sessions: ReturnType<typeof sessionsAsked>): number {
  const { power = POWER, time: seconds } = input;
  const hashes = input.mine === 0 ? 0 : 2 ** input.mine;
  const each = defencesAsked(input).flatMap(({ rules }) =>
    sessions.flatMap(({ counts }) =>
      input.rate.map((rate) => stepsOf(rules, counts, { rate, power, seconds, hashes })),
    ),
  );
  return input.adversaries.length * each.reduce((sum, one) => sum + one, 0);
}

/** The sessions of a trace, which the check and the run read. */
const TRACES = new WeakMap<NamedFile, ReturnType<typeof parseTrace>>();

/** The sessions that are asked for, with their numbers. Throws LabError for a trace of another form. */
function sessionsAsked({ laws = ['exp:2.3h'], nodes = 10_000, trace, time }: Input) {
  if (trace !== undefined) {
    const rows = TRACES.get(trace) ?? parseTrace(trace.text);
    TRACES.set(trace, rows);
    const begin = () => sessionsIn(rows);
    return [{ name: 'trace', counts: countsIn(rows, time), begin }];
  }
  return laws.map((text) => {
    const law = parseSessionLaw(text);
    return {
      ...{ name: text, counts: { joins: (time * nodes) / law.meanS, least: nodes, most: nodes } },
      begin: (seed: Seed) => sessionsOf(law, nodes, seed),
    };
  });
}

function sentenceOf({ seconds, rows }: Output): string {
  const worst = Math.max(0, ...rows.map(({ largestShare }) => largestShare));
  return `In ${formatSeconds(seconds)} the adversary has at most ${percentText(worst)} of the IDs.`;
}
