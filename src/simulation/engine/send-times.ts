/**
 * @module
 * When each message was sent, for who looks at those on the way. Messages are numbered as they are
 * sent, so that the numbers at which ticks began tell it, and sending costs nothing.
 */

export interface SendTimes {
  /** At the tick `now`, `sent` messages have been sent so far; ticks never go back. */
  note(now: number, sent: number): void;
  /** The tick at which a message was sent; null for a copy. */
  sentAt(id: number): number | null;
}

export function createSendTimes(): SendTimes {
  /** The first message that can have been sent at a tick, both ascending; no tick without one. */
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
      // Nothing was sent at the tick before.
      if (firsts[last] === sent) ticks[last] = now;
      else {
        firsts.push(sent);
        ticks.push(now);
      }
    },
    sentAt: (id) => (id < 0 ? null : (ticks[indexOf(id)] ?? null)),
  };
}
