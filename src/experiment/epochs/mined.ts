/**
 * @module
 * Identities over epochs that are really made: honest nodes mine in every window, and the adversary makes keys and
 * tests them under the puzzle of each epoch. It follows the same plans and pays the same prices as drawn identities.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '../../bytes.ts';
import { LabError } from '../../errors.ts';
import { rankKeyOf, rankRuleOf } from '../../identity/ids/rank-key.ts';
import type { PlainVerifier, SchemeName } from '../../identity/keys/scheme.ts';
import type { Policy } from '../../identity/policy.ts';
import { SEARCH_NOT_BEGUN } from '../../mining/phases.ts';
import type { Clocks } from '../../mining/search.ts';
import { mine } from '../../mining/search.ts';
import { countedBits } from '../../mining/sieve.ts';
import { hitAt, packHits } from '../../mining/stock.ts';
import { stockpileStrategy, stockScanner } from '../../mining/stockpile.ts';
import { HONEST_DYNAMIC_STRATEGY, HONEST_STRATEGY } from '../../mining/strategies.ts';
import type { KernelSource, SearchSpec } from '../../mining/strategy.ts';
import type { Seed } from '../../random.ts';
import { deriveSeed } from '../../random.ts';
import {
  isPuzzleSalted,
  NO_WORK,
  testsOthers,
  useOfWindow,
  wantedAbove,
} from '../theory/epoch-conduct.ts';
import type { EpochPlan } from './epochs.ts';
import { forgerPlanOf } from './epochs.ts';
import type { Finds, ForgerPlan, Identities, Region, Window } from './forger.ts';
import { seenFrom } from './forger.ts';
import { Purse, searchAbove } from './purse.ts';

/** Keys of an adversary in one run. More of them do not fit in memory. */
const MINED_KEYS_MAX = 2 ** 22;

/** An adversary that saves its budget makes keys one by one, until it has enough. */
const SAVING_STEP = 1;

interface Key {
  readonly nodeId: Uint8Array;
  readonly depth: number;
}

/** What identities need from outside. */
interface Means {
  readonly clocks: Clocks;
  readonly kernels: KernelSource;
  readonly plain?: PlainVerifier | null;
}

/** What makes and tests keys under the rules of a network. */
interface Workshop extends Means {
  /** The search for one identity under the puzzle of a window. */
  specAt(window: Pick<Window, 'epoch' | 'difficultyBits'>, seed: Seed): SearchSpec;
}

/** The identities of a network with these rules, for `work: mined`. */
export function minedIdentities(
  { scheme, ...rules }: Policy & { readonly scheme: SchemeName },
  services: Means,
): (plan: EpochPlan, seed: Seed) => Identities {
  return (plan, seed) => {
    const isSalted = isPuzzleSalted(plan.salt);
    const specAt: Workshop['specAt'] = ({ epoch, difficultyBits }, own) => {
      const bound = isSalted ? { salted: true, epoch } : {};
      const policy = { ...rules, ...bound, c1: difficultyBits };
      const strategies = { strategy: HONEST_STRATEGY, dynamicStrategy: HONEST_DYNAMIC_STRATEGY };
      return { scheme, policy, goal: { type: 'any' }, ...strategies, seed: own };
    };
    const { clocks, kernels, plain = null } = services;
    const miner = new Miner(forgerPlanOf(plan), seed, { ...services, specAt });
    return {
      applications: (window) => (node) => () => {
        const spec = specAt(window, deriveSeed(seed, 'honest', window.epoch, node));
        const most = plan.honest.testsPerWindow;
        if (most === 0) return { spent: NO_WORK, identity: null };
        const budget = most === null ? {} : { attempts: most };
        const found = mine({ ...spec, budget }, clocks, kernels, SEARCH_NOT_BEGUN, plain);
        const { attempts, hashes, cpuSeconds } = found.ledger;
        const spent = { attempts, hashes, keys: attempts, cpuSeconds };
        if (found.identity === null) return { spent, identity: null };
        const { nodeId } = found.identity.claim;
        const bits = countedBits(spec.policy, nodeId);
        return { spent, identity: { ...keyOf(nodeId, spec.policy), bits } };
      },
      forger: (window) => miner.forge(window),
      underBeacon(epoch, beacon) {
        const label = ['usurp/epoch-beacon/v1', seed, epoch, beacon].join('\0');
        const rule = { type: 'salted', beacon: sha256(utf8ToBytes(label)) } as const;
        return ({ nodeId }) => {
          if (nodeId === undefined) throw new TypeError('"nodeId" expected one, got none');
          return depthOf(rankKeyOf(nodeId, rule));
        };
      },
    };
  };
}

function keyOf(nodeId: Uint8Array, policy: Policy): Key {
  return { nodeId, depth: depthOf(rankKeyOf(nodeId, rankRuleOf(policy))) };
}

/** The share of all rank keys that are higher, from the bytes that a double can hold. */
function depthOf(rankKey: Uint8Array): number {
  return rankKey.subarray(0, 6).reduceRight((sum, byte) => (sum + 255 - byte) / 256, 0);
}

function isWithin(region: Region): (key: Key) => boolean {
  return ({ depth }) => seenFrom(region, depth) < region.share;
}

/** The keys in a region. The keys closest to its beginning come first. */
function fromTop(keys: readonly Key[], region: Region): readonly Key[] {
  const distance = ({ depth }: Key) => seenFrom(region, depth);
  return keys.filter(isWithin(region)).toSorted((one, other) => distance(one) - distance(other));
}

/** An adversary that makes its keys. */
class Miner {
  readonly #plan: ForgerPlan;
  readonly #seed: Seed;
  readonly #workshop: Workshop;
  readonly #isKeeping: boolean;
  /** All keys whose puzzle was tested, if it is not salted, or all keys without a claim, in the order of making. */
  #keys: Key[] = [];
  /** Untested keys. Always empty if the puzzle is salted. */
  #untested: Key[] = [];
  /** Keys that were presented, by their numbers. */
  readonly #presented: Key[] = [];
  #claimed: readonly number[] = [];
  #made = 0;
  #scan: ReturnType<typeof stockScanner> | null = null;
  /** Hashes for a key that the next window ends, if the puzzle is not salted. */
  #begun = 0;

  constructor(plan: ForgerPlan, seed: Seed, workshop: Workshop) {
    this.#plan = plan;
    this.#seed = seed;
    this.#workshop = workshop;
    this.#isKeeping = !isPuzzleSalted(plan.salt) || plan.conduct.plan !== 'fresh';
  }

  forge(window: Window): Finds {
    const { clocks } = this.#workshop;
    const began = clocks.cpuSeconds();
    if (window.epoch === 0 && this.#isKeeping)
      this.#keys = this.#make(this.#plan.stockKeys, window);
    const isSalted = isPuzzleSalted(this.#plan.salt);
    const { candidates, work } = isSalted ? this.#solve(window) : this.#grind(window);
    return { candidates, work: { ...work, cpuSeconds: clocks.cpuSeconds() - began } };
  }

  /** A puzzle without a salt: each key is tested once, and stays valid. */
  #grind(window: Window): Finds {
    const { hashes: prices } = this.#plan.conduct;
    const price = prices.perKey + prices.perPuzzle;
    const { budget } = window;
    const purse = new Purse({ ...budget, hashes: budget.hashes + this.#begun }, prices);
    if (useOfWindow(this.#plan, window.epoch) === 'above') {
      const valid = this.#valid(this.#keys, window).filter(isWithin(window.region));
      const wanted = wantedAbove(this.#plan, window.epoch) - valid.length;
      const kept = this.#test(fromTop(this.#untested, window.region), window, purse, wanted);
      const tested = new Set(kept.tested);
      this.#untested = this.#untested.filter((key) => !tested.has(key));
      this.#keys.push(...kept.tested);
      this.#searchAbove(purse, window, wanted - kept.valid.length);
    } else {
      const fresh = purse.affordable(price);
      purse.pay({ made: fresh, tested: fresh });
      this.#keys.push(...this.#make(fresh, window));
    }
    this.#begun = purse.left.hashes < price ? purse.left.hashes : 0;
    const known = new Map(this.#presented.map((key, number) => [key, number]));
    const candidates = this.#valid(this.#keys, window).flatMap((key) => {
      const before = known.get(key);
      if (before !== undefined && window.registered.has(before)) return [];
      const number = before ?? this.#presented.push(key) - 1;
      return [{ key: number, ...key, bits: this.#bitsOf(key, window) }];
    });
    return { candidates, work: purse.spent };
  }

  /** A salted puzzle: each window has another puzzle for every key. */
  #solve(window: Window): Finds {
    const { plan: keys, wants, hashes: prices } = this.#plan.conduct;
    const purse = new Purse(window.budget, prices);
    const expired = this.#claimed.filter((number) => !window.registered.has(number));
    if (this.#isKeeping)
      this.#keys.push(...expired.flatMap((number) => this.#presented[number] ?? []));
    this.#claimed = this.#claimed.filter((number) => window.registered.has(number));
    const use = useOfWindow(this.#plan, window.epoch);
    const found: Key[] = [];
    if (use === 'above') {
      const claims = this.#claimed.flatMap((number) => this.#presented[number] ?? []);
      const own = claims.filter(isWithin(window.region));
      const wanted = wantedAbove(this.#plan, window.epoch) - own.length;
      found.push(...this.#test(fromTop(this.#keys, window.region), window, purse, wanted).valid);
      found.push(...this.#searchAbove(purse, window, wanted - found.length));
    }
    const { wanted: most = Number.POSITIVE_INFINITY } = window;
    const isSaving = window.wanted !== undefined;
    if (use === 'all' && keys !== 'fresh') {
      const isOrdered = wants === 'top' && this.#plan.salt === 'puzzle';
      const kept = isOrdered ? fromTop(this.#keys, { share: 1, origin: null }) : this.#keys;
      found.push(...this.#test(kept, window, purse, most).valid);
    }
    // If attempts alone are bounded, the test of a new key costs nothing more.
    if (use === 'all' || (use === 'hoard' && prices.perWindow === Number.POSITIVE_INFINITY)) {
      const step = isSaving ? SAVING_STEP : Number.POSITIVE_INFINITY;
      for (;;) {
        const count = Math.min(step, purse.affordable(prices.perKey + prices.perPuzzle));
        if (count < 1 || found.length >= most) break;
        const made = this.#make(count, window);
        purse.pay({ made: count, tested: count });
        found.push(...this.#valid(made, window));
        if (this.#isKeeping) this.#keys.push(...made);
      }
    }
    if (this.#isKeeping && !isSaving) {
      const made = this.#make(purse.affordable(prices.perKey), window);
      purse.pay({ made: made.length });
      this.#keys.push(...made);
    }
    const candidates = found.map((key) => {
      return { key: this.#presented.push(key) - 1, ...key };
    });
    this.#claimed = [...this.#claimed, ...candidates.map(({ key }) => key)];
    const valid = new Set(found);
    this.#keys = this.#keys.filter((key) => !valid.has(key));
    return { candidates, work: purse.spent };
  }

  /** Tests kept keys in their order until enough of them are valid. */
  #test(keys: readonly Key[], window: Window, purse: Purse, wanted = Number.POSITIVE_INFINITY) {
    if (wanted < 1) return { tested: [], valid: [] };
    const payable = keys.slice(0, purse.affordable(this.#plan.conduct.hashes.perPuzzle));
    const valid = this.#valid(payable, window, wanted);
    const last = valid.at(-1);
    const isEnough = valid.length === wanted && last !== undefined;
    const tested = isEnough ? payable.slice(0, payable.indexOf(last) + 1) : payable;
    purse.pay({ tested: tested.length });
    return { tested, valid };
  }

  /** Makes keys, and tests those above the honest IDs, until enough of them are valid. Returns the valid ones. */
  #searchAbove(purse: Purse, window: Window, wanted: number): readonly Key[] {
    const found: Key[] = [];
    const isSalted = isPuzzleSalted(this.#plan.salt);
    const make = (count: number) => {
      const made = this.#make(count, window);
      const isAbove = isWithin(window.region);
      const above = made.filter(isAbove);
      const valid = this.#valid(above, window);
      const others = () => made.filter((key) => !isAbove(key));
      if (isSalted && testsOthers(this.#plan)) found.push(...this.#valid(others(), window));
      this.#keys.push(...(isSalted ? made : above));
      // Keys with lower IDs may matter after an honest node has left.
      const isKept = this.#plan.isChanging && !isSalted;
      if (isKept) this.#untested.push(...others());
      found.push(...valid);
      return { above: above.length, valid: valid.length };
    };
    searchAbove(purse, { wanted, prices: this.#plan.conduct.hashes, make });
    return found;
  }

  #bitsOf({ nodeId }: Key, window: Window): number {
    return countedBits(this.#workshop.specAt(window, this.#seed).policy, nodeId);
  }

  #make(count: number, window: Window): Key[] {
    if (count === 0) return [];
    if (this.#made + count > MINED_KEYS_MAX) {
      const detail = `the adversary would make more than ${MINED_KEYS_MAX} keys in a run; lower its budget or its stockpile, or write work: sampled`;
      throw new LabError('job.size', detail);
    }
    const { specAt, kernels } = this.#workshop;
    const spec = specAt({ ...window, difficultyBits: 0 }, deriveSeed(this.#seed, 'adversary'));
    // The keys do not depend on the window.
    this.#scan ??= stockScanner({ ...spec, strategy: 'siblings' }, kernels);
    const { keys } = this.#scan({ from: this.#made, count });
    this.#made += count;
    return Array.from({ length: keys.length }, (_, index) =>
      keyOf(hitAt(keys, index).nodeId, spec.policy),
    );
  }

  /** The keys whose puzzle of this window is solved, in their order, up to the number that is wanted. */
  #valid(keys: readonly Key[], window: Window, wanted = Number.POSITIVE_INFINITY): readonly Key[] {
    if (keys.length === 0 || wanted < 1) return [];
    const { specAt, kernels } = this.#workshop;
    const spec = specAt(window, this.#seed);
    const stock = packHits(keys.map(({ nodeId }, attempt) => ({ attempt, nodeId })));
    const searcher = stockpileStrategy.searcher({ ...spec, stock }, kernels);
    const { hits } = searcher.scan({ from: 0, count: keys.length, wanted });
    return hits.flatMap(({ attempt }) => keys[attempt] ?? []);
  }
}
