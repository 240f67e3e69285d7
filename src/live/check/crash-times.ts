/**
 * @module
 * When nodes crashed. A log has a crash when its node is back. The controller of a cluster knows when a process ended, also
 * that of a node that did not return. Without a controller the crash is right after the last step before it.
 */

import type { LiveRecord } from '../node-record.ts';

/** The end of a process; `stop` if it ended with its cluster, which is no crash unless the node returns. */
export interface ProcessEnd {
  readonly t: number;
  readonly type: 'end' | 'stop';
}

/** The records with the times of crashes, and with the crash of a node that did not return. */
export function withCrashTimes(
  records: readonly LiveRecord[],
  ends: readonly ProcessEnd[],
): readonly LiveRecord[] {
  const timed = records.map((record, index) => {
    const before = records[index - 1];
    if (record.event.type !== 'crash' || before === undefined) return record;
    const end = ends.findLast(({ t }) => t >= before.t && t <= record.t);
    return { ...record, t: end?.t ?? before.t };
  });
  const last = records.at(-1);
  const end = last && ends.find(({ t, type }) => type === 'end' && t >= last.t);
  if (last === undefined || end === undefined) return timed;
  return [...timed, { t: end.t, event: { type: 'crash' }, effects: [], clock: last.clock }];
}
