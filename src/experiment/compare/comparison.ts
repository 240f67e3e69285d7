/**
 * @module
 * The finished rows of a comparison: what was measured at each advantage, the cost for honest nodes, and the
 * nodes that are excluded. Costs are measured once for all rows whose elections are the same.
 */

import { z } from 'zod';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { realBits } from '../../mining/policy-cost.ts';
import type { PictureCell } from '../charts/data.ts';
import type { ElectionCost } from '../cost/election-cost.ts';
import { electionCost, electionCostSchema } from '../cost/election-cost.ts';
import { joinCost, joinCostSchema } from '../cost/honest-cost.ts';
import { canonicalJson } from '../document/canonical-json.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { PROPERTIES } from '../properties/registry.ts';
import { ofNodes } from '../staging/defences.ts';
import { isForging } from '../staging/script.ts';
import { honestAttempts } from './defences.ts';
import { excludedBy, excludedSchema } from './excluded.ts';
import { COMPARED_DEFENCES } from './names.ts';
import type { ComparisonPlan, PlannedPoint, PlannedRow } from './outline.ts';

export const setOfDefences = z.array(z.enum(COMPARED_DEFENCES)).readonly();

/** The property at one advantage. */
const pointSchema = z
  .object({
    advantage: z.number(),
    attempts: z.number().describe('Attempts of the adversary.'),
    identities: z.number().describe('Identities that they find on average.'),
    source: z.enum(['runs', 'closed form', 'none']).describe('Where p comes from.'),
    n: z.int().describe('Runs with an outcome.'),
    k: z.int().describe('Runs among them that had the property.'),
    p: z.number().nullable(),
    interval: z.tuple([z.number(), z.number()]).readonly().nullable(),
    theory: z.number().nullable(),
    verdict: z.string().nullable(),
  })
  .meta({ id: 'ComparedPoint' });

/** A protocol under a set of defences. */
export const comparedRowSchema = z
  .object({
    protocol: z.enum(PROTOCOL_NAMES),
    defences: setOfDefences,
    acting: setOfDefences.describe('Those among them that can change the outcome.'),
    bits: z.int().describe('Bits of the static puzzle that cost work.'),
    results: z.array(pointSchema).readonly().describe('One for each advantage.'),
    cost: z.object({
      join: joinCostSchema,
      election: electionCostSchema.nullable(),
      added: z
        .object({ messages: z.number().nullable(), ticks: z.number().nullable() })
        .nullable()
        .describe('What the defences add to an election.'),
    }),
    excluded: z
      .array(excludedSchema)
      .readonly()
      .describe('Honest nodes that the defences exclude.'),
  })
  .meta({ id: 'ComparedDefences' });

export type ComparedRow = z.output<typeof comparedRowSchema>;
export type ComparedResult = ComparedRow['results'][number];

/** Costs and exclusions of a planned row, which need no run. */
export type RowCost = Pick<ComparedRow, 'cost' | 'excluded'>;

/** Measures the costs of the rows one after the other, so that the caller can do something else between two. */
export function* rowCosts({ reference, question, rows }: ComparisonPlan): Generator<RowCost, void> {
  const known = new Map<string, ElectionCost>();
  const electionOf = (model: ThreatModel, protocol: ProtocolName): ElectionCost => {
    const key = electionKey(model, protocol);
    const found = known.get(key) ?? electionCost(model, protocol, ELECTIONS);
    known.set(key, found);
    return found;
  };
  for (const { protocol, defences, model } of rows) {
    const { judges } = PROPERTIES[model.expect.property];
    const isElected = judges.election !== null || judges.watched !== null;
    const join = joinCost(model, null);
    const election = isElected ? electionOf(model, protocol) : null;
    const plain = isElected ? electionOf(reference.model, protocol) : null;
    const attempts = honestAttempts(reference, question, defences);
    yield {
      cost: { join, election, added: addedTo(plain, election) },
      excluded: excludedBy({ model, defences, attempts, join, election }),
    };
  }
}

/** The members that an election among honest nodes depends on. */
function electionKey(model: ThreatModel, protocol: ProtocolName): string {
  const { election, honest } = model.network;
  const defences = ofNodes(election.defences, isForging(model), protocol);
  return canonicalJson({ ...election, ticks: null, protocols: protocol, defences, honest });
}

/** A protocol with many messages is measured in fewer elections. */
const ELECTIONS = { runs: 5, messages: 20_000 } as const;

function addedTo(
  plain: ElectionCost | null,
  own: ElectionCost | null,
): ComparedRow['cost']['added'] {
  if (plain === null || own === null) return null;
  const difference = (member: 'messages' | 'ticks') => {
    const [before, after] = [plain[member], own[member]];
    return before === null || after === null ? null : after - before;
  };
  return { messages: difference('messages'), ticks: difference('ticks') };
}

/** The rows with the cells of the finished sweep. */
export function comparedRows(
  { rows }: ComparisonPlan,
  costs: readonly RowCost[],
  cells: readonly PictureCell[],
): readonly ComparedRow[] {
  const byIndex = new Map(cells.map((cell) => [cell.index, cell]));
  return rows.flatMap((row, index) => {
    const cost = costs[index];
    return cost === undefined ? [] : [comparedRow(row, cost, byIndex)];
  });
}

/** The rows whose cells are all finished. */
export function finishedRows(
  plan: ComparisonPlan,
  costs: readonly RowCost[],
  cells: readonly PictureCell[],
): readonly ComparedRow[] {
  const finished = new Set(cells.map(({ index }) => index));
  return comparedRows(plan, costs, cells).filter((_row, index) =>
    plan.rows[index]?.points.every(({ cell }) => cell === null || finished.has(cell)),
  );
}

function comparedRow(
  { protocol, defences, acting, model, points }: PlannedRow,
  cost: RowCost,
  cells: ReadonlyMap<number, PictureCell>,
): ComparedRow {
  const bits = realBits(model.network.identity).c1;
  const results = points.map((point) => resultOf(point, cells));
  return { protocol, defences, acting, bits, results, ...cost };
}

function resultOf(
  { cell: index, theory: law, ...point }: PlannedPoint,
  cells: ReadonlyMap<number, PictureCell>,
): ComparedResult {
  const cell = index === null ? undefined : cells.get(index);
  const theory = cell?.theory ?? law;
  if (cell === undefined || cell.p === null) {
    const source = theory === null ? 'none' : 'closed form';
    const missing = { n: 0, k: 0, interval: null, verdict: null } as const;
    return { ...point, ...missing, source, p: theory, theory };
  }
  const { n, k, p, ciLow, ciHigh, verdict } = cell;
  const interval = ciLow === null || ciHigh === null ? null : ([ciLow, ciHigh] as const);
  return { ...point, source: 'runs', n, k, p, interval, theory, verdict };
}
