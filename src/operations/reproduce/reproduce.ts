/**
 * @module
 * This folder contains the operation `reproduce`: published results beside what this lab computes. Each result is a
 * document of papers/.
 */

import { z } from 'zod';
import { LabError, pathOfPointer } from '../../errors.ts';
import { isLogarithmic, numberAxis } from '../../experiment/charts/axes.ts';
import { percentText } from '../../experiment/charts/cells.ts';
import type { LineChart, Mark, Panel, Point, Series } from '../../experiment/charts/data.ts';
import { framedBy } from '../../experiment/charts/frame.ts';
import { CODE, SMALL } from '../../experiment/charts/lettering.ts';
import { drawLineChart } from '../../experiment/charts/line-chart.ts';
import { drawRowChart } from '../../experiment/charts/row-chart.ts';
import { fromZero } from '../../experiment/charts/series.ts';
import { DOCUMENT_CHARACTERS_MAX } from '../../experiment/document/limits.ts';
import type { ThreatModel } from '../../experiment/document/threat-model.ts';
import { suggestion } from '../../experiment/reading/nearest.ts';
import { printableLine } from '../../printable.ts';
import { parseSeed } from '../../random.ts';
import { parseBySchema } from '../../schema.ts';
import { ATTACK } from '../attack/attack.ts';
import { CHECK_OPERATION } from '../check/check.ts';
import { CHURN } from '../churn.ts';
import { DESIGN } from '../design.ts';
import { DETECTORS_OPERATION } from '../detectors.ts';
import { ELECT } from '../elect/elect.ts';
import type { NamedFile } from '../file.ts';
import { file, fileOf } from '../file.ts';
import { MINE } from '../identity/mine.ts';
import { LOOKUPS } from '../lookups/lookups.ts';
import { text, toggle } from '../member.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { defineOperation, inMember, inputSchema, memberFault, replayOf } from '../operation.ts';
import type { Block } from '../report.ts';
import { sentenceBlock } from '../report.ts';
import { RUN } from '../run/run.ts';
import type { Agreement, Paper, PaperRow } from './paper.ts';
import { AGREEMENTS, agreementOf, BOUNDS, missingOf, parsePaper, SHAPES } from './paper.ts';

const OPERATIONS: Readonly<Record<Paper['ask'], Operation>> = {
  elect: ELECT,
  run: RUN,
  detectors: DETECTORS_OPERATION,
  mine: MINE,
  attack: ATTACK,
  check: CHECK_OPERATION,
  design: DESIGN,
  lookups: LOOKUPS,
  churn: CHURN,
};

const MEMBERS = {
  paper: text(
    { read: (name) => name },
    {
      label: 'Paper',
      meaning: 'Published result to reproduce',
      example: 'chang-roberts-extremes',
      isArgument: true,
      otherwise: 'all are listed',
    },
  ),
  document: file(z.union([z.string().max(DOCUMENT_CHARACTERS_MAX), z.looseObject({})]), {
    label: 'Document',
    meaning: 'Published result of your own, in the form of those of papers/',
    example: 'my-result.yaml',
    isFurther: true,
    otherwise: 'none',
  }),
  all: toggle({
    label: 'Reproduce all',
    meaning: 'Reproduce every result, which takes minutes',
    example: '',
    initial: false,
  }),
};

/** Largest number of rows in the document of a remote request. Each row has the limits of a request of its own. */
const REMOTE_ROWS_MAX = 16;

const VERB = { name: 'reproduce', members: MEMBERS } as const;

const rowSchema = z.object({
  at: z.string(),
  x: z.number().nullable(),
  series: z.string().nullable().describe('The curve of the chart that it belongs to.'),
  source: z.string().describe('Table, figure or theorem of the paper.'),
  published: z.number().nullable().describe('Null if the paper has none that can be compared.'),
  bound: z.enum(BOUNDS).nullable().describe('Null if the number is no bound.'),
  isOurs: z.boolean().describe('Whether the number was computed by us, not published.'),
  measured: z
    .number()
    .nullable()
    .describe('Null if the lab cannot compute it. `why` says what is missing.'),
  interval: z.tuple([z.number(), z.number()]).nullable(),
  within: z.number().describe('How far the numbers may lie apart, relative to the published one.'),
  agreement: z.enum(AGREEMENTS),
  why: z.string().nullable(),
  replay: z.string().nullable().describe('The command that computes this row.'),
});

const resultSchema = z
  .object({
    name: z.string(),
    title: z.string(),
    citation: z.string(),
    claim: z.string(),
    unit: z.string(),
    axis: z.string().nullable(),
    shape: z.enum(SHAPES).describe('The shape of the chart.'),
    missing: z
      .string()
      .nullable()
      .describe('What the lab lacks, if it can compute none of the numbers.'),
    rows: z.array(rowSchema).readonly().describe('Empty if the results are only listed.'),
  })
  .meta({ id: 'ReproducedResult' });

type Row = z.output<typeof rowSchema>;
type Result = z.output<typeof resultSchema>;

const outputSchema = z
  .object({
    results: z.array(resultSchema).readonly(),
    complete: z.boolean().describe('False after an interruption.'),
    replay: z.string(),
  })
  .meta({ id: 'Reproduction' });

type Output = z.output<typeof outputSchema>;

export const REPRODUCE = defineOperation({
  ...VERB,
  collection: 'reproductions',
  title: 'Published results',
  summary: 'reproduce published results: the number of the paper beside the measured one',
  description: `Without a name it lists the results that the lab can reproduce. docs/papers.md has them with their sources.
"agrees" means that the measured number lies within the distance ("within") that its document allows and explains, or that its interval reaches a number that does. "explained" means that they lie further apart, and that the document states why. "ours" marks a number that the paper does not print and that follows from its formula.`,
  output: outputSchema,
  answersWhileTyping: false,
  measuresTime: false,
  check({ paper, document, all }, isRemote) {
    const [, second] = Object.entries({ document, paper, all: all || undefined }).filter(
      ([, value]) => value !== undefined,
    );
    if (second !== undefined) {
      throw memberFault('arguments', second[0], 'is one result too many: name one, or ask for all');
    }
    if (document === undefined) return;
    inMember('document', () => {
      const own = ownPaper(document);
      if (isRemote && own.rows.length > REMOTE_ROWS_MAX) {
        throw memberFault('job.size', 'document', `has more than ${REMOTE_ROWS_MAX} rows`);
      }
      // A server meters the searches of its students.
      if (isRemote && own.ask === 'mine') {
        throw memberFault('arguments', 'document', 'asks mine, which a request does by itself');
      }
      for (const row of own.rows) {
        if (row.missing === undefined) rowInput(own, row, isRemote);
      }
    });
  },
  atOnce: () => null,
  async run(input, context) {
    const { document } = input;
    const named = input.paper === undefined ? undefined : String(input.paper);
    const isListed = named === undefined && document === undefined && !input.all;
    const chosen =
      document === undefined ? await papersOf(named, context.machine) : [ownPaper(document)];
    const total = isListed ? 0 : chosen.reduce((sum, { rows }) => sum + rows.length, 0);
    const results: Result[] = [];
    let done = 0;
    for (const paper of chosen) {
      const rows: Row[] = [];
      const answers: Answers = new Map();
      for (const row of isListed ? [] : paper.rows) {
        context.onProgress({ now: `numbers of ${paper.name}`, done, total });
        const computed = await computedRow(
          paper,
          row,
          context,
          document !== undefined && context.isRemote,
          answers,
        );
        if (computed === null) break;
        rows.push(computed);
        done += 1;
      }
      const { name, title, citation, claim, unit, axis = null, shape } = paper;
      if (isListed || rows.length > 0) {
        const missing = missingOf(paper);
        results.push({ name, title, citation, claim, unit, axis, shape, missing, rows });
      }
      if (context.signal.aborted) break;
    }
    if (results.length === 0) return null;
    return { results, complete: done === total, replay: replayOf(VERB, input) };
  },
  outcomeOf({ results, complete }) {
    const found = new Set(results.flatMap(({ rows }) => rows.map(({ agreement }) => agreement)));
    if (found.has('differs')) return 'violated';
    return complete ? 'holds' : 'unknown';
  },
  outcomes: {
    holds:
      'every number agrees, or the document explains why it differs or cannot be compared, or the results are listed',
    violated: 'a number differs without an explanation',
    unknown: 'not all numbers were computed',
  },
  report: reportOf,
  picture: pictureOf,
  table: ({ results }) => ({
    columns: COLUMNS,
    rows: results.flatMap((result) => result.rows.map((row) => lineOf(result, row))),
  }),
  has: { picture: true, table: true },
  examples: [{ paper: 'chang-roberts-extremes' }, {}],
});

/** Returns the result with this name, or all results if no name is given. */
async function papersOf(
  name: string | undefined,
  machine: OperationContext['machine'],
): Promise<readonly Paper[]> {
  const found = await machine.papers(name);
  if (name === undefined || found.length > 0) return found;
  const names = (await machine.papers()).map((paper) => paper.name);
  throw unknownPaper(names, name);
}

/** The refusal of a name that no published result has. It suggests the nearest one. */
export function unknownPaper(names: readonly string[], name: string): LabError {
  const near = suggestion(names, name) || `; the results are ${names.join(', ')}`;
  return memberFault('schema', 'paper', `no result is called ${JSON.stringify(name)}${near}`);
}

function ownPaper({ name, text }: NamedFile): Paper {
  const file = name.startsWith('{') ? 'document' : name;
  return parsePaper(file.replace(/^.*\/|\.[^./]*$/g, ''), text, file);
}

/** Returns the input of a row. Throws LabError `document` if the operation does not accept it. */
function rowInput({ name, ask }: Paper, row: PaperRow, isRemote: boolean) {
  try {
    // A document contains the content of a file, as a request does.
    const members = Object.entries(OPERATIONS[ask].members).map(([key, each]) => {
      return [key, each.entry.as === 'file' ? { ...each, schema: each.remote } : each] as const;
    });
    const schema = inputSchema({ members: Object.fromEntries(members) }, isRemote);
    return parseBySchema(schema, row.input, `question to ${ask}`);
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    throw new LabError('document', `${name}: the row "${row.at}": ${error.message}`);
  }
}

/** Answers of the operation by their question, because rows can read several numbers of one. */
type Answers = Map<string, Awaited<ReturnType<Operation['run']>>>;

/** Computes a row with the operation of the paper. Returns null after an interruption. */
async function computedRow(
  paper: Paper,
  row: PaperRow,
  context: OperationContext,
  isLimited: boolean,
  answers: Answers,
): Promise<Row | null> {
  const computed =
    row.missing === undefined
      ? await answerTo(paper, row, context, isLimited, answers)
      : { measured: null, interval: null, replay: null };
  if (computed === null) return null;
  const { measured, interval } = computed;
  const agreement = measured === null ? 'incomparable' : agreementOf(row, measured, interval);
  return {
    at: row.at,
    x: row.x ?? null,
    series: row.series ?? null,
    source: row.source,
    published: row.published,
    bound: row.bound ?? null,
    isOurs: row.isOurs ?? false,
    within: row.within,
    agreement,
    why: (agreement === 'explained' ? row.differs : row.why) ?? null,
    ...computed,
  };
}

/** The measured number of a row. Null after an interruption. */
async function answerTo(
  paper: Paper,
  row: PaperRow,
  context: OperationContext,
  isLimited: boolean,
  answers: Answers,
): Promise<(Pick<Row, 'interval' | 'replay'> & { readonly measured: number }) | null> {
  const operation = OPERATIONS[paper.ask];
  const entered = rowInput(paper, row, isLimited);
  const models = Object.entries(entered).map(async ([key, value]) => {
    const entry = operation.members[key]?.entry;
    if (entry?.as === 'file' && value !== undefined) return [key, fileOf(key, value)] as const;
    if (entry?.as !== 'model') return [key, value] as const;
    const model: ThreatModel = await context.machine.threatModel(String(value));
    return [key, { name: String(value), model }] as const;
  });
  const input = Object.fromEntries(await Promise.all(models));
  operation.check(input, isLimited);
  const question = JSON.stringify(row.input);
  const output =
    answers.get(question) ??
    (await operation.run(input, {
      ...context,
      // The limits of requests are for documents of callers.
      isRemote: isLimited,
      onProgress: () => undefined,
      onPartial: () => undefined,
      seedFor: (given = '1') => parseSeed(given),
    }));
  answers.set(question, output);
  if (output === null || context.signal.aborted) return null;
  const measured = valueAt(output, row.measured);
  const interval =
    row.interval === undefined
      ? (intervalOf(valueAt(output, row.measured.replace(/\/value$/, ''))) ?? null)
      : intervalOf(valueAt(output, row.interval));
  if (typeof measured !== 'number' || interval === undefined) {
    const [member, what] =
      interval === undefined
        ? (['interval', 'interval'] as const)
        : (['measured', 'number'] as const);
    const detail = `${paper.name}: the row "${row.at}": ${member}: the answer of ${paper.ask} has no ${what} at ${row[member]}`;
    throw new LabError('document', detail);
  }
  return { measured, interval, replay: output.replay };
}

/** Returns the value at a JSON pointer (RFC 6901), which takes only indices of an array. `undefined` if there is none. */
function valueAt(output: unknown, pointer: string): unknown {
  const step = (value: unknown, name: string) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
      return undefined;
    return Array.isArray(value) && name === 'length' ? undefined : Reflect.get(value, name);
  };
  return pathOfPointer(pointer).reduce(step, output);
}

/**
 * Returns the ends of an interval. It is a pair, an object with `low` and `high`, or a quantile with `ciLow` and `ciHigh`. Null
 * for null, `undefined` for any other value.
 */
function intervalOf(value: unknown): [number, number] | null | undefined {
  if (value === null) return null;
  if (typeof value !== 'object') return undefined;
  const names = 'ciLow' in value ? ['ciLow', 'ciHigh'] : ['low', 'high'];
  const [low, high] = Array.isArray(value) ? value : names.map((end) => Reflect.get(value, end));
  return typeof low === 'number' && typeof high === 'number' ? [low, high] : undefined;
}

function reportOf({ results, complete }: Output): readonly Block[] {
  const [only] = results;
  const isListed = complete && results.every(({ rows }) => rows.length === 0);
  if (isListed) {
    const known = results.filter(({ missing }) => missing === null);
    return [
      sentenceBlock(`${known.length} published results can be reproduced.`),
      {
        type: 'suggestions',
        title: 'Published results',
        suggestions: known.map(({ name, title }) => ({
          text: `${name}: ${title}`,
          change: { paper: name },
        })),
      },
      {
        type: 'notes',
        notes: results.flatMap(({ name, missing }) =>
          missing === null ? [] : `${name} cannot be reproduced: ${missing}`,
        ),
      },
    ];
  }
  const rows = results.flatMap((result) => result.rows);
  const counts = AGREEMENTS.flatMap((agreement) => {
    const count = rows.filter((row) => row.agreement === agreement).length;
    return count === 0 ? [] : [`${count} ${VERBS[agreement][count === 1 ? 0 : 1]}`];
  });
  const isOne = results.length === 1 && only !== undefined;
  const notes = results.flatMap(({ name, rows: own }) =>
    [...new Set(own.flatMap(({ why }) => why ?? []))].map((why) =>
      isOne ? why : `${name}: ${why}`,
    ),
  );
  const commands = rows.flatMap(({ at, replay }) =>
    replay === null ? [] : [[at, replay] as const],
  );
  return [
    sentenceBlock(`Of ${rows.length} number${rows.length === 1 ? '' : 's'}, ${counts.join(', ')}.`),
    ...(isOne
      ? [
          {
            type: 'facts',
            rows: [
              ['claim', only.claim],
              ['paper', only.citation],
            ],
          } as const,
        ]
      : []),
    numbersTable(results),
    ...(notes.length === 0 ? [] : [{ type: 'notes', notes } as const]),
    ...(isOne && commands.length > 0
      ? [{ type: 'facts', isWhole: true, rows: commands } as const]
      : []),
  ];
}

/** The numbers of one result, or of several with their names. */
function numbersTable(results: Output['results']): Block {
  const [only, ...others] = results;
  const isOne = only !== undefined && others.length === 0;
  return {
    type: 'table',
    title: isOne ? `${only.title}, in ${only.unit}` : 'Published results',
    columns: [
      ...(isOne ? [] : [{ name: 'result' }]),
      { name: 'at' },
      { name: 'source', dropOrder: 1 },
      ...['published', 'within', 'measured', 'interval'].map((name) => ({ name, isNumber: true })),
      { name: 'verdict' },
    ],
    rows: results.flatMap(({ name, rows: own }) =>
      own.map((row) => [
        ...(isOne ? [] : [name]),
        row.at,
        row.source,
        publishedText(row),
        row.within === 0 ? '-' : percentText(row.within),
        shown(row.measured),
        row.interval === null ? '-' : row.interval.map(shown).join(' to '),
        row.agreement,
      ]),
    ),
  };
}

/** Five digits are enough to distinguish the numbers of papers. */
const shown = (value: number | null) =>
  value === null ? '-' : String(Number(value.toPrecision(5)));

/** Verbs of the summary, for one number and for several. */
const VERBS: Readonly<Record<Agreement, readonly [string, string]>> = {
  agrees: ['agrees', 'agree'],
  explained: ['differs as its document explains', 'differ as its document explains'],
  differs: ['differs without an explanation', 'differ without an explanation'],
  incomparable: ['cannot be compared', 'cannot be compared'],
};

function publishedText({ published, bound, isOurs }: Row): string {
  if (published === null) return '-';
  const sign = bound === null ? '' : SIGNS[bound];
  return `${sign}${shown(published)}${isOurs ? ' (ours)' : ''}`;
}

const SIGNS = { atMost: '≤ ', atLeast: '≥ ' } as const;

/**
 * Draws published and measured numbers over the axis, or row by row without one. Null without a measured number, and for
 * several results, whose numbers have different units.
 */
function pictureOf({ results, replay }: Output): string | null {
  const [only] = results;
  if (only === undefined || results.length > 1) return null;
  const measured = only.rows.flatMap(({ measured, ...row }) =>
    measured === null ? [] : [{ ...row, measured }],
  );
  const withX = measured.flatMap(({ x, ...row }) => (x === null ? [] : [{ ...row, x }]));
  if (measured.length === 0) return null;
  const lines = [['paper', only.citation, SMALL] as const, ['replay', replay, CODE] as const];
  const caption = { title: only.title, sentence: only.claim, lines };
  const chart = {
    type: 'lines',
    kind: 'frequency',
    name: only.name,
    title: 'Published, and measured beside it',
    notes: [],
    legend: { mark: 'measured', bar: 'its interval', curve: 'published' },
  } as const;
  if (only.axis === null || withX.length === 0) {
    const series = seriesOf(measured.map((row, x) => ({ ...row, x, series: null })));
    const names = measured.map(({ at }) => printableLine(at));
    const x = { type: 'names', label: '', names } as const;
    const rows: LineChart = { ...chart, x, panels: [panelOf(only.unit, series)] };
    return framedBy(caption, rows, drawRowChart(rows, x));
  }
  const isDistribution = only.shape === 'distribution';
  const series = seriesOf(withX).map((each) => {
    if (isDistribution) return turned(each);
    return only.shape === 'histogram' ? { ...each, line: outlineOf(each.marks) } : each;
  });
  const [xLabel, yLabel] = isDistribution ? [only.unit, only.axis] : [only.axis, only.unit];
  const xs = pointsOf(series).map((point) => point.x);
  const x = numberAxis(xLabel, xs, { isLogarithmic: isDistribution });
  const curves: LineChart = { ...chart, x, panels: [panelOf(yLabel, series)] };
  return framedBy(caption, curves, drawLineChart(curves, x));
}

/** A row with both coordinates. */
type DrawnRow = Row & { readonly x: number; readonly measured: number };

function seriesOf(rows: readonly DrawnRow[]): readonly Series[] {
  return [...Map.groupBy(rows, ({ series }) => series ?? '')].map(([label, own]) => ({
    label,
    marks: own.map((row): Mark => {
      const tooltip = `${row.at}: measured ${shown(row.measured)}, published ${publishedText(row)}`;
      return { x: row.x, y: row.measured, interval: row.interval, tooltip };
    }),
    curve: own.flatMap(({ x, published: y }) => (y === null ? [] : [{ x, y }])),
    ...{ refused: [], samples: [], isJoined: false, hasPoints: true },
  }));
}

/** The series as a distribution function: shares over numbers, joined by lines. Its horizontal intervals are left out. */
function turned({ marks, curve, ...series }: Series): Series {
  const over = <P extends Point>(point: P) => ({ ...point, x: point.y, y: point.x });
  return {
    ...series,
    marks: marks.map((mark) => ({ ...over(mark), interval: null })),
    curve: curve.map(over),
    ...{ isJoined: true, hasPoints: false },
  };
}

function pointsOf(series: readonly Series[]): readonly Point[] {
  return series.flatMap(({ marks, curve, line = [] }) => [...marks, ...curve, ...line]);
}

/** A panel whose axis is logarithmic if the numbers have different orders of magnitude. */
function panelOf(label: string, series: readonly Series[]): Panel {
  const ends = series.flatMap(({ marks }) => marks.flatMap(({ interval }) => interval ?? []));
  const ys = [...pointsOf(series).map((point) => point.y), ...ends];
  const y = isLogarithmic('number', ys)
    ? { ...numberAxis(label, ys, { isLogarithmic: true }), isWhole: false }
    : fromZero(label, ys);
  return { y, series, references: [], levels: [] };
}

/** The outline of bars that are one wide. */
function outlineOf(bars: readonly Point[]): readonly Point[] {
  const sorted = bars.toSorted((one, other) => one.x - other.x);
  const tops = sorted.flatMap(({ x, y }) => [-0.5, 0.5].map((side) => ({ x: x + side, y })));
  return [tops[0], ...tops, tops.at(-1)].flatMap((point, index) =>
    point === undefined ? [] : [index % (tops.length + 1) === 0 ? { x: point.x, y: 0 } : point],
  );
}

const COLUMNS = [
  { name: 'result', type: 'text', meaning: 'name of the result' },
  { name: 'at', type: 'text', meaning: 'what is varied' },
  { name: 'source', type: 'text', meaning: 'table, figure or theorem of the paper' },
  { name: 'published', type: 'number', meaning: 'number of the paper, or its bound' },
  {
    name: 'bound',
    type: 'text',
    meaning: 'atMost or atLeast; empty for a number that is no bound',
  },
  {
    name: 'ours',
    type: 'boolean',
    meaning: 'whether the number was computed by us, not published',
  },
  { name: 'unit', type: 'text', meaning: 'what the numbers are' },
  {
    name: 'within',
    type: 'number',
    meaning: 'how far the numbers may lie apart, relative to the published one',
  },
  { name: 'measured', type: 'number', meaning: 'what the lab computed' },
  { name: 'ci_low', type: 'number', meaning: 'lower end of its interval' },
  { name: 'ci_high', type: 'number', meaning: 'upper end of its interval' },
  { name: 'verdict', type: 'text', meaning: 'agrees, explained, differs or incomparable' },
  { name: 'replay', type: 'text', meaning: 'command that computes the row' },
] as const;

/** A row of the table. The texts of a document can come from others, so that they are made printable. */
function lineOf({ name, unit }: Result, row: Row) {
  const { at, source, published, bound, isOurs, within, measured, interval, agreement, replay } =
    row;
  const ends = interval ?? [null, null];
  const values = [published, bound, isOurs, unit, within, measured, ...ends, agreement, replay];
  return [name, at, source, ...values].map((value) =>
    typeof value === 'string' ? printableLine(value) : value,
  );
}
