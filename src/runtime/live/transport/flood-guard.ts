/**
 * @module
 * A bound on the messages and presentations that one connection brings in a second, which honest peers do not reach.
 */

import type { Duplex } from 'node:stream';

/** Messages of one connection in a second. A connection that brings more is closed. */
export const MESSAGES_PER_SECOND_MAX = 2_000;

/** Whether a connection has brought more messages than honest peers send. `now` is in ms. */
export function createFloodGuard(now: () => number): (connection: Duplex) => boolean {
  const counts = new WeakMap<Duplex, { since: number; count: number }>();
  return (connection) => {
    const at = now();
    const before = counts.get(connection);
    if (before === undefined || at - before.since >= 1_000) {
      counts.set(connection, { since: at, count: 1 });
      return false;
    }
    before.count += 1;
    return before.count > MESSAGES_PER_SECOND_MAX;
  };
}
