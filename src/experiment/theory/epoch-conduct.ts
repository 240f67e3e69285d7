/**
 * @module
 * How an adversary spends its budget over epochs: its plan for keys, what it wants and when, and what its
 * windows can pay for. Simulation and closed forms share these definitions, and no arithmetic of odds.
 */

/** What the beacon of an epoch salts. */
export const SALTS = ['none', 'puzzle', 'rank', 'both'] as const;

export type Salt = (typeof SALTS)[number];

export function isPuzzleSalted(salt: Salt): boolean {
  return salt === 'puzzle' || salt === 'both';
}

export function isRankSalted(salt: Salt): boolean {
  return salt === 'rank' || salt === 'both';
}

/** What an adversary does with the keys that it has made, each with its meaning. */
export const KEY_PLANS = {
  fresh: 'it makes new keys in every window and tests each of them once',
  retest:
    'it keeps every key, valid or not, and tests the kept keys again in the next window, the highest ID first if IDs decide, then new keys',
  informed:
    'it keeps every key, and spends its budget when the honest IDs of the window are known: it tests kept keys above all of them, or right after the victim, then new keys, of which it drops all others before the puzzle',
  sparing:
    'it tests keys as in retest, and registers as many as make it most likely to lead more epochs than its share of the identities, if ranks are drawn',
  inflating:
    'it tests keys as in retest, and registers as many as make the difficulty highest for honest nodes in the last windows; it keeps the others, or the rest of a saved budget, for later ones',
} as const;

export type KeyPlan = keyof typeof KEY_PLANS;

/** The keys of an object are strings to the compiler: hence the `as`. */
export const KEY_PLAN_NAMES = Object.keys(KEY_PLANS) as readonly KeyPlan[];

/** What happens to the budget that a window leaves over. */
export const UNSPENT = ['lost', 'saved'] as const;

export interface Conduct {
  readonly plan: KeyPlan;
  /** The highest ranks, those after a victim on the ring, or as many claims as possible. */
  readonly wants: 'top' | 'successors' | 'many';
  /** Whether only the last epoch matters, or each of them. */
  readonly when: 'last' | 'each';
  /** The number of these ranks that it wants. */
  readonly count: number;
  readonly unspent: (typeof UNSPENT)[number];
  /** How it divides a saved budget if only the last epoch matters. By default equally among the windows that count. */
  readonly division?: Division | undefined;
  readonly hashes: {
    /** Hash evaluations of a window, or its time in hashes. Infinity if they are not bounded. */
    readonly perWindow: number;
    /** What a new key takes of it: its evaluations, or their time and that of its group operations. */
    readonly perKey: number;
    /** Evaluations for the ID of a new key. */
    readonly perId: number;
    /** Evaluations for the puzzle of one key. */
    readonly perPuzzle: number;
  };
}

/** Parts of a saved budget. */
export interface Division {
  /** Share for keys that are made before claims count in the last epoch. */
  readonly early: number;
  /** Number of last windows among which the rest is divided equally. */
  readonly windows: number;
}

/** The parts of a plan of epochs that decide what a window can pay for. */
export interface Spending {
  readonly epochs: number;
  readonly salt: Salt;
  /** Epochs in which a claim counts. Null for all. */
  readonly lifetimeEpochs: number | null;
  /** Keys that can be made or tested in one window. Infinity if hashes alone bound them. */
  readonly windowTests: number;
  readonly conduct: Conduct;
  /** Whether honest nodes leave or join after the first epoch, so that later honest IDs are not known before. */
  readonly isChanging: boolean;
}

/** An amount of work. A key that is made, tested or both is one attempt. The hashes of a budget can be their time. */
export interface Work {
  readonly attempts: number;
  readonly hashes: number;
}

/** Work that was done. */
export interface Spent extends Work {
  /** Attempts that made a new key. */
  readonly keys: number;
  /** Measured. 0 if identities are drawn. */
  readonly cpuSeconds: number;
}

export const NO_WORK: Spent = { attempts: 0, hashes: 0, keys: 0, cpuSeconds: 0 };

export function addWork(one: Spent, other: Spent): Spent {
  return {
    attempts: one.attempts + other.attempts,
    hashes: one.hashes + other.hashes,
    keys: one.keys + other.keys,
    cpuSeconds: one.cpuSeconds + other.cpuSeconds,
  };
}

/** A value of all honest nodes together, and of the adversary. */
export type Sides<T> = Readonly<Record<'honest' | 'adversary', T>>;

/** The function of two values, for each side. */
export function bySide<A, B, C>(
  one: Sides<A>,
  other: Sides<B>,
  combine: (one: A, other: B) => C,
): Sides<C> {
  return {
    honest: combine(one.honest, other.honest),
    adversary: combine(one.adversary, other.adversary),
  };
}

/** The budget of the window of an epoch. Saved budget is divided among windows if only the last epoch matters. */
export function windowBudget(plan: Spending, epoch: number): Work {
  const { epochs, windowTests, conduct } = plan;
  const { early, windows } = conduct.division ?? equalDivision(plan);
  const before = epochs - countingWindows(plan);
  const isEarly = early > 0 && epoch < before;
  const index = epoch - (epochs - windows);
  const part = (amount: number) => {
    if (!isEarly && index < 0) return 0;
    if (amount === Number.POSITIVE_INFINITY) return amount;
    const kept = Math.floor(early * epochs * amount);
    return isEarly ? share(kept, before, epoch) : share(epochs * amount - kept, windows, index);
  };
  return { attempts: part(windowTests), hashes: part(conduct.hashes.perWindow) };
}

/** The part of an amount that is divided equally, in whole numbers. */
function share(amount: number, parts: number, index: number): number {
  const until = (count: number) => Math.floor((count * amount) / parts);
  return until(index + 1) - until(index);
}

/** The division among the windows whose claims count, or for the last one if honest IDs are known only then. */
function equalDivision(plan: Spending): Division {
  const { unspent, when } = plan.conduct;
  const isSaved = unspent === 'saved' && when === 'last';
  // If honest nodes leave and join, the IDs that matter are known in the last window.
  if (isSaved && plan.isChanging && isAimed(plan)) return { early: 0, windows: 1 };
  const isMoved = isSaved && isPuzzleSalted(plan.salt);
  return { early: 0, windows: isMoved ? countingWindows(plan) : plan.epochs };
}

/** Whether it tests only keys whose IDs matter, as far as it knows them. */
export function isAimed({ salt, conduct }: Spending): boolean {
  return conduct.plan === 'informed' && conduct.wants !== 'many' && !isRankSalted(salt);
}

/** The number of windows whose claims count in the last epoch, if a claim is not renewed. */
export function countingWindows({ epochs, lifetimeEpochs }: Spending): number {
  return Math.min(lifetimeEpochs ?? epochs, epochs);
}

/** Number of keys that an amount of work pays for, each at this number of hashes. */
export function affordable({ attempts, hashes }: Work, hashesEach: number): number {
  return Math.floor(Math.min(attempts, hashesEach === 0 ? attempts : hashes / hashesEach));
}

/**
 * What a window is for. `hoard`: no claim of it counts when it matters, so that it only makes keys. `above`: the
 * honest IDs that matter are known, so that only keys above them, or after the victim, are tested. `all`: every claim is
 * an advantage.
 */
export function useOfWindow(plan: Spending, epoch: number): 'hoard' | 'above' | 'all' {
  const { epochs, salt, lifetimeEpochs: lifetime, conduct } = plan;
  const { plan: keys, when } = conduct;
  const last = epochs - 1;
  if (keys === 'fresh') return 'all';
  if (when === 'last' && isPuzzleSalted(salt) && lifetime !== null && epoch + lifetime <= last) {
    return 'hoard';
  }
  // Honest nodes register again together, when their claims expire.
  const generation = (at: number) => (lifetime === null ? 0 : Math.floor(at / lifetime));
  // If honest nodes leave and join, their present IDs are the best estimate of those in the last epoch. If tests cost nothing
  // and stay valid, the adversary needs no estimate and tests every key.
  const isGuessed = isPuzzleSalted(salt) || conduct.hashes.perWindow < Number.POSITIVE_INFINITY;
  const isOfLast = plan.isChanging
    ? epoch === last || isGuessed
    : salt === 'none' || generation(epoch) === generation(last);
  const isKnown = when === 'each' || isOfLast;
  return isAimed(plan) && isKnown ? 'above' : 'all';
}

/**
 * Whether the adversary also tests a new key whose ID does not matter yet. The test is free if only attempts are bounded.
 * The claim may matter in the last epoch, because honest nodes leave.
 */
export function testsOthers({ conduct: { hashes, when }, isChanging }: Spending): boolean {
  return isChanging && when === 'last' && hashes.perWindow === Number.POSITIVE_INFINITY;
}

/**
 * The number of own IDs above every honest one after which an adversary ends its work in a window. If later honest nodes
 * can have higher IDs, it spends all of its budget, because a higher one of its own may still decide.
 */
export function wantedAbove({ epochs, conduct, isChanging }: Spending, epoch: number): number {
  const isLater = isChanging && conduct.when === 'last' && epoch < epochs - 1;
  return isLater ? Number.POSITIVE_INFINITY : conduct.count;
}
