/**
 * @module
 * The trace of a cluster so far in the forms of the trace of an election, from the events that the nodes have reported. Nodes
 * have the numbers of the cluster. Ranks that no node has share one more number, which is the last.
 */

import type { Json } from '../../src/election/machine.ts';
import { LabError } from '../../src/errors.ts';
import type { LiveTraceRecord } from '../../src/live/cluster/live-events.ts';
import { ranksAsNumbers } from '../../src/live/rank-names.ts';
import type { Happening, TraceRecord } from '../../src/simulation/engine/trace.ts';
import { traceLines } from '../../src/simulation/engine/trace.ts';
import { shivizLines } from '../../src/simulation/report/shiviz.ts';
import type { DiagramPlan } from '../../src/simulation/report/space-time/layout.ts';
import { assertDrawable, spaceTimeLines } from '../../src/simulation/report/space-time/svg.ts';
import { clockedLines } from '../../src/simulation/report/trace-formats.ts';
import type { TraceSelection, TraceView } from '../../src/simulation/trace/view.ts';
import { assertInTime, PART_RECORDS, viewParts } from '../../src/simulation/trace/view.ts';
import type { TraceType } from '../streams/trace-forms.ts';
import type { LiveCluster } from './live-cluster.ts';

/**
 * Prepares the lines in short parts. Throws LabError `job.size` for a diagram of too many events, `arguments` for a part without an event or of a node that is
 * not there.
 */
export function* clusterTraceLines(
  cluster: LiveCluster,
  type: TraceType,
  selection: TraceSelection,
): Generator<void, Iterable<string>, void> {
  const { settings, feed, id } = cluster;
  const { protocol, nodes: founders, timing } = settings;
  const states = cluster.snapshot().nodes;
  const known = Math.max(founders, states.length);
  const missing = selection.nodes?.find((node) => node > known);
  if (missing !== undefined) {
    throw new LabError('arguments', `there is no node ${missing}; the nodes are 1..${known}`);
  }
  assertInTime(feed.records, selection);
  const read = yield* numbered(feed.records, known + 1);
  const nodes = read.hasPhantom ? known + 1 : known;
  const numbers = Array.from({ length: nodes }, (_, index) => index + 1);
  const absent = numbers.slice(founders);
  const { records } = read;
  const view = yield* viewParts(records, selection);
  if (type === 'text/plain') return shivizLines(records, nodes, { view });
  const adversaries = states.flatMap(({ node, isAdversary }) => (isAdversary ? node : []));
  if (type === 'image/svg+xml') {
    const byzantine = states.flatMap(({ node, behaviours }) =>
      behaviours.length > 0 ? { rank: node } : [],
    );
    const plan: DiagramPlan = {
      ...{ protocol, nodeOrder: numbers, crashedBefore: [], absent, byzantine },
      ...{ adversaries, isLive: true, view },
    };
    assertDrawable(view.nodes?.length ?? nodes, view.count, plan);
    return spaceTimeLines(plan, records);
  }
  const options = {
    ...{ live: true, cluster: id, protocol, nodes, latencyMs: timing.latencyTicksMax, absent },
    ...(read.hasPhantom ? { phantoms: [nodes] } : {}),
    ...(adversaries.length > 0 ? { adversaries } : {}),
    ...(view.count < records.length ? { part: selection } : {}),
  };
  return jsonLines(options, records, nodes, view);
}

function* jsonLines(
  options: Readonly<Record<string, unknown>>,
  records: readonly TraceRecord<Happening>[],
  nodes: number,
  view: TraceView,
): Generator<string, void, undefined> {
  yield* traceLines({ trace: 'usurp/trace/v1', options }, []);
  yield* clockedLines(records, nodes, { view });
}

interface Numbered {
  readonly records: readonly TraceRecord<Happening>[];
  readonly hasPhantom: boolean;
}

interface Kept {
  readonly records: WeakRef<Numbered['records']>;
  readonly hasPhantom: boolean;
  readonly phantom: number;
}

/** The last result for the records of each cluster. It exists as long as an answer uses it. */
const NUMBERED = new WeakMap<readonly LiveTraceRecord[], Kept>();

/** The records as those of a simulation. Ranks that no node has become this number. */
function* numbered(
  records: readonly LiveTraceRecord[],
  phantom: number,
): Generator<void, Numbered, void> {
  const kept = NUMBERED.get(records);
  const before = kept?.phantom === phantom ? kept.records.deref() : undefined;
  if (kept !== undefined && before?.length === records.length) {
    return { records: before, hasPhantom: kept.hasPhantom };
  }
  let hasPhantom = false;
  const named = (): number => {
    hasPhantom = true;
    return phantom;
  };
  const convert = ranksAsNumbers((rank) => (RANK.test(rank) ? named() : undefined));
  const converted: TraceRecord<Happening>[] = [];
  // Others are added meanwhile.
  for (const { seq, t, action, effects } of records.slice()) {
    const isUnknown = 'node' in action && action.node === 0;
    const acting = isUnknown ? { ...action, node: named() } : action;
    const effectsAsJson = convert(effects as unknown as Json); // They are JSON.
    // Effects whose ranks were replaced are effects.
    const replaced = effectsAsJson as unknown as TraceRecord['effects'];
    const count = converted.push({ seq, t, action: acting, effects: replaced });
    if (count % PART_RECORDS === 0) yield;
  }
  NUMBERED.set(records, { records: new WeakRef(converted), hasPhantom, phantom });
  return { records: converted, hasPhantom };
}

const RANK = /^[0-9a-f]{64}$/;
