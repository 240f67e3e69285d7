/**
 * @module
 * The numbers of what an engine has done. They give the number of events, which is that of the records of a
 * trace, without a trace. Deliveries cost one addition, as before.
 */

export class EventCounts {
  delivered = 0;
  /** Messages that were lost in the network or at a node that was down. */
  dropped = 0;
  /** Copies that the network made. */
  duplicated = 0;
  sent = 0;
  /** Starts, timers, answered choices, and what came from outside or from a detector. */
  protected others = 0;

  /** Number of records that a trace of the run so far has. */
  get events(): number {
    return this.delivered + this.dropped + this.duplicated + this.others;
  }
}
