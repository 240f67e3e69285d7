/**
 * @module
 * What must hold in every run of live nodes, judged from their merged trace with the property of the checker.
 */

import { clashIn, ledIn, withPair } from '../../../checking/properties/one-leader-per-epoch.ts';
import type { ProtocolName } from '../../../election/registry.ts';
import { PROTOCOLS } from '../../../election/registry.ts';
import type { TraceRecord } from '../../../simulation/engine/trace.ts';
import { traceEvents } from '../../../simulation/trace/events.ts';

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
  let led: readonly (readonly [number, number])[] = [];
  for (const { node, record } of traceEvents(records)) {
    if (node === null) continue;
    const notes = ledIn({ rank: node, effects: record.effects });
    for (const note of notes) led = withPair(led, note);
  }
  const clash = clashIn(led);
  return clash === null ? null : { epoch: clash.number, leaders: clash.values };
}
