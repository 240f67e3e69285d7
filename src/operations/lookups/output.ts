/**
 * @module
 * The output of `lookups`: its schema, and its rows from what was measured.
 */

import { z } from 'zod';
import { exactInterval } from '../../experiment/theory/statistics.ts';
import { analyticSuccess } from '../../overlay/forging.ts';
import type { Measured } from '../../overlay/study.ts';

const probability = z.number().min(0).max(1);
const ends = z.tuple([probability, probability]).readonly();

const rowSchema = z.object({
  nodes: z.int().describe('Nodes without forged IDs.'),
  share: z.number().describe('Share of them that belongs to the adversary: m.'),
  paths: z.int().describe('Disjoint paths: d.'),
  lookups: z.int(),
  success: z
    .object({ share: probability, interval: ends })
    .describe('Lookups with a path that reached a node that knows all siblings of the key.'),
  analytic: probability
    .nullable()
    .describe(
      'Σ h_i (1 − (1 − (1 − m)^i)^d), with the lengths of paths without adversaries, where each lookup counts once. Null with forged IDs or a latency.',
    ),
  expected: probability
    .nullable()
    .describe(
      'The same with the lengths of the paths of each lookup. Null with forged IDs or a latency.',
    ),
  overAnalytic: z.number().nullable().describe('success over analytic.'),
  overAnalyticInterval: z.tuple([z.number(), z.number()]).nullable(),
  stepsMean: z.number().nullable().describe('Steps of the paths that succeeded; null if none did.'),
  stepsMax: z.int().nullable(),
  lengths: z.array(z.int()).readonly().describe('Paths that succeeded after 0, 1, 2, … steps.'),
  messagesMean: z.number().describe('Questions and answers of a lookup.'),
  ticksMean: z
    .number()
    .nullable()
    .describe('Ticks until a lookup succeeded. Null without a latency, or if none did.'),
  ticks95: z.int().nullable().describe('95 % of the lookups that succeeded did so by this tick.'),
  timeoutsMean: z.number().describe('Questions of a lookup that were not answered in time.'),
  poisoned: probability.describe('Share of the contacts of honest nodes that are adversaries.'),
  led: probability.describe('Lookups that failed or whose key an adversary leads.'),
  eclipsed: probability.describe('Lookups that failed or whose siblings are all adversaries.'),
  keys: z.int(),
  keysLed: z
    .object({ share: probability, interval: ends })
    .describe('Keys whose closest node is an adversary.'),
  hashesPerKey: z.number().describe('Hashes for all IDs that join for a key. 0 without forging.'),
  keysCaptured: probability.describe(
    'Keys that it leads because of forged IDs: those that its share alone leads do not count.',
  ),
  keysCapturedInterval: ends,
  hashesPerKeyLed: z
    .number()
    .nullable()
    .describe(
      'Hashes for each captured key, if puzzles are solved only to lead it. Null without forging, or if no key is captured.',
    ),
});

const leaderSchema = z
  .object({
    nodes: z.int(),
    share: z.number().describe('Share of them that belongs to the adversary: m.'),
    probability,
    ids: z
      .number()
      .describe('IDs that the adversary adds: h·p/(1 − p) beside h honest nodes, less those of m.'),
    attempts: z.number().describe('Keys that are tested for them.'),
    hashes: z
      .number()
      .describe(
        'The budget: hashes of these attempts, 2^c1 static puzzles, and one dynamic puzzle.',
      ),
  })
  .describe(
    'What it costs to be the closest node to a key with this probability, if IDs are uniform. None with given node IDs.',
  );

/** The output: a row for each size, share and number of paths, and the price of a key. */
export const outputSchema = z
  .object({
    rows: z.array(rowSchema).readonly(),
    stepsPerBit: z
      .number()
      .nullable()
      .describe(
        'Steps of a path for each doubling of the network, from the smallest to the largest. Null for one size.',
      ),
    leaders: z.array(leaderSchema).readonly(),
    complete: z.boolean().describe('False after an interruption.'),
    replay: z.string(),
  })
  .meta({ id: 'Lookups' });

/** The output of `lookups`. */
export type LookupsOutput = z.output<typeof outputSchema>;
/** A row of it. */
export type LookupsRow = z.output<typeof rowSchema>;

/** What a row states beside its measurement. */
export interface RowFacts {
  readonly nodes: number;
  readonly m: number;
  readonly d: number;
  /** The lookups without adversaries. */
  readonly base: Measured;
  /** Index of m among the shares. */
  readonly index: number;
  readonly confidence: number;
  /** Whether messages take time. */
  readonly isTimed: boolean;
}

/** The row of a measurement. */
export function rowOf(
  measured: Measured,
  { nodes, m, d, base, index, confidence, isTimed }: RowFacts,
): LookupsRow {
  const { lookups, successes, lengths, keys, keysLed, keysCaptured, hashesPerKey, hashesToLead } =
    measured;
  const ticks = measured.ticks.toSorted((one, other) => one - other);
  const frequency = (wins: number, runs: number) => ({
    share: wins / runs,
    interval: exactInterval({ wins, runs, confidence }),
  });
  const paths = lengths.reduce((sum, count) => sum + count, 0);
  const success = frequency(successes, lookups);
  const shares = base.lookupLengths.map((count) => count / base.lookups);
  const analytic = hashesPerKey > 0 || isTimed ? null : analyticSuccess(shares, m, d);
  const [low, high] = success.interval;
  return {
    nodes,
    share: m,
    paths: d,
    lookups,
    success,
    analytic,
    expected: analytic === null ? null : (base.expected[index] ?? 0) / base.lookups,
    overAnalytic: analytic === null ? null : success.share / analytic,
    overAnalyticInterval: analytic === null ? null : [low / analytic, high / analytic],
    stepsMean:
      paths === 0 ? null : lengths.reduce((sum, count, steps) => sum + count * steps, 0) / paths,
    stepsMax: paths === 0 ? null : lengths.length - 1,
    lengths,
    messagesMean: measured.messages / lookups,
    ticksMean:
      ticks.length === 0 ? null : ticks.reduce((sum, each) => sum + each, 0) / ticks.length,
    ticks95: ticks[Math.ceil(0.95 * ticks.length) - 1] ?? null,
    timeoutsMean: measured.timeouts / lookups,
    poisoned: measured.poisoned,
    led: measured.led / lookups,
    eclipsed: measured.eclipsed / lookups,
    keys,
    keysLed: frequency(keysLed, keys),
    hashesPerKey,
    keysCaptured: keysCaptured / keys,
    keysCapturedInterval: frequency(keysCaptured, keys).interval,
    hashesPerKeyLed: keysCaptured === 0 ? null : hashesToLead / keysCaptured,
  };
}

/** The number of steps which paths become longer when the network doubles. */
export function stepsPerBit(rows: readonly LookupsRow[]): number | null {
  const [first] = rows;
  const same = rows.filter((row) => row.share === first?.share && row.paths === first.paths);
  const sorted = same.toSorted((one, other) => one.nodes - other.nodes);
  const [least, most] = [sorted[0], sorted.at(-1)];
  if (least?.stepsMean == null || most?.stepsMean == null || least.nodes === most.nodes)
    return null;
  return (most.stepsMean - least.stepsMean) / Math.log2(most.nodes / least.nodes);
}
