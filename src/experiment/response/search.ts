/**
 * @module
 * The search for the best of several responses by pilot runs. All responses play under the same seeds, so that
 * they are compared under the same random numbers. Either those go on to further runs that are not clearly worse
 * than the best one, or the better half of many does (successive halving, Jamieson and Talwalkar 2016). A response
 * replaces the naive one only if it reaches its aim clearly more often in the same runs, so that the choice is never worse than the
 * naive response there. The number of runs follows from messages and wins alone, never from the time they take.
 */

/** Pilot runs of a candidate. Null if one of them is refused. */
export type Pilot<T> = (candidate: T, range: PilotRange) => Played | null;

export interface PilotRange {
  readonly from: number;
  readonly count: number;
}

export interface Played {
  /** Runs in which the aim is reached. */
  readonly wins: number;
  /** Messages of these runs. */
  readonly messages: number;
}

/** Whether all candidates go on that are not clearly worse than the best one, or the better half. */
export type Effort = 'exhaustive' | 'halving';

export interface Found<T> {
  readonly best: T;
  /** Pilot runs of the best one, and those in which it reached its aim. */
  readonly runs: number;
  readonly wins: number;
  /** The naive one in as many runs. */
  readonly naiveWins: number;
  readonly refused: readonly T[];
  /** The others that reached their aim at least as often in as many runs. */
  readonly rivals: readonly T[];
}

/** Runs of each candidate in a round, and in the first of halving. */
const FIRST_RUNS = 4;
/** Runs after which the last candidates are compared. */
const RUNS_MAX = 32;
/** Runs of each candidate before the work matters, and before an exhaustive search leaves one out. */
export const RUNS_MIN = 8;
/** Runs after which a naive response that won all of them is kept: few lucky runs do not show that none is better. */
const PERFECT_RUNS = 16;
/** Messages after which no further round begins. A run also costs as much as some hundreds of messages. */
const WORK_MAX = 300_000;
const RUN_MESSAGES = 300;

interface Standing<T> {
  readonly candidate: T;
  readonly wins: number;
}

/** Finds the best candidate. The first one is the naive one. Equal candidates keep their order. */
export function findBest<T>(
  candidates: readonly [T, ...T[]],
  pilot: Pilot<T>,
  effort: Effort = 'halving',
): Found<T> {
  const [naive] = candidates;
  const refused: T[] = [];
  let standing: readonly Standing<T>[] = candidates.map((candidate) => ({ candidate, wins: 0 }));
  let [runs, work] = [0, 0];
  while (runs < RUNS_MAX && standing.length > 1) {
    const wanted = effort === 'exhaustive' ? FIRST_RUNS : Math.max(FIRST_RUNS, runs);
    const count = Math.min(wanted, RUNS_MAX - runs);
    standing = standing.flatMap(({ candidate, wins }) => {
      const more = pilot(candidate, { from: runs, count });
      if (more === null) {
        refused.push(candidate);
        return [];
      }
      work += more.messages + count * RUN_MESSAGES;
      return [{ candidate, wins: wins + more.wins }];
    });
    runs += count;
    const naiveWins = winsOf(standing, naive);
    // Without the naive response there is nothing to compare with.
    if (naiveWins === null || (naiveWins === runs && runs >= PERFECT_RUNS)) break;
    const good = runs < RUNS_MIN ? standing : withoutWorse(standing, naive, runs);
    if (runs >= RUNS_MIN && (isClear(good, runs) || work > WORK_MAX)) break;
    if (runs < RUNS_MAX) standing = effort === 'halving' ? betterHalf(standing, naive) : good;
  }
  return chosenFrom(standing, naive, { runs, refused });
}

function chosenFrom<T>(
  standing: readonly Standing<T>[],
  naive: T,
  { runs, refused }: Pick<Found<T>, 'runs' | 'refused'>,
): Found<T> {
  const naiveWins = winsOf(standing, naive);
  const [first] = ranked(standing);
  const isReplaced =
    first !== undefined && naiveWins !== null && first.wins - naiveWins >= deviation(runs);
  const { candidate: best, wins } = isReplaced ? first : { candidate: naive, wins: naiveWins ?? 0 };
  const rivals = standing.filter((each) => each.candidate !== best && each.wins >= wins);
  return {
    best,
    runs,
    wins,
    naiveWins: naiveWins ?? 0,
    refused,
    rivals: naiveWins === null ? [] : rivals.map(({ candidate }) => candidate),
  };
}

/** The naive one, and those that are not clearly worse than the best one. */
function withoutWorse<T>(
  standing: readonly Standing<T>[],
  naive: T,
  runs: number,
): readonly Standing<T>[] {
  const most = Math.max(...standing.map(({ wins }) => wins));
  return standing.filter(
    ({ candidate, wins }) => candidate === naive || most - wins < 2 * deviation(runs),
  );
}

/** Whether the naive one alone remains, or one that is far better. */
function isClear<T>(standing: readonly Standing<T>[], runs: number): boolean {
  const [first, second, ...others] = standing;
  if (first === undefined || second === undefined) return true;
  return others.length === 0 && Math.abs(first.wins - second.wins) >= 2 * deviation(runs);
}

/** One standard error of the difference of two numbers of wins, at most. */
function deviation(runs: number): number {
  return Math.sqrt(runs / 2);
}

function winsOf<T>(standing: readonly Standing<T>[], wanted: T): number | null {
  return standing.find(({ candidate }) => candidate === wanted)?.wins ?? null;
}

/** The better half, and the naive one, in their order. */
function betterHalf<T>(standing: readonly Standing<T>[], naive: T): readonly Standing<T>[] {
  const kept = ranked(standing).slice(0, Math.ceil(standing.length / 2));
  return standing.filter((each) => each.candidate === naive || kept.includes(each));
}

function ranked<T>(standing: readonly Standing<T>[]): readonly Standing<T>[] {
  return standing.toSorted((left, right) => right.wins - left.wins);
}
