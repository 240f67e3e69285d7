/**
 * @module
 * A race as a computation: honest nodes earn their IDs, and a forger spends its budget on keys. It runs in
 * a thread of the browser with the same search as the command line. It needs no server and keeps nothing.
 */

import { bytesToHex, compareBytes, hexToBytes } from '../../../src/bytes.ts';
import { createPopulation } from '../../../src/experiment/runs/inhabitants.ts';
import type { ClaimJson } from '../../../src/identity/claim.ts';
import { claimToJson } from '../../../src/identity/claim.ts';
import { byRank, rankKeyOf, rankRuleOf } from '../../../src/identity/ids/rank-key.ts';
import type { Policy } from '../../../src/identity/policy.ts';
import type { DeviceFacts } from '../../../src/mining/device/device.ts';
import { earnIdentities, earningObstacle } from '../../../src/mining/honest-nodes.ts';
import type { Ledger, SpentSeconds } from '../../../src/mining/ledger.ts';
import type { Ending, MiningTask, SearchState } from '../../../src/mining/phases.ts';
import { SEARCH_NOT_BEGUN, solutionsNeeded } from '../../../src/mining/phases.ts';
import type { Clocks, DeviceTools } from '../../../src/mining/search.ts';
import {
  advance,
  advanceOn,
  ledgerOf,
  settle,
  stocked,
  stopwatch,
} from '../../../src/mining/search.ts';
import { scanner, searcherOf } from '../../../src/mining/strategies.ts';
import type { KernelSource, Searcher, SearchSpec } from '../../../src/mining/strategy.ts';
import { parseSeed } from '../../../src/random.ts';
import type { RacePlan } from './plan.ts';
import { budgetOf, IDENTITIES_MAX, STOCKPILE } from './plan.ts';

/** The honest nodes of a race. */
export interface Honest {
  /** The node IDs of the network, the lowest rank first. */
  readonly nodeIds: readonly string[];
  /** Whether they have worked for their IDs. They are drawn if that would take too long. */
  readonly areEarned: boolean;
}

/** How far the search of the forger is. */
export interface Search {
  readonly ledger: Ledger;
  /** The valid IDs of the forger, in the order of their attempts. */
  readonly forged: readonly string[];
  /** The attempts up to each of them. */
  readonly foundAfter: readonly number[];
  /** The attempts up to the forged ID with the highest rank; null without an ID. */
  readonly bestAfter: number | null;
  /** The device that searches. Absent if a thread searches. */
  readonly device?: MeasuredDevice | undefined;
}

/** A device, and the rate of an honest node to compare it with. */
export interface MeasuredDevice extends DeviceFacts {
  /** Keys per second that noble makes and tests on one core of this browser. */
  readonly honestRate: number;
}

/** A device that searches in place of a thread. */
export interface RaceDevice {
  readonly measured: MeasuredDevice;
  readonly searchOf: (spec: SearchSpec) => DeviceSearch;
}

export interface DeviceSearch extends Omit<DeviceTools, 'spent'> {
  /** Time in which the device has searched so far. */
  readonly seconds: () => number;
}

/** The end of a race. */
export interface Result {
  readonly ending: Ending;
  /** The claim of the forger if its ID ranks above all honest ones; else null. */
  readonly claim: ClaimJson | null;
}

export interface Rules {
  readonly plan: RacePlan;
  readonly policy: Policy;
}

/** What is known of a race. All is null before it. */
export interface RaceState {
  /** The plan of the race, and the rules for its IDs. */
  readonly rules: Rules | null;
  readonly honest: Honest | null;
  readonly search: Search | null;
  readonly result: Result | null;
}

/** What the computation needs of its thread. */
export interface Means {
  readonly clocks: Clocks;
  readonly kernels: KernelSource;
  /** The device that searches. If it is absent, this thread searches. */
  readonly device?: RaceDevice;
}

/** Longest mining of the honest IDs. The limit of the work keeps it to a second or two. */
const EARNING_SECONDS = 30;

/** The honest nodes: those of an election over HTTP with the same policy, number of nodes and seed. */
export function honestOf({ plan, policy }: Rules, means: Means): Honest {
  const { nodes } = plan;
  const seed = parseSeed(plan.seed);
  if (policy.puzzle.function === 'hash' && earningObstacle(policy, nodes) === null) {
    const order = { policy, nodes, seed, seconds: EARNING_SECONDS };
    const earned = earnIdentities(order, { ...means, plain: null });
    if (earned !== null) {
      const claims = earned.map(({ claim }) => claim);
      const ranked = byRank(claims, rankRuleOf(policy));
      return { nodeIds: ranked.map(({ nodeId }) => bytesToHex(nodeId)), areEarned: true };
    }
  }
  return { nodeIds: createPopulation({ nodes, seed, policy }).nodeIds, areEarned: false };
}

/** The search of the forger, in parts between which a thread can report and stop. */
export class Forger {
  readonly #rules: Rules;
  readonly #clocks: Clocks;
  readonly #task: MiningTask;
  readonly #searcher: Searcher;
  readonly #scan: ReturnType<typeof scanner>;
  readonly #device: (DeviceSearch & RaceDevice) | null;
  #state: SearchState = SEARCH_NOT_BEGUN;
  #ending: Ending | null = null;
  /** The rank key and the index of its best ID. */
  #best: { readonly key: Uint8Array; readonly index: number } | null = null;
  readonly #forged: string[] = [];

  constructor(rules: Rules, means: Means) {
    const { plan, policy } = rules;
    this.#rules = rules;
    this.#clocks = means.clocks;
    const asked: MiningTask = {
      scheme: 'ed25519',
      policy,
      goal: { type: 'count', identities: IDENTITIES_MAX },
      strategy: plan.strategy,
      dynamicStrategy: 'dynamic',
      seed: parseSeed(plan.seed),
      budget: { attempts: budgetOf(plan) },
      stockpile: plan.strategy === 'stockpile' ? STOCKPILE : undefined,
    };
    this.#task = stocked(asked, means.kernels, SEARCH_NOT_BEGUN);
    this.#searcher = searcherOf(this.#task, means.kernels);
    this.#scan = scanner(this.#task, means.kernels, this.#searcher);
    const { device } = means;
    this.#device = device === undefined ? null : { ...device, ...device.searchOf(this.#task) };
  }

  /** Searches for some time on this thread. Returns whether the search is over. */
  advance(seconds: number): boolean {
    const spent = stopwatch(this.#clocks, this.#state);
    const tools = { scan: this.#scan, spent };
    return this.#goOn(advance(this.#taskFor(seconds), this.#state, tools), spent());
  }

  /** Searches for some time on the device, or on this thread if there is none. Resolves to whether the search is over. */
  async advanceOn(seconds: number): Promise<boolean> {
    const device = this.#device;
    if (device === null) return this.advance(seconds);
    const watch = stopwatch(this.#clocks, this.#state);
    const spent = () => ({ ...watch(), deviceSeconds: device.seconds() });
    const advanced = await advanceOn(this.#taskFor(seconds), this.#state, { ...device, spent });
    return this.#goOn(advanced, spent());
  }

  #taskFor(seconds: number): MiningTask {
    const wallSeconds = this.#state.wallSeconds + seconds;
    return { ...this.#task, budget: { ...this.#task.budget, wallSeconds } };
  }

  #goOn({ state, ending }: ReturnType<typeof advance>, spent: SpentSeconds): boolean {
    this.#state = { ...state, ...spent };
    this.#noteForged();
    if (ending !== 'time') this.#ending = ending;
    return ending !== 'time';
  }

  search(): Search {
    const ledger = ledgerOf(this.#task, this.#state);
    const attempt = this.#best === null ? null : this.#state.keys.winners[this.#best.index];
    return {
      ledger,
      forged: this.#forged,
      foundAfter: this.#state.keys.winners.slice(0, this.#forged.length).map((at) => at + 1),
      bestAfter: attempt === null || attempt === undefined ? null : attempt + 1,
      ...(this.#device !== null && { device: this.#device.measured }),
    };
  }

  /** The end of the race. A search that is not over was cancelled. */
  result({ nodeIds }: Honest): Result {
    const { policy } = this.#rules;
    const top = nodeIds.at(-1);
    const rule = rankRuleOf(policy);
    const best = this.#best;
    const topKey = top === undefined ? null : rankKeyOf(hexToBytes(top), rule);
    const isAhead = best !== null && topKey !== null && compareBytes(best.key, topKey) > 0;
    const claim = isAhead ? this.#claimOf(best.index) : null;
    return { ending: this.#ending ?? 'cancelled', claim };
  }

  /** Computes the IDs of the winners that are new. An ID with a dynamic puzzle counts with its solution. */
  #noteForged(): void {
    const { keys, solutions } = this.#state;
    const solved = solutions.filter(({ winners }) => winners.length > 0).length;
    const needed = solutionsNeeded(this.#task, this.#state);
    const valid = needed === 0 ? keys.winners : keys.winners.slice(0, solved);
    const rule = rankRuleOf(this.#rules.policy);
    for (const [index, attempt] of valid.entries()) {
      if (index < this.#forged.length) continue;
      const { nodeId } = this.#searcher.candidate(attempt);
      this.#forged.push(bytesToHex(nodeId));
      const key = rankKeyOf(nodeId, rule);
      if (this.#best === null || compareBytes(key, this.#best.key) > 0) this.#best = { key, index };
    }
  }

  /** The confirmed claim of one winner alone. */
  #claimOf(index: number): ClaimJson | null {
    const { keys, solutions } = this.#state;
    const alone = {
      ...this.#state,
      keys: { ...keys, winners: keys.winners.slice(index, index + 1) },
      solutions: solutions.slice(index, index + 1),
    };
    const ending = this.#ending ?? 'cancelled';
    const { identity } = settle(this.#task, alone, ending, { searcher: this.#searcher });
    return identity === null ? null : claimToJson(identity.claim);
  }
}
