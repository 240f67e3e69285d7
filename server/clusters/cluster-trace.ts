/**
 * @module
 * The trace of a cluster so far in the forms of the trace of an election, from the events that the nodes have reported. Nodes
 * have the numbers of the cluster. Ranks that no node has share one more number, which is the last.
 */

import type { Json } from '../../src/election/machine.ts';
import type { LiveTraceRecord } from '../../src/runtime/live/cluster/live-events.ts';
import { ranksAsNumbers } from '../../src/runtime/live/rank-names.ts';
import type { TraceRecord } from '../../src/simulation/engine/trace.ts';
import { traceLines } from '../../src/simulation/engine/trace.ts';
import { shivizLines } from '../../src/simulation/report/shiviz.ts';
import type { DiagramPlan } from '../../src/simulation/report/space-time/layout.ts';
import { assertDrawable, spaceTimeLines } from '../../src/simulation/report/space-time/svg.ts';
import { clockedLines } from '../../src/simulation/report/trace-formats.ts';
import type { TraceType } from '../streams/trace-forms.ts';
import type { LiveCluster } from './live-cluster.ts';

/** Throws LabError `job.size` for a diagram of too many events. */
export function clusterTraceLines(cluster: LiveCluster, type: TraceType): Iterable<string> {
  const { settings, feed, id } = cluster;
  const { protocol, nodes: founders, timing } = settings;
  const states = cluster.snapshot().nodes;
  const known = Math.max(founders, states.length);
  const read = withPhantom(feed.records, known + 1);
  const nodes = read.hasPhantom ? known + 1 : known;
  const numbers = Array.from({ length: nodes }, (_, index) => index + 1);
  const absent = numbers.slice(founders);
  const { records } = read;
  if (type === 'text/plain') return shivizLines(records, nodes, null);
  if (type === 'image/svg+xml') {
    assertDrawable(nodes, records.length);
    const byzantine = states.flatMap(({ node, behaviours }) =>
      behaviours.length > 0 ? { rank: node } : [],
    );
    const plan: DiagramPlan = {
      ...{ protocol, nodeOrder: numbers, crashedBefore: [], absent, byzantine },
    };
    return spaceTimeLines(plan, records);
  }
  const options = {
    ...{ live: true, cluster: id, protocol, nodes, latencyMs: timing.latencyTicksMax, absent },
    ...(read.hasPhantom ? { phantoms: [nodes] } : {}),
  };
  return jsonLines(options, records, nodes);
}

function* jsonLines(
  options: Readonly<Record<string, unknown>>,
  records: readonly TraceRecord[],
  nodes: number,
): Generator<string, void, undefined> {
  yield* traceLines({ trace: 'usurp/trace/v1', options }, []);
  yield* clockedLines(records, nodes);
}

/** The records as those of a simulation. Ranks that no node has become this number. */
function withPhantom(
  records: readonly LiveTraceRecord[],
  phantom: number,
): { readonly records: readonly TraceRecord[]; readonly hasPhantom: boolean } {
  let hasPhantom = false;
  const named = (): number => {
    hasPhantom = true;
    return phantom;
  };
  const convert = ranksAsNumbers((rank) => (RANK.test(rank) ? named() : undefined));
  const converted = records.map(({ seq, t, action, effects }): TraceRecord => {
    const isUnknown = 'node' in action && action.node === 0;
    const acting = isUnknown ? { ...action, node: named() } : action;
    const numbered = convert(effects as unknown as Json); // They are JSON.
    // Effects whose ranks were replaced are effects.
    const replaced = numbered as unknown as TraceRecord['effects'];
    return { seq, t, action: acting, effects: replaced };
  });
  return { records: converted, hasPhantom };
}

const RANK = /^[0-9a-f]{64}$/;
