/**
 * @module
 * What must hold in every run of live nodes, judged from their merged trace with the property of the checker.
 */

import { ledIn } from '../../checking/properties/one-leader-per-epoch.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import type { TraceRecord } from '../../simulation/engine/trace.ts';
import { traceEvents } from '../../simulation/trace/events.ts';

/** Two nodes that led one epoch. */
export interface EpochClash {
  readonly epoch: number;
  readonly leaders: readonly [number, number];
}

/** The first epoch with two leaders; null if there is none, or if the protocol has no epochs that promise it. */
export function epochClash(
  protocol: ProtocolName,
  records: readonly TraceRecord[],
): EpochClash | null {
  if (PROTOCOLS[protocol].unique !== 'epoch') return null;
  const led = new Map<number, Set<number>>();
  for (const { node, record } of traceEvents(records)) {
    if (node === null) continue;
    for (const [epoch, leader] of ledIn({ rank: node, effects: record.effects }))
      led.set(epoch, (led.get(epoch) ?? new Set()).add(leader));
  }
  const clashes = [...led].filter(([, leaders]) => leaders.size > 1);
  const [first] = clashes.sort(([one], [other]) => one - other);
  const [low, high] = [...(first?.[1] ?? [])].sort((one, other) => one - other);
  if (first === undefined || low === undefined || high === undefined) return null;
  return { epoch: first[0], leaders: [low, high] };
}
