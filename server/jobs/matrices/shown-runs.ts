/**
 * @module
 * The runs that the cells of a matrix rest on, each with the election that repeats it.
 */

import type { PlayedRow } from '../../../src/experiment/attack/matrix.ts';
import type { HeldElection } from '../../../src/experiment/runs/held-election.ts';
import { savedElection } from '../../../src/experiment/runs/held-election.ts';
import type { Column } from '../../../src/experiment/sweep/columns.ts';
import { column } from '../../../src/experiment/sweep/columns.ts';
import type { PlayedFaultRow } from '../../../src/simulation/conform/fault-matrix.ts';
import { isPlain } from '../../../src/simulation/conform/fault-nodes.ts';
import type { RunStarts } from '../../../src/simulation/conform/starts.ts';
import type { ResultTable } from '../table-answers.ts';

/** A run of a cell. */
export interface MatrixRun {
  readonly protocol: string;
  /** The attack or the fault. */
  readonly column: string;
  /** The level of authentication; null in the fault matrix. */
  readonly level: string | null;
  /** What it shows: the letter of the cell at its level, or an effect; null for none. */
  readonly shows: string | null;
  readonly seed: string;
  readonly nodes: number;
  /** Ranks of the adversary, joined by spaces. */
  readonly adversary: string;
  readonly leader: number | null;
  readonly messages: number;
  /** The tick to which it was advanced, or `idle`. */
  readonly until: string;
  /** `saved` of `POST /v1/elections` as JSON; null if the server does not play it: other nodes, or starts after tick 0. */
  readonly saved: string | null;
}

/** The runs of a row of the attack matrix: one for each level of each cell. */
export function attackRuns({ protocol, runs }: PlayedRow): readonly MatrixRun[] {
  return runs.map(({ attack, level, letter, options, ticks, leader, messages }) => {
    const adversary = (options.byzantine ?? []).map(({ rank }) => rank).join(' ');
    return {
      ...{ protocol, column: attack, level, shows: letter, seed: options.seed },
      ...{ nodes: options.nodes, adversary, leader, messages },
      ...savedText({ options, until: ticks }),
    };
  });
}

/** The runs of a row of the fault matrix: one for each effect of each cell, or one without an effect. */
export function faultRuns(
  { protocol, shown }: PlayedFaultRow,
  starts: RunStarts,
): readonly MatrixRun[] {
  return shown.map(({ fault, effect, options, leader, messages }) => {
    const held = savedText({ options, until: 'idle' });
    return {
      ...{ protocol, column: fault, level: null, shows: effect, seed: options.seed },
      ...{ nodes: options.nodes, adversary: '', leader, messages },
      ...{ until: held.until, saved: isPlain(fault) && starts === 'together' ? held.saved : null },
    };
  });
}

function savedText(held: HeldElection): { readonly until: string; readonly saved: string } {
  const { until, saved } = savedElection(held);
  return { until: String(until), saved: JSON.stringify(saved) };
}

/** The runs as a table. */
export function runsTable(shown: readonly MatrixRun[]): ResultTable {
  return {
    columns: COLUMNS,
    rows: shown.map((run) => [
      ...[run.protocol, run.column, run.level, run.shows, run.seed, run.nodes, run.adversary],
      ...[run.leader, run.messages, run.until, run.saved],
    ]),
  };
}

const COLUMNS: readonly Column[] = [
  column('protocol', 'text', 'protocol of the election'),
  column('column', 'text', 'attack or fault of the cell'),
  column('level', 'text', 'level of the nodes, in the attack matrix'),
  column('shows', 'text', 'what the run shows: a letter of the cell, or an effect; empty for none'),
  column('seed', 'text', 'seed of the run'),
  column('nodes', 'integer', 'ranks of the election'),
  column('adversary', 'text', 'ranks of the adversary'),
  column('leader', 'integer', 'leader that all honest live nodes follow at the end'),
  column('messages', 'integer', 'messages of the run'),
  column('until', 'text', 'tick to which the run was advanced, or idle'),
  column('saved', 'text', 'the election as JSON: saved of POST /v1/elections'),
];
