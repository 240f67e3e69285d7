/**
 * @module
 * How long a run takes to agree, and how long it is without agreement after a crash of a leader. The nodes agree
 * when every live node follows the same live leader. Each tick counts as its last change leaves it.
 */

export interface Outages {
  /** The first tick at which the nodes agreed; null if they never did. */
  readonly agreementTicks: number | null;
  /** Crashes of live nodes that led themselves. Nodes that crashed before the run count as one at tick 0. */
  readonly leaderCrashes: number;
  /**
   * Ticks from a crash of a leader until the nodes agreed again, summed over the run. A crash before that is part
   * of the same outage. Null if the nodes did not agree again.
   */
  readonly downtimeTicks: number | null;
}

/** The outages of a run that begins, with or without nodes that crashed before it. */
export function createOutages(isLeaderDead: boolean) {
  let at = 0;
  let agreed = false;
  let agreementTicks: number | null = null;
  let downSince = isLeaderDead ? 0 : null;
  let leaderCrashes = isLeaderDead ? 1 : 0;
  let downtimeTicks = 0;
  const endTick = () => {
    if (!agreed) return;
    agreementTicks ??= at;
    if (downSince !== null) downtimeTicks += at - downSince;
    downSince = null;
  };
  return {
    /** Notes whether the nodes agree from `now` on, and whether the change is a crash of a leader. */
    note(now: number, isAgreed: boolean, isLeaderCrash: boolean): void {
      if (now > at) endTick();
      at = now;
      agreed = isAgreed;
      if (!isLeaderCrash) return;
      leaderCrashes += 1;
      downSince ??= now;
    },
    measured(): Outages {
      endTick();
      return {
        agreementTicks,
        leaderCrashes,
        downtimeTicks: downSince === null ? downtimeTicks : null,
      };
    },
  };
}
