/**
 * @module
 * The output of `compare` as a schema, as a report for people, and as a chart.
 */

import { z } from 'zod';
import { PROTOCOL_NAMES } from '../election/registry.ts';
import type { PictureCell, PictureInput } from '../experiment/charts/data.ts';
import { COMPARISON_AXES } from '../experiment/charts/data.ts';
import { drawSweep, picturePage } from '../experiment/charts/draw-sweep.ts';
import type { ComparedResult, ComparedRow } from '../experiment/compare/comparison.ts';
import { comparedRowSchema, setOfDefences } from '../experiment/compare/comparison.ts';
import type { ComparisonPlan } from '../experiment/compare/outline.ts';
import { setName } from '../experiment/compare/sets.ts';
import { comparisonExtras, rowRemarks } from '../experiment/compare/tables.ts';
import type { ElectionCost } from '../experiment/cost/election-cost.ts';
import { statedParts } from '../experiment/document/response-schema.ts';
import { counted } from '../experiment/document/wording.ts';
import { PROPERTIES } from '../experiment/properties/registry.ts';
import { formatCount, formatSeconds } from './figures.ts';
import { coldStartText, failureText } from './honest-cost.ts';
import type { Block, Report } from './report.ts';
import { sentenceBlock } from './report.ts';

export const compareOutput = z
  .object({
    threatModel: z.string(),
    title: z.string(),
    seed: z.string(),
    codeVersion: z.string(),
    complete: z.boolean().describe('Whether every row was computed.'),
    runs: z.int(),
    property: z.string(),
    confidence: z.number(),
    machines: z.number().nullable(),
    hardRate: z.number(),
    honest: z.int(),
    reference: z
      .object({ attempts: z.number(), seconds: z.number().nullable() })
      .describe('The work of one honest node before it must have joined.'),
    advantages: z.array(z.number()).readonly(),
    rows: z.array(comparedRowSchema).readonly(),
    refused: z
      .array(
        z.object({ protocol: z.enum(PROTOCOL_NAMES), defences: setOfDefences, reason: z.string() }),
      )
      .readonly(),
    bound: z.number().describe('The probability that the threat model expects.'),
    sentence: z.string().describe('What the table shows.'),
    fixed: z
      .string()
      .nullable()
      .describe('The parts of the response of the adversary that the threat model fixes.'),
    replay: z.string(),
  })
  .meta({ id: 'DefenceComparison' });

type CompareOutput = z.output<typeof compareOutput>;

/** What a comparison shows, with the unit of the advantages, and what the document fixes. */
export function sentenceOf({
  reference,
  rows,
  outline,
}: ComparisonPlan): Pick<CompareOutput, 'sentence' | 'fixed'> {
  const { model, attempts, seconds, adversary } = reference;
  const { property, count } = model.expect;
  const { honest } = model.network;
  const plain = rows.find(({ defences }) => defences.length === 0)?.points;
  const unit = plain?.find(({ advantage }) => advantage === 1)?.identities;
  const identities = unit === undefined ? '' : `, ${formatCount(unit)} identities on average`;
  const time = seconds === null ? '' : ` in ${formatSeconds(seconds)}`;
  const sentence =
    `Share of runs in percent in which ${PROPERTIES[property].happened('the adversary', count)}, against ${counted(honest, 'honest node')}, of ${counted(outline.runs, 'run')} for each cell. 1x is the work of one ` +
    `honest node before it must have joined: ${formatCount(attempts)} attempts${time}${identities}.`;
  const { goal, registers, behaviours } = statedParts(model.adversaries[adversary] ?? {});
  const parts = [
    ...(goal === undefined ? [] : [`goal ${goal}`]),
    ...(registers === undefined ? [] : [`registers ${registers}`]),
    ...(behaviours === undefined ? [] : [`behaviours ${behaviours.join(', ') || 'none'}`]),
  ];
  return { sentence, fixed: parts.length === 0 ? null : parts.join('; ') };
}

/** A table for each protocol, with what it refuses, and remarks. */
export function compareBlocks(output: CompareOutput): Report {
  const { rows, refused, sentence, advantages } = output;
  const protocols = [...new Set([...rows, ...refused].map(({ protocol }) => protocol))];
  const tables = protocols.flatMap((protocol): Block[] => {
    const own = rows.filter((row) => row.protocol === protocol);
    const reasons = refused.filter((row) => row.protocol === protocol);
    return [
      ...(own.length === 0 ? [] : [tableOf(protocol, own, advantages), ...electionFacts(own)]),
      ...(reasons.length === 0 ? [] : [refusals(protocol, reasons)]),
    ];
  });
  return [sentenceBlock(sentence), ...tables, { type: 'notes', notes: remarks(output) }];
}

function tableOf(
  protocol: string,
  rows: readonly ComparedRow[],
  advantages: readonly number[],
): Block {
  const number = (name: string) => ({ name, isNumber: true });
  return {
    type: 'table',
    title: protocol,
    columns: [
      { name: 'defences' },
      ...advantages.map((advantage) => number(`${formatFactor(advantage)}x`)),
      { ...number('bits'), dropOrder: 1 },
      { ...number('join p95'), dropOrder: 2 },
      { name: 'excluded' },
    ],
    rows: rows.map(({ defences, results, bits, cost, excluded }) => [
      setName(defences),
      ...results.map(resultText),
      String(bits),
      joinText(cost),
      excluded.map(({ label }) => label).join('; '),
    ]),
  };
}

/** The costs of a failure and of a cold start. Empty if runs hold no election. */
function electionFacts(rows: readonly ComparedRow[]): Block[] {
  const factOf = (textOf: (cost: ElectionCost) => string) => {
    const known = rows.flatMap(({ defences, cost: { election } }) =>
      election === null ? [] : [{ name: setName(defences), text: textOf(election) }],
    );
    const [most, ...others] = [...Map.groupBy(known, ({ text }) => text)].toSorted(
      ([, left], [, right]) => right.length - left.length,
    );
    if (most === undefined) return '';
    const named = others.map(([text, sets]) => {
      return `; with ${sets.map(({ name }) => name).join(' or ')} ${text}`;
    });
    return most[0] + named.join('');
  };
  const failure = factOf(failureText);
  if (failure === '') return [];
  return [
    {
      type: 'facts',
      rows: [
        ['failure', failure],
        ['cold start', factOf(coldStartText)],
      ],
    },
  ];
}

function refusals(protocol: string, refused: CompareOutput['refused']): Block {
  const before = new RegExp(`^\\S+ does not (?:fit|apply to) ${protocol}: `);
  return {
    type: 'facts',
    title: `refused by ${protocol}`,
    rows: refused.map(({ defences, reason }) => [setName(defences), reason.replace(before, '')]),
  };
}

function joinText({ join: { attempts, seconds } }: ComparedRow['cost']): string {
  return seconds === null ? `${formatCount(attempts.p95)} attempts` : formatSeconds(seconds.p95);
}

function formatFactor(value: number): string {
  return value < 1e6 ? String(value) : value.toExponential();
}

/** A probability in percent with its interval. `*` marks a closed form. */
function resultText({ p, interval, theory, source }: ComparedResult): string {
  if (p === null) return '-';
  if (source === 'closed form') return `${percent(p)}*`;
  const between = interval === null ? '' : ` (${interval.map(percent).join('–')})`;
  const form = theory === null || source !== 'runs' ? '' : ` *${percent(theory)}`;
  return `${percent(p)}${between}${form}`;
}

/** With one decimal, and without the sign. */
function percent(p: number): string {
  if (p === 0 || p === 1) return String(100 * p);
  if (p < 0.0005) return '<0.05';
  return p > 0.9995 ? '>99.9' : (100 * p).toFixed(1);
}

function remarks({ rows, fixed }: CompareOutput): string[] {
  const results = rows.flatMap((row) => row.results);
  return [
    ...(results.some(({ theory }) => theory !== null) ? ['* is the closed form.'] : []),
    ...(results.some(({ source }) => source === 'closed form')
      ? ['Where it stands alone, the runs are too large.']
      : []),
    ...rowRemarks({ rows, fixed }),
  ];
}

/** The chart of a comparison: a row for each set of defences, and a panel for each protocol. */
export function comparePicture(output: CompareOutput): string {
  return drawSweep(pictureOf(output))[0]?.svg ?? '';
}

/** The page of a comparison, as a sweep writes it beside its tables. */
export function comparePage(output: CompareOutput): string {
  const input = pictureOf(output);
  return picturePage(drawSweep(input), input);
}

function pictureOf(output: CompareOutput): PictureInput {
  const { rows, advantages, title, sentence, property, confidence, fixed } = output;
  const valuesOf = ({ protocol, acting }: ComparedRow, advantage: number) => [
    `[${protocol}]`,
    setName(acting),
    advantage,
  ];
  const points = rows.flatMap((row) =>
    row.results.map((result) => {
      const { protocol } = row;
      const { attempts, seconds } = row.cost.join;
      const honest = { honestAttempts: attempts.p95, honestSeconds: seconds?.p95 ?? null };
      return { result, protocol, ...honest, values: valuesOf(row, result.advantage) };
    }),
  );
  // Rows that act alike share a cell.
  const known = new Set<string>();
  const cells = points
    .filter(({ result, values }) => {
      const isNew = result.source === 'runs' && !known.has(values.join());
      known.add(values.join());
      return isNew;
    })
    .map(({ result, ...at }, index) => cellOf(result, { ...at, index, response: fixed }));
  const axis = [
    [...new Set(rows.map(({ protocol }) => `[${protocol}]`))],
    [...new Set(rows.map(({ acting }) => setName(acting)))],
    advantages,
  ];
  const closedForms = points.flatMap(({ result: { source, p }, values }) =>
    source === 'closed form' && p !== null ? [{ values, p }] : [],
  );
  const extras = comparisonExtras({ ...output, closedForms });
  return {
    title,
    sentence,
    event: property.replaceAll('-', ' '),
    axes: Object.values(COMPARISON_AXES).map((path, at) => ({ path, values: axis[at] ?? [] })),
    cells,
    confidence,
    epsilons: [output.bound],
    seedRule: 'paired',
    theoryAt: null,
    comparison: extras,
    budgets: [extras.budget],
    dataFile: '',
    replay: output.replay,
  };
}

function cellOf(
  { n, k, p, interval, theory, verdict }: ComparedResult,
  at: Pick<
    PictureCell,
    'index' | 'values' | 'protocol' | 'response' | 'honestAttempts' | 'honestSeconds'
  >,
): PictureCell {
  const [ciLow, ciHigh] = interval ?? [null, null];
  const unknown = { nodesMean: null, messagesMean: null, mistakesMean: null };
  return {
    ...at,
    ...unknown,
    n,
    k,
    p,
    ciLow,
    ciHigh,
    theory,
    verdict,
    detectionTicksMean: null,
    failures: 0,
    refusal: null,
    detectionTicks: [],
  };
}
