/**
 * @module
 * The finished rows of a comparison: what was measured at each advantage, the cost for honest nodes, and the
 * nodes that are excluded. Costs are measured once for all rows whose elections are the same.
 */

import type { ProtocolName } from '../../election/registry.ts';
import { realBits } from '../../mining/policy-cost.ts';
import type { PictureCell } from '../charts/data.ts';
import type { ElectionCost } from '../cost/election-cost.ts';
import { electionCost } from '../cost/election-cost.ts';
import type { JoinCost } from '../cost/honest-cost.ts';
import { joinCost } from '../cost/honest-cost.ts';
import { canonicalJson } from '../document/canonical-json.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { PROPERTIES } from '../properties/registry.ts';
import { ofNodes } from '../staging/defences.ts';
import { isForging } from '../staging/script.ts';
import { honestAttempts } from './defences.ts';
import type { Excluded } from './excluded.ts';
import { excludedBy } from './excluded.ts';
import type { ComparedDefence } from './names.ts';
import type { ComparisonPlan, PlannedPoint, PlannedRow } from './outline.ts';

/** Where a probability comes from: runs, or the closed form if no election can be watched. */
export type ResultSource = 'runs' | 'closed form' | 'none';

/** The property at one advantage. */
export interface ComparedResult {
  readonly advantage: number;
  /** Attempts and expected identities of the adversary. */
  readonly attempts: number;
  readonly identities: number;
  readonly source: ResultSource;
  readonly n: number;
  readonly k: number;
  /** k/n, or the closed form if there are no runs. */
  readonly p: number | null;
  readonly interval: readonly [number, number] | null;
  readonly theory: number | null;
  readonly verdict: string | null;
}

/** The cost of honest nodes under a set of defences, and what the defences add to it. */
export interface ComparedCost {
  readonly join: JoinCost;
  /** Null if the property is about identities alone. */
  readonly election: ElectionCost | null;
  /** Against the elections without the defences. */
  readonly added: { readonly messages: number | null; readonly ticks: number | null } | null;
}

export interface ComparedRow {
  readonly protocol: ProtocolName;
  readonly defences: readonly ComparedDefence[];
  /** The defences that can change the outcome. Rows with the same ones share their runs. */
  readonly acting: readonly ComparedDefence[];
  /** Bits of the static puzzle that cost work. */
  readonly bits: number;
  readonly results: readonly ComparedResult[];
  readonly cost: ComparedCost;
  readonly excluded: readonly Excluded[];
}

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

function addedTo(plain: ElectionCost | null, own: ElectionCost | null): ComparedCost['added'] {
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
