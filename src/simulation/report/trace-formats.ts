/**
 * @module
 * This folder writes runs: traces as JSON lines with vector clocks, as a log for ShiViz, and as a diagram in
 * SVG or plain text; saved runs; and comparisons of protocols. A trace is written from the records after the
 * run, so that its form does not affect the run.
 */

import { LabError } from '../../errors.ts';
import type { Happening, TraceRecord } from '../engine/trace.ts';
import type { Plan } from '../plan/plan.ts';
import { assertClockable, createClockWriter, vectorClocks } from '../trace/vector-clocks.ts';
import type { WrittenPart } from '../trace/view.ts';
import { PART_RECORDS } from '../trace/view.ts';
import { diagram } from './diagram.ts';
import { shivizLines } from './shiviz.ts';
import type { DiagramPlan } from './space-time/layout.ts';
import { assertDrawable, spaceTimeSvg } from './space-time/svg.ts';

/** `jsonl-bare` is JSON lines without clocks, which have a limit of nodes. */
export type TraceFormat = 'jsonl' | 'jsonl-bare' | 'shiviz' | 'svg' | 'txt';

/** Throws LabError `job.size` if a trace of this number of nodes cannot have the format. */
export function assertWritable(format: TraceFormat, nodes: number): void {
  if (format === 'jsonl' || format === 'shiviz') assertClockable(nodes);
  if (format === 'svg') assertDrawable(nodes, 0);
}

/** What is written of a simulation or of a counterexample. */
export interface WrittenRun {
  readonly plan: DiagramPlan & Pick<Plan, 'nodes' | 'store'>;
  readonly records: () => readonly TraceRecord<Happening>[];
  readonly traceLines: () => Iterable<string>;
}

/** The whole text of a trace in one format. Throws LabError `job.size` for one that is too large. */
export function writtenTrace(
  { plan, records: recordsOf, traceLines }: WrittenRun,
  format: TraceFormat,
): string {
  const records = recordsOf();
  switch (format) {
    case 'jsonl': {
      const [header = ''] = traceLines();
      return [header, ...clockedLines(records, plan.nodes, plan)].join('');
    }
    case 'jsonl-bare':
      return [...traceLines()].join('');
    case 'shiviz':
      return [...shivizLines(records, plan.nodes, plan)].join('');
    case 'svg':
      return spaceTimeSvg(plan, records);
    case 'txt':
      assertPrintable(plan, plan.view?.count ?? records.length);
      return diagram(plan, records);
    default:
      return format satisfies never;
  }
}

/**
 * The lines of the records that are shown, each with the node of the event (null for an event of the network) and its
 * vector clock in the whole trace: the components above 0, keys ascending. The store has a number, too. Throws LabError
 * `job.size`. Among many records that are not shown there are empty lines.
 */
export function* clockedLines(
  records: Iterable<TraceRecord<Happening>>,
  nodes: number,
  { store = null, view }: WrittenPart = {},
): Generator<string, void, undefined> {
  const events = vectorClocks(records, nodes, { store });
  const names = Array.from({ length: store ?? nodes }, (_, index) => String(index + 1));
  const written = createClockWriter(names);
  let hidden = 0;
  for (const { record, node, clock } of events) {
    if (view?.shows(record) === false) {
      hidden += 1;
      if (hidden % PART_RECORDS === 0) yield '';
      continue;
    }
    const members = JSON.stringify({ ...record, node }).slice(0, -1);
    yield `${members},"clock":${written(clock)}}\n`;
  }
}

/** About 100 MB of lines. */
export const PRINTED_CELLS_LIMIT = 10_000_000;

/** Every record is a row, and every node and the store a column, of the diagram in plain text. */
function assertPrintable({ nodes, store }: Pick<Plan, 'nodes' | 'store'>, records: number): void {
  if ((store ?? nodes) * records <= PRINTED_CELLS_LIMIT) return;
  const detail = `a diagram in plain text has ${PRINTED_CELLS_LIMIT} cells at most, not ${records} records of ${nodes} nodes; elect among fewer nodes`;
  throw new LabError('job.size', detail);
}
