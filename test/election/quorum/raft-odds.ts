/**
 * @module
 * The probability of a split vote in Raft, in closed form. f = n−1 followers begin their election
 * time-outs together when the leader dies, all messages take equally long, every log is fit. The first
 * candidate gets the vote of each node whose time-out is later than its request. The other nodes vote
 * for themselves, and with more than f−q of them no node has a majority q = ⌊n/2⌋+1. Derived here, after
 * the argument of D. Ongaro and J. Ousterhout, USENIX ATC 2014, section 9.3.
 */

export interface UniformTimeouts {
  /** Members, the dead leader included. */
  readonly members: number;
  /** Latency divided by the range from which time-outs are drawn, 0..1. */
  readonly delta: number;
}

export interface TickTimeouts {
  readonly members: number;
  /** Number of ticks from which time-outs are drawn. */
  readonly spreadTicks: number;
  /**
   * Number of ticks, the candidate's own included, in which other time-outs can end before its request
   * arrives. 1 if it arrives within the tick.
   */
  readonly openTicks: number;
}

/** P(split) = P(M > f−q), P(M = m) = C(f,m)·δᵐ·(1−δ)^(f−m) for m ≤ f−2, the rest in m = f−1. */
export function splitVoteProbability({ members, delta }: UniformTimeouts): number {
  assertMembers(members);
  if (!(delta >= 0 && delta <= 1)) throw new RangeError(`"delta" expected 0..1, got ${delta}`);
  const followers = members - 1;
  let won = 0;
  for (let rivals = 0; rivals <= followers - majority(members); rivals += 1) {
    won += choose(followers, rivals) * delta ** rivals * (1 - delta) ** (followers - rivals);
  }
  return 1 - won;
}

/** Mean number of elections until one is not split: 1/(1−P), if they are independent. */
export function meanElections(splitProbability: number): number {
  return 1 / (1 - splitProbability);
}

/** Number of choices of f time-outs that split the vote, and of all choices. Exact to 2^53. */
export function splitVoteChoices(timeouts: TickTimeouts): {
  readonly split: number;
  readonly all: number;
} {
  const { members, spreadTicks, openTicks } = timeouts;
  assertMembers(members);
  const followers = members - 1;
  const all = spreadTicks ** followers;
  if (!(Number.isSafeInteger(all) && spreadTicks >= 1)) {
    throw new RangeError(`"spreadTicks" expected 1.. and few, got ${spreadTicks}`);
  }
  // The first candidate and its rivals.
  const early = followers - majority(members) + 2;
  let split = 0;
  for (let first = 0; first < spreadTicks; first += 1) {
    const open = Math.min(openTicks, spreadTicks - first);
    const later = spreadTicks - first - open;
    for (let chosen = early; chosen <= followers; chosen += 1) {
      // All choices from `first` on, less those in which no node chose `first`.
      const combinations = open ** chosen - (open - 1) ** chosen;
      split += choose(followers, chosen) * combinations * later ** (followers - chosen);
    }
  }
  return { split, all };
}

function majority(members: number): number {
  return Math.floor(members / 2) + 1;
}

function choose(from: number, count: number): number {
  let combinations = 1;
  for (let index = 1; index <= count; index += 1)
    combinations = (combinations * (from - count + index)) / index;
  return combinations;
}

/** Two members cannot elect without the dead one. */
function assertMembers(members: number): void {
  if (Number.isSafeInteger(members) && members >= 3) return;
  throw new RangeError(`"members" expected 3.., got ${members}`);
}
