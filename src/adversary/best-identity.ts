/**
 * @module
 * The search for the best identity that a budget pays for, under a policy with a dynamic puzzle. The best key is to be
 * better than those of rivals that are not known yet. To solve each key would waste most of the budget, so only the best
 * one is solved, and it is begun when more keys are no longer worth the time that they take from its solution. After
 * it, the rest of the budget seeks a better one. A solution takes a geometric number of attempts, and a key is better
 * than n rivals with probability uⁿ if it is better than the share u of all keys.
 */

import type { PlainVerifier } from '../identity/keys/scheme.ts';
import { isTimeSpent } from '../mining/ledger.ts';
import { winProbability } from '../mining/odds.ts';
import type { Ending, MiningTask, PhaseState } from '../mining/phases.ts';
import { costOf, hasSpares, isSpare, phaseStep, SEARCH_NOT_BEGUN } from '../mining/phases.ts';
import { realBits, solutionHashes } from '../mining/policy-cost.ts';
import type { Clocks, MiningResult, Tools } from '../mining/search.ts';
import { runPhase, settle, stocked, stopwatch } from '../mining/search.ts';
import { DYNAMIC_STRATEGIES } from '../mining/solution.ts';
import { scanner } from '../mining/strategies.ts';
import type { Hit, KernelSource } from '../mining/strategy.ts';
import { NO_KERNELS } from '../mining/strategy.ts';
import { Winners } from '../mining/winners.ts';

/** The identities that the best one is to beat. They are not known yet. */
export interface Rivalry {
  readonly rivals: number;
  /** The share of all admitted IDs that are better than this one, 0..1. */
  shareAbove(nodeId: Uint8Array): number;
}

/** Searches for the best identity, one at most. The goal of the task is not used. */
export function mineBest(
  asked: MiningTask,
  rivalry: Rivalry,
  clocks: Clocks,
  kernels: KernelSource = NO_KERNELS,
  plain: PlainVerifier | null = null,
): MiningResult {
  const task = stocked({ ...asked, goal: { type: 'any' } }, kernels, SEARCH_NOT_BEGUN);
  const tools = {
    scan: scanner(task, kernels),
    spent: stopwatch(clocks, SEARCH_NOT_BEGUN),
  };
  const search = new BestSearch(task, rivalry, tools);
  const { state, ending, spare } = search.run();
  const ended = { ...SEARCH_NOT_BEGUN, ...state, ...tools.spent() };
  return settle(task, ended, ending, { plain, spare });
}

/** A valid key, and the probability that it beats all rivals. */
interface Key extends Hit {
  readonly wins: number;
}

/**
 * The hashes that are left when the best key is begun to be solved. With b hashes left, X of it is found with probability
 * q(b) = 1 − e^(−b/s). More keys add `gain` per hash to its value `worth`, and cost q′(b) of it. Both are equal at this
 * b. Infinity if no key can be better.
 */
export function hashesForSolution(
  worth: number,
  { gain, solving }: { readonly gain: number; readonly solving: number },
): number {
  return solving === 0 ? 0 : solving * Math.log1p(worth / (solving * gain));
}

/** Below this product of share and rivals the differences of `expectedGain` lose their digits. */
const CANCELLING = 1e-4;

/**
 * How much a drawn key is expected to add to the probability to beat n rivals, if the share d of all keys is better than
 * the best one: the integral of (1 − t)ⁿ − (1 − d)ⁿ over t from 0 to d.
 */
export function expectedGain(share: number, rivals: number): number {
  if (share * rivals < CANCELLING) return (rivals * share ** 2) / 2;
  const below = 1 - share;
  return (1 - below ** (rivals + 1)) / (rivals + 1) - below ** rivals * share;
}

/** One search. A class, because it changes with each key. */
class BestSearch {
  readonly #task: MiningTask;
  readonly #rivalry: Rivalry;
  readonly #tools: Tools;
  /** Expected hashes of one solution, and valid keys per hash. */
  readonly #solving: number;
  readonly #density: number;
  /** Numbers below this one were sought, as far as the budget is concerned. */
  #tested = 0;
  /** Numbers below this one were scanned. The valid keys from #tested on are ahead. */
  #scanned = 0;
  #ahead: Hit[] = [];
  #best: Key | null = null;
  #solved: { readonly key: Key; readonly solution: PhaseState } | null = null;
  /** The Y that serves all keys. */
  #shared: PhaseState | null = null;
  /** The ID of a key that serves all. */
  #spare: Uint8Array | null = null;
  /** Attempts for X of keys that are not the result. */
  #tried = 0;

  constructor(task: MiningTask, rivalry: Rivalry, tools: Tools) {
    this.#task = task;
    this.#rivalry = rivalry;
    this.#tools = tools;
    this.#solving = solutionHashes(task.policy) * 2 ** realBits(task.policy).c2;
    this.#density = winProbability(task.policy, { type: 'any' }) / costOf(task).hashes;
  }

  run() {
    const { isShared } = DYNAMIC_STRATEGIES[this.#task.dynamicStrategy];
    let ending = isShared && !hasSpares(this.#task) ? this.#solve(null) : null;
    while (ending === null) {
      const limit = this.#keyLimit();
      if (limit > this.#tested) ending = this.#seek(limit);
      else if (this.#isSolvingBetter()) ending = this.#solve(isShared ? null : this.#best);
      else ending = 'attempts';
    }
    const solutions = this.#solutions();
    const winners = this.#winners();
    const overshoot = this.#scanned - this.#tested;
    const state = { keys: { tested: this.#tested, winners }, solutions, overshoot };
    return { state, ending, spare: this.#spare };
  }

  #winners(): readonly number[] {
    const key = this.#isServed() ? this.#best : this.#solved?.key;
    return key ? [key.attempt] : [];
  }

  /** The search for the result comes last, so that it is the only one with a winner. */
  #solutions(): readonly PhaseState[] {
    const last = this.#shared ?? this.#solved?.solution;
    const others = { tested: this.#tried, winners: [] };
    return last === undefined || last === null ? [others] : [others, last];
  }

  #hashesSpent(): number {
    const solved = (this.#shared ?? this.#solved?.solution)?.tested ?? 0;
    const { policy } = this.#task;
    return (
      costOf(this.#task).hashes * this.#tested + solutionHashes(policy) * (this.#tried + solved)
    );
  }

  #countedLeft(): number {
    return (this.#task.budget.hashes ?? Number.POSITIVE_INFINITY) - this.#hashesSpent();
  }

  /** The hashes that the budget has left. Seconds are converted at the rate so far. */
  #hashesLeft(): number {
    const { cpuSeconds, wallSeconds } = this.#task.budget;
    const hashes = this.#hashesSpent();
    const used = this.#tools.spent();
    const timed = [
      [cpuSeconds, used.cpuSeconds],
      [wallSeconds, used.wallSeconds],
    ] as const;
    const left = timed.map(([seconds, spent]) =>
      seconds === undefined || hashes === 0 || spent === 0
        ? Number.POSITIVE_INFINITY
        : ((seconds - spent) * hashes) / spent,
    );
    return Math.min(this.#countedLeft(), ...left);
  }

  #isSolvingBetter(): boolean {
    return !this.#isServed() && this.#best !== null && this.#worth(this.#best) > 0;
  }

  /** Whether it has a solution for all keys. */
  #isServed(): boolean {
    return this.#shared !== null || this.#spare !== null;
  }

  /** What the key adds to the result so far. */
  #worth({ wins }: Key): number {
    return wins - (this.#solved?.key.wins ?? 0);
  }

  /** The first number that is not to be sought before the best key is solved. */
  #keyLimit(): number {
    const { attempts = Number.POSITIVE_INFINITY } = this.#task.budget;
    const cost = costOf(this.#task).hashes;
    const stock = this.#task.stock?.length ?? Number.POSITIVE_INFINITY;
    const spare = this.#hashesLeft() - this.#reserve();
    const affordable = spare > 0 ? Math.floor(spare / cost) : 0;
    return Math.min(attempts, stock, this.#tested + affordable);
  }

  #reserve(): number {
    const key = this.#best;
    if (key === null || !this.#isSolvingBetter()) return 0;
    // A stock has its best key first.
    if (this.#task.stock !== undefined) return Number.POSITIVE_INFINITY;
    const { rivals } = this.#rivalry;
    const gain = this.#density * expectedGain(this.#rivalry.shareAbove(key.nodeId), rivals);
    return hashesForSolution(this.#worth(key), { gain, solving: this.#solving });
  }

  /** Goes on to the next valid key below the limit, or to the end of what one scan has seen. */
  #seek(limit: number): Ending | null {
    if (this.#ahead.length === 0 && this.#scanned < limit) {
      if (isTimeSpent(this.#task.budget, this.#tools.spent())) return 'time';
      const left = limit - this.#scanned;
      const count = Math.min(phaseStep(this.#task, { type: 'keys' }), left);
      const order = { from: this.#scanned, count, wanted: Number.POSITIVE_INFINITY };
      const { hits, tested } = this.#tools.scan({ type: 'keys' }, order);
      this.#ahead = [...hits];
      this.#scanned += tested;
    }
    const [next] = this.#ahead;
    if (next === undefined || next.attempt >= limit) {
      this.#tested = Math.min(limit, this.#scanned);
      return null;
    }
    this.#ahead.shift();
    this.#tested = next.attempt + 1;
    const wins = (1 - this.#rivalry.shareAbove(next.nodeId)) ** this.#rivalry.rivals;
    if (this.#best === null || wins > this.#best.wins) this.#best = { ...next, wins };
    const isServing = hasSpares(this.#task) && !this.#isServed();
    if (isServing && isSpare(this.#task, next.nodeId)) this.#spare = next.nodeId;
    return null;
  }

  /** Searches for X of the key, or for the Y that serves all keys. */
  #solve(key: Key | null): Ending | null {
    const task = this.#task;
    const { searchedId } = DYNAMIC_STRATEGIES[task.dynamicStrategy];
    const nodeId = searchedId(key?.nodeId ?? new Uint8Array(task.policy.idBits / 8), task.seed);
    const each = solutionHashes(task.policy);
    const left = each === 0 ? Number.POSITIVE_INFINITY : this.#countedLeft();
    const order = {
      phase: { type: 'solutions', nodeId },
      begun: { tested: 0, winners: [] },
      wanted: 1,
      limit: Math.floor(left / Math.max(each, 1)),
    } as const;
    const winners = new Winners(task, order);
    const { ending, ...solution } = runPhase({ task, order, winners, ...this.#tools });
    if (ending !== 'found') {
      this.#tried += solution.tested;
      return ending;
    }
    if (key === null) this.#shared = solution;
    else {
      this.#tried += this.#solved?.solution.tested ?? 0;
      this.#solved = { key, solution };
    }
    return null;
  }
}
