/**
 * @module
 * The trace of live nodes in the formats of the simulator: JSON lines with vector clocks, ShiViz, and diagrams.
 */

import type { ProtocolName } from '../../election/registry.ts';
import type { TraceHeader } from '../../simulation/engine/trace.ts';
import { traceLines } from '../../simulation/engine/trace.ts';
import type { WrittenRun } from '../../simulation/report/trace-formats.ts';
import type { ReplayedLogs } from './live-trace.ts';
import type { Network } from './peers.ts';

/** What was run. */
interface LiveRun {
  readonly protocol: ProtocolName;
  readonly network: Network;
  readonly latencyMs: number;
}

/** The steps that the model has taken, as a run that can be written. */
export function clockedTrace(
  { protocol, network, latencyMs }: LiveRun,
  { records }: Pick<ReplayedLogs, 'records'>,
): WrittenRun {
  const nodes = network.peers.length;
  const { ring, election } = network;
  const header: TraceHeader = {
    trace: 'usurp/trace/v1',
    options: { live: true, protocol, nodes, ring, election, latencyMs },
  };
  return {
    plan: { protocol, nodes, nodeOrder: ring, store: null, crashedBefore: [], absent: [] },
    records: () => records,
    traceLines: () => traceLines(header, records),
  };
}
