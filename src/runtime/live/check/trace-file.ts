/**
 * @module
 * The trace of live nodes in the formats of the simulator: JSON lines with vector clocks, ShiViz, and diagrams. Its nodes
 * are numbered by ID, since the model compares the numbers; the header has the numbers of the cluster beside them.
 */

import type { TraceHeader } from '../../../simulation/engine/trace.ts';
import { traceLines } from '../../../simulation/engine/trace.ts';
import type { WrittenRun } from '../../../simulation/report/trace-formats.ts';
import type { CheckedLogs } from './log-check.ts';

/** The steps that the model has taken, as a run that can be written. */
export function clockedTrace(checked: CheckedLogs): WrittenRun {
  const { protocol, network, election, latencyMs, store, numbers, replayed } = checked;
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
      ...{ live: true, protocol, nodes, ring, election, latencyMs, absent },
      ...(phantoms.length > 0 ? { phantoms } : {}),
      numbers,
    },
  };
  return {
    plan: { protocol, nodes, nodeOrder: ring, store, crashedBefore: [], absent, byzantine },
    records: () => replayed.records,
    traceLines: () => traceLines(header, replayed.records),
  };
}
