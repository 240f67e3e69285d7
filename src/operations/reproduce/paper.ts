/**
 * @module
 * The document of a published result. It states what a paper claims, how this lab computes it, and how far the published
 * and the measured numbers may differ.
 */

import { z } from 'zod';
import { readDocument } from '../../experiment/reading/document.ts';
import { quantity } from '../../quantities.ts';

const sentence = z.string().min(1).max(2000);
const input = z.record(z.string(), z.unknown()).describe('Members of the operation.');
const pointer = z
  .string()
  .regex(/^(?:\/[^/]+)+$/, 'must be a JSON pointer into the output, such as /messages/total');
const share = quantity('probability', { min: 0, max: 1 }, 'must be a share, such as 2%');

const rowFacts = {
  source: sentence.describe('Table, figure or theorem of the paper.'),
  measured: pointer.describe('Where the output has the number.'),
  interval: pointer.describe('Where the output has its interval.').optional(),
  within: share.describe('How far the numbers may lie apart, relative to the published one.'),
  why: sentence.describe('Why they may lie apart, or cannot be compared.').optional(),
};

/** Operations that can compute the numbers of a paper. */
export const ASKED = [
  'elect',
  'run',
  'detectors',
  'lookups',
  'churn',
  'mine',
  'attack',
  'check',
  'design',
] as const;

/**
 * Shapes of the figure: measured numbers over x, distribution functions, or histograms. In a distribution function, x is a
 * share of the runs. The bars of a histogram are one wide.
 */
export const SHAPES = ['values', 'distribution', 'histogram'] as const;

/** Kinds of bounds: the measured number must be at most, or at least, the published one. */
export const BOUNDS = ['atMost', 'atLeast'] as const;

const rowSchema = z.strictObject({
  at: sentence.describe('What is varied, such as n = 16.'),
  x: z.number().describe('The same as a number, for the chart.').optional(),
  series: sentence.describe('The curve of the chart that it belongs to.').optional(),
  missing: sentence
    .describe('What the lab lacks to compute it. There is no measured then.')
    .optional(),
  published: z
    .number()
    .nullable()
    .describe('The number of the paper; null if it has none that can be compared.'),
  bound: z.enum(BOUNDS).describe('Whether the number is a bound.').optional(),
  isOurs: z.boolean().describe('Whether the number was computed by us, not published.').optional(),
  input: input.optional(),
  differs: sentence
    .describe('Why the numbers lie further apart than `within` allows, if they do.')
    .optional(),
  ...z.strictObject(rowFacts).partial().shape,
});

/** Members that all rows share are stated above `rows`. A row can replace them. */
const paperSchema = z
  .strictObject({
    title: sentence,
    citation: sentence,
    claim: sentence.describe('The claim in one sentence.'),
    ask: z.enum(ASKED),
    input: input.default({}),
    unit: sentence.describe('What the numbers are, such as messages.'),
    axis: sentence.describe('The label of x in the chart.').optional(),
    shape: z.enum(SHAPES).default('values').describe('The shape of the chart.'),
    ...z.strictObject(rowFacts).partial().shape,
    rows: z.array(rowSchema).min(1).max(64),
  })
  .transform(({ source, measured, interval, within, why, rows, ...paper }, context) => ({
    ...paper,
    rows: rows.map((row, index) => {
      const whole = {
        ...row,
        source: row.source ?? source ?? '',
        measured: row.measured ?? measured ?? '',
        interval: row.interval ?? interval,
        within: row.within ?? within ?? 0,
        why: row.missing ?? row.why ?? why,
        input: { ...paper.input, ...row.input },
      };
      for (const name of ['source', 'measured'] as const) {
        if (whole[name] !== '' || (name === 'measured' && row.missing !== undefined)) continue;
        const message = `must have ${name}, here or above rows`;
        context.addIssue({ code: 'custom', path: ['rows', index], message });
      }
      if (whole.why === undefined && (row.published === null || whole.within > 0)) {
        const message = 'must have why: what lets the numbers lie apart, or bars a comparison';
        context.addIssue({ code: 'custom', path: ['rows', index], message });
      }
      return whole;
    }),
  }));

/** A published result under the name of its file. */
export type Paper = z.output<typeof paperSchema> & { readonly name: string };

/** A published number, and how the lab computes it. */
export type PaperRow = Paper['rows'][number];

/** What the lab lacks to compute any number of the paper. Null if it can compute one. */
export function missingOf({ rows }: Pick<Paper, 'rows'>): string | null {
  const [first] = rows;
  return rows.every(({ missing }) => missing !== undefined) ? (first?.missing ?? null) : null;
}

/** Reads a document. Throws LabError `document` with one line `file:line:column: …` for each fault. */
export function parsePaper(name: string, text: string, fileName: string): Paper {
  return { name, ...readDocument(text, { fileName, noun: 'paper', schema: paperSchema }) };
}

/** Verdict on a row. `explained` if it differs and the document says why, `incomparable` if the paper has no number for it. */
export type Agreement = (typeof AGREEMENTS)[number];
export const AGREEMENTS = ['agrees', 'explained', 'differs', 'incomparable'] as const;

/** Whether a measured number, which may have an interval, agrees with the published one. */
export function agreementOf(
  {
    published,
    bound,
    within,
    differs,
  }: Pick<PaperRow, 'published' | 'bound' | 'within' | 'differs'>,
  measured: number,
  interval: readonly [number, number] | null,
): Agreement {
  if (published === null) return 'incomparable';
  // A bound is compared with the measured number itself, without its interval.
  const [low, high] = (bound === undefined ? interval : null) ?? [measured, measured];
  const isLow = bound === 'atMost' || high >= published * (1 - within);
  const isHigh = bound === 'atLeast' || low <= published * (1 + within);
  if (isLow && isHigh) return 'agrees';
  return differs === undefined ? 'differs' : 'explained';
}
