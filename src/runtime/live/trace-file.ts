/**
 * @module
 * The trace of live nodes in the formats of the simulator: JSON lines with vector clocks, ShiViz, and diagrams.
 */

import type { TraceHeader } from '../../simulation/engine/trace.ts';
import { traceLines } from '../../simulation/engine/trace.ts';
import type { WrittenRun } from '../../simulation/report/trace-formats.ts';
import type { CheckedLogs } from './log-check.ts';

/** The steps that the model has taken, as a run that can be written. */
export function clockedTrace(checked: CheckedLogs): WrittenRun {
  const { protocol, network, latencyMs, store, replayed } = checked;
  const nodes = network.peers.length;
  const { ring, election, peers } = network;
  const absent = peers.flatMap(({ isFounder, position }) => (isFounder ? [] : position));
  const header: TraceHeader = {
    trace: 'usurp/trace/v1',
    options: { live: true, protocol, nodes, ring, election, latencyMs, absent },
  };
  return {
    plan: { protocol, nodes, nodeOrder: ring, store, crashedBefore: [], absent },
    records: () => replayed.records,
    traceLines: () => traceLines(header, replayed.records),
  };
}
