/**
 * @module
 * The trace of live nodes in the formats of the simulator: JSON lines with vector clocks, ShiViz, and diagrams. Its nodes
 * are numbered by ID, since the model compares the numbers; the header has the numbers of the cluster beside them.
 */

import type { TraceHeader } from '../../simulation/engine/trace.ts';
import { traceLines } from '../../simulation/engine/trace.ts';
import type { WrittenRun } from '../../simulation/report/trace-formats.ts';
import type { TraceSelection, TraceView } from '../../simulation/trace/view.ts';
import { viewOf, WHOLE_TRACE } from '../../simulation/trace/view.ts';
import { withDisturbances } from './disturbances.ts';
import type { CheckedLogs } from './log-check.ts';

/**
 * The steps that the model has taken and what the controller did, as a run that can be written, or a part of it. Throws
 * LabError `arguments` if the part is empty.
 */
export function clockedTrace(
  checked: CheckedLogs,
  selection: TraceSelection = WHOLE_TRACE,
): WrittenRun & { readonly plan: { readonly view: TraceView } } {
  const { protocol, network, election, latencyMs, store, numbers, adversaries } = checked;
  const heard = checked.logs.flatMap(({ isByzantine, isCut, position }) =>
    isByzantine || isCut ? [] : position,
  );
  const known = { disturbances: checked.disturbances, store, heard };
  const records = withDisturbances(checked.replayed.records, known);
  const view = viewOf(records, selection);
  const { ring, peers } = network;
  const byzantine = checked.logs.flatMap(({ isByzantine, position }) =>
    isByzantine ? { rank: position } : [],
  );
  const nodes = peers.length;
  const absent = peers.flatMap(({ isFounder, position }) => (isFounder ? [] : position));
  const phantoms = peers.flatMap(({ isPhantom, position }) => (isPhantom ? position : []));
  const header: TraceHeader = {
    trace: 'usurp/trace/v1',
    options: {
      live: true,
      protocol,
      nodes,
      ring,
      election,
      latencyMs,
      absent,
      ...(phantoms.length > 0 ? { phantoms } : {}),
      ...(adversaries.length > 0 ? { adversaries } : {}),
      numbers,
      ...(view.count < records.length ? { part: selection } : {}),
    },
  };
  return {
    plan: {
      protocol,
      nodes,
      nodeOrder: ring,
      store,
      crashedBefore: [],
      absent,
      byzantine,
      adversaries,
      isLive: true,
      view,
    },
    records: () => records,
    traceLines: () => traceLines(header, records),
  };
}
