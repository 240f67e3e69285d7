/**
 * @module
 * The runs that the cells of a matrix rest on, as rows. Each repeats as an election.
 */

import type { HeldElection } from '../experiment/runs/held-election.ts';
import { savedElection } from '../experiment/runs/held-election.ts';
import type { Column, TableRow } from '../experiment/sweep/columns.ts';
import { column } from '../experiment/sweep/columns.ts';

export const CELL_RUN_COLUMNS: readonly Column[] = [
  column('seed', 'text', 'seed of the run'),
  column('nodes', 'integer', 'ranks of the election'),
  column('adversary', 'text', 'ranks of the adversary, joined by spaces'),
  column('leader', 'integer', 'leader that all honest live nodes follow at the end'),
  column('messages', 'integer', 'messages of the run'),
  column('until', 'text', 'tick to which the run was advanced, or idle'),
  column('saved', 'text', 'the election as JSON: saved of POST /v1/elections'),
];

/** The values of these columns. `isPlayed`: whether an election of these options has the same nodes and starts. */
export function cellRunValues(
  held: HeldElection,
  { leader, messages }: { readonly leader: number | null; readonly messages: number },
  isPlayed: boolean,
): TableRow {
  const { seed, nodes, byzantine = [] } = held.options;
  const { until, saved } = savedElection(held);
  const adversary = byzantine.map(({ rank }) => rank).join(' ');
  return [
    ...[seed, nodes, adversary, leader, messages],
    ...[String(until), isPlayed ? JSON.stringify(saved) : null],
  ];
}
