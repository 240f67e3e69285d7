/**
 * @module
 * The search for the best of several responses by pilot runs. All responses play under the same seeds, so that
 * they are compared under the same random numbers. Among many, the better half goes on to further runs
 * (successive halving, Jamieson and Talwalkar 2016). A response replaces the naive one only if it reaches its aim
 * clearly more often in the same runs, so that the choice is never worse than the naive response there.
 */

/** Pilot runs. `wins` counts the runs in which the aim is reached, or is null if one of them is refused. */
export type Pilot<T> = (candidate: T, range: PilotRange) => number | null;

export interface PilotRange {
  readonly from: number;
  readonly count: number;
}

export interface Found<T> {
  readonly best: T;
  /** Pilot runs of the best one, and those in which it reached its aim. */
  readonly runs: number;
  readonly wins: number;
  /** The naive one in as many runs. */
  readonly naiveWins: number;
  readonly refused: readonly T[];
}

/** Runs of each candidate in the first round. */
const FIRST_RUNS = 4;
/** Runs after which the last candidates are compared. */
const RUNS_MAX = 32;

interface Standing<T> {
  readonly candidate: T;
  readonly wins: number;
}

/** Finds the best candidate. The first one is the naive one. Equal candidates keep their order. */
export function findBest<T>([naive, ...others]: readonly [T, ...T[]], pilot: Pilot<T>): Found<T> {
  const refused: T[] = [];
  let standing: readonly Standing<T>[] = [naive, ...others].map((candidate) => {
    return { candidate, wins: 0 };
  });
  let runs = 0;
  while (runs < RUNS_MAX && standing.length > 1) {
    const count = Math.max(FIRST_RUNS, Math.min(runs, RUNS_MAX - runs));
    standing = standing.flatMap(({ candidate, wins }) => {
      const more = pilot(candidate, { from: runs, count });
      if (more !== null) return [{ candidate, wins: wins + more }];
      refused.push(candidate);
      return [];
    });
    runs += count;
    // No response can be better than one that always reaches its aim.
    if (standing[0]?.candidate === naive && standing[0].wins === runs) break;
    if (runs < RUNS_MAX) standing = betterHalf(standing, naive);
  }
  const naiveWins = standing.find(({ candidate }) => candidate === naive)?.wins ?? 0;
  const [first] = ranked(standing);
  // One standard error of the difference of two frequencies, at most.
  if (first === undefined || first.wins - naiveWins < Math.sqrt(runs / 2)) {
    return { best: naive, runs, wins: naiveWins, naiveWins, refused };
  }
  return { best: first.candidate, runs, wins: first.wins, naiveWins, refused };
}

/** The better half, and the naive one, in their order. */
function betterHalf<T>(standing: readonly Standing<T>[], naive: T): readonly Standing<T>[] {
  const kept = ranked(standing).slice(0, Math.ceil(standing.length / 2));
  return standing.filter((each) => each.candidate === naive || kept.includes(each));
}

function ranked<T>(standing: readonly Standing<T>[]): readonly Standing<T>[] {
  return standing.toSorted((left, right) => right.wins - left.wins);
}
