/**
 * @module
 * The messages of each link of a trace, counted by code that the engine does not use. They are conserved:
 * sent + duplicated = delivered + dropped + in flight.
 */

import { fromRank } from '../../src/election/world/cast.ts';
import type { TraceRecord } from '../../src/simulation/engine/trace.ts';

interface LinkCounts {
  readonly from: number;
  readonly to: number;
  sent: number;
  duplicated: number;
  delivered: number;
  dropped: number;
  inFlight: number;
}

/**
 * The messages of each used link, by sender and recipient. Throws RangeError if a message arrives, is lost or
 * is copied that is not in flight.
 */
export function countLinks(records: readonly TraceRecord[]): LinkCounts[] {
  const links = new Map<string, LinkCounts>();
  const flights = new Map<number, LinkCounts>();
  let copies = 0;
  const take = (message: number, keep = false): LinkCounts => {
    const link = flights.get(message);
    if (link === undefined)
      throw new RangeError(`"message" expected one in flight, got ${message}`);
    if (!keep) {
      flights.delete(message);
      link.inFlight -= 1;
    }
    return link;
  };
  for (const { action, dropped, effects } of records) {
    let actor = 'node' in action ? action.node : 0;
    if (action.type === 'deliver') {
      const link = take(action.message);
      if (dropped === true) link.dropped += 1;
      else link.delivered += 1;
      actor = link.to;
    } else if (action.type === 'drop') {
      take(action.message).dropped += 1;
    } else if (action.type === 'duplicate') {
      const link = take(action.message, true);
      copies += 1;
      link.duplicated += 1;
      link.inFlight += 1;
      flights.set(-copies, link);
    }
    for (const effect of effects) {
      if (effect.type !== 'send' && effect.type !== 'call') continue;
      const link = linkOf(links, actor, fromRank(effect.to));
      link.sent += 1;
      link.inFlight += 1;
      flights.set(effect.id, link);
    }
  }
  return [...links.values()].toSorted(
    (left, right) => left.from - right.from || left.to - right.to,
  );
}

function linkOf(links: Map<string, LinkCounts>, from: number, to: number): LinkCounts {
  const key = `${from}>${to}`;
  const known = links.get(key);
  if (known !== undefined) return known;
  const link = { from, to, sent: 0, duplicated: 0, delivered: 0, dropped: 0, inFlight: 0 };
  links.set(key, link);
  return link;
}
