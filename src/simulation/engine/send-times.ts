/**
 * @module
 * The tick at which each message was sent. Messages are numbered in the order of sending. Therefore the
 * first number of each tick is enough, and sending costs nothing.
 */

export interface SendTimes {
  /** At the tick `now`, `sent` messages have been sent so far. Ticks never decrease. */
  note(now: number, sent: number): void;
  /** The tick at which a message was sent; null for a copy. */
  sentAt(id: number): number | null;
}

export function createSendTimes(): SendTimes {
  /** The first number that a message of a tick can have, both ascending, without ticks that sent nothing. */
  const firsts: number[] = [0];
  const ticks: number[] = [0];
  const indexOf = (id: number) => {
    let low = 0;
    let high = firsts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((firsts[middle] ?? 0) <= id) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  };
  return {
    note(now, sent) {
      const last = firsts.length - 1;
      if (ticks[last] === now) return;
      // An equal number means that the tick before sent nothing.
      if (firsts[last] === sent) ticks[last] = now;
      else {
        firsts.push(sent);
        ticks.push(now);
      }
    },
    sentAt: (id) => (id < 0 ? null : (ticks[indexOf(id)] ?? null)),
  };
}
