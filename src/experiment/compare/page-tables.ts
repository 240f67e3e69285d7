/**
 * @module
 * What the pictures of a comparison show beside its cells: closed forms without runs, refused defences, and the
 * cost for honest nodes with the nodes that are excluded.
 */

import type { ComparisonExtras, PageTable } from '../charts/data.ts';
import type { RowCost } from './comparison.ts';
import type { ComparisonPlan } from './outline.ts';
import { setName } from './sets.ts';

export function comparisonExtras(
  plan: ComparisonPlan,
  costs: readonly RowCost[],
): ComparisonExtras {
  const closedForms = plan.rows.flatMap(({ protocol, acting, points }) =>
    points.flatMap(({ advantage, theory }) =>
      theory === null ? [] : [{ values: [`[${protocol}]`, setName(acting), advantage], p: theory }],
    ),
  );
  const refused = plan.refused.map(({ protocol, defences, reason }) => {
    return { protocol: `[${protocol}]`, defences: setName(defences), reason };
  });
  return { closedForms, refused, tables: [costTable(plan, costs), ...refusedTable(plan)] };
}

/** A row for each protocol and set of defences. */
function costTable({ rows }: ComparisonPlan, costs: readonly RowCost[]): PageTable {
  return {
    title: 'Cost for honest nodes',
    head: [
      ...['protocol', 'defences', 'join: attempts p50', 'p95', 'CPU s p50', 'p95'],
      ...['messages of a failure', 'ticks', 'messages of a cold start', 'ticks'],
      ...['messages in 100 ticks', 'excluded'],
    ],
    rows: costs.flatMap(({ cost: { join, election }, excluded }, index) => {
      const row = rows[index];
      if (row === undefined) return [];
      const { attempts, seconds } = join;
      const numbers = [
        ...[attempts.p50, attempts.p95, seconds?.p50, seconds?.p95],
        ...[election?.messages, election?.ticks],
        ...[election?.coldStart.messages, election?.coldStart.ticks],
        election?.messagesPer100Ticks,
      ];
      const who = excluded.map(({ label }) => label).join('; ');
      return [[row.protocol, setName(row.defences), ...numbers.map(numberText), who]];
    }),
    notes: [...new Set(costs.flatMap(({ excluded }) => excluded.map(({ reason }) => reason)))],
  };
}

function numberText(value: number | null | undefined): string {
  if (value === null || value === undefined) return '';
  return String(Number(value.toPrecision(4)));
}

/** Empty if nothing is refused. */
function refusedTable({ refused }: ComparisonPlan): readonly PageTable[] {
  if (refused.length === 0) return [];
  const rows = refused.map(({ protocol, defences, reason }) => [
    protocol,
    setName(defences),
    reason,
  ]);
  return [{ title: 'Refused defences', head: ['protocol', 'defences', 'reason'], rows, notes: [] }];
}
