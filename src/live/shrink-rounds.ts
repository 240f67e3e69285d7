/**
 * @module
 * Delta debugging of the faults of live nodes: fewer and shorter faults with which a fresh cluster still fails. A trial is a
 * run in real time, which need not fail each time with the same faults. A failure that a trial has shown is certain; that
 * a fault is needed is not.
 */

import type { LiveFault, LiveRound } from './nemesis.ts';
import { shortened } from './nemesis.ts';

export interface ShrunkRounds {
  /** The shortest that a trial has shown to fail; null if none has failed. */
  readonly rounds: readonly LiveRound[] | null;
  readonly trials: number;
  /** Whether no fault could be left out or shortened; false if the limit or the user has ended the search. */
  readonly isMinimal: boolean;
}

interface Search {
  readonly trialsMax: number;
  readonly signal: AbortSignal;
  readonly fails: (rounds: readonly LiveRound[]) => Promise<boolean>;
}

/** How often rounds are tried before they count as rounds that do not fail: the first ones, and each part of them. */
const FIRST_TRIES = 4;
const TRIES = 2;

/** Shrinks rounds, the last of which has failed. */
export async function shrinkRounds(
  rounds: readonly LiveRound[],
  search: Search,
): Promise<ShrunkRounds> {
  const shrinking = new Shrinking(search);
  for (let last = 1; !shrinking.hasFailed && shrinking.mayGoOn; last *= 2) {
    await shrinking.improve(rounds.slice(-last), FIRST_TRIES);
    if (last >= rounds.length) break;
  }
  let isMinimal = false;
  while (shrinking.hasFailed && !isMinimal && shrinking.mayGoOn) {
    const isFewer = await shrinking.leaveOut();
    const isShorter = await shrinking.shorten();
    isMinimal = !isFewer && !isShorter;
  }
  const { best, trials, mayGoOn } = shrinking;
  return { rounds: shrinking.hasFailed ? best : null, trials, isMinimal: isMinimal && mayGoOn };
}

class Shrinking {
  hasFailed = false;
  trials = 0;
  /** The shortest rounds that have failed. */
  best: readonly LiveRound[] = [];
  readonly #search: Search;

  constructor(search: Search) {
    this.#search = search;
  }

  get mayGoOn(): boolean {
    const { trialsMax, signal } = this.#search;
    return this.trials < trialsMax && !signal.aborted;
  }

  /** Whether the candidate fails in one of its tries. */
  async improve(candidate: readonly LiveRound[], tries = TRIES): Promise<boolean> {
    for (let left = tries; left > 0 && this.mayGoOn; left -= 1) {
      this.trials += 1;
      if (!(await this.#search.fails(candidate)) || this.#search.signal.aborted) continue;
      this.best = candidate.filter((round) => round.length > 0);
      this.hasFailed = true;
      return true;
    }
    return false;
  }

  /** Leaves out half of the faults, then a quarter of them, and so on to single ones. Whether any could be. */
  async leaveOut(): Promise<boolean> {
    let isFewer = false;
    let size = countOf(this.best);
    do {
      size = Math.ceil(size / 2);
      // From the end, so that leaving some out does not move those that are still to be tried.
      for (let end = countOf(this.best); end > 0 && countOf(this.best) > 1; end -= size) {
        const isOut = (index: number) => index >= end - size && index < end;
        const candidate = changed(this.best, (fault, index) => (isOut(index) ? null : fault));
        if (candidate.flat().length > 0 && (await this.improve(candidate))) isFewer = true;
      }
    } while (size > 1);
    return isFewer;
  }

  /** Halves the time of each fault while it still fails. Whether any could be. */
  async shorten(): Promise<boolean> {
    let isShorter = false;
    for (let index = 0; index < countOf(this.best); index += 1) {
      for (;;) {
        const fault = this.best.flat()[index];
        const shorter = fault === undefined ? null : shortened(fault);
        if (shorter === null) break;
        const candidate = changed(this.best, (each, at) => (at === index ? shorter : each));
        if (!(await this.improve(candidate))) break;
        isShorter = true;
      }
    }
    return isShorter;
  }
}

function countOf(rounds: readonly LiveRound[]): number {
  return rounds.flat().length;
}

/** The rounds with faults that are changed or, with null, left out. The index counts all faults. */
function changed(
  rounds: readonly LiveRound[],
  change: (fault: LiveFault, index: number) => LiveFault | null,
): readonly LiveRound[] {
  let index = -1;
  return rounds.map((round) =>
    round.flatMap((fault) => {
      index += 1;
      return change(fault, index) ?? [];
    }),
  );
}
