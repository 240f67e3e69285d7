/**
 * @module
 * The effect of each defence on a design: the attempts of the adversary, and the rate and the time of honest
 * nodes. A beacon in puzzle and rank reduces the value of prepared keys to that of their tests in the window.
 * A memory-hard function removes the advantage of faster machines, not that of more machines. If the rank is the node ID
 * and the ID a fast hash, it protects only each ID above the honest ones: the others are dropped before the puzzle. An ID
 * that is derived from the output of the function costs an evaluation each. Under frozen membership, seconds after registration do not
 * count. A beacon in the rank alone saves no bits, but draws a new leader in every epoch.
 */

import { z } from 'zod';

import type { Forging } from '../theory/closed-forms.ts';
import { topProbability } from '../theory/closed-forms.ts';
import { keysWithin } from '../theory/filtered-odds.ts';
import { saltBits, speedUpBits } from '../theory/waiting.ts';
import type { Difficulty } from './difficulty.ts';
import { bearableDifficulty, difficultySchema, neededDifficulty } from './difficulty.ts';
import { KEYS_MAX, questionFor } from './questions.ts';
import type { DesignRequest } from './request.ts';

/** Both sides of a design under a defence. */
interface Sides {
  readonly attempts: number;
  readonly rate: number;
  readonly joinTime: number;
}

interface Defence {
  /** What it changes of the undefended sides. */
  readonly sides: (request: DesignRequest) => Partial<Sides>;
  /** Whether honest nodes mine in every epoch. */
  readonly isRepeated: boolean;
  /**
   * The probability of the event `adversary-leads`: `filtered` if IDs below the honest ones are dropped before a fast
   * puzzle, `slow` if before a slow one, `whole` if no ID can be dropped.
   */
  readonly leads: 'filtered' | 'slow' | 'whole';
  /** The effect on the adversary, in bits of difficulty. */
  readonly gainBits: (request: DesignRequest) => number;
  /** The assumptions and the cost of the defence for honest nodes. */
  readonly remark: (request: DesignRequest, at: Difficulty) => string;
}

const DEFENCES = {
  'commit-then-beacon': {
    isRepeated: true,
    leads: 'whole',
    sides: (request) => ({
      attempts: saltedTests(request),
      joinTime: inWindow(request),
    }),
    gainBits: (request) =>
      saltBits({
        keysPerSecond: adversaryRate(request),
        preparationSeconds: request.time,
        hashesPerSecond: saltedTests(request) / saltedSeconds(request),
        windowSeconds: saltedSeconds(request),
      }) + filterBits(request),
    remark: (request) =>
      `a beacon in puzzle and rank (in the puzzle alone it saves nothing): of ` +
      `${shown(request.time)} s only ${shown(saltedSeconds(request))} s in the window count, ` +
      `keys in stock are hashed ${stockText(request.stockSpeed)}; honest nodes mine in every epoch`,
  },
  'beacon-rank': {
    isRepeated: false,
    leads: 'whole',
    sides: () => ({}),
    gainBits: filterBits,
    remark: (request, { wholeBits }) => beaconRemark(request, wholeBits),
  },
  'memory-hard': {
    isRepeated: false,
    leads: 'slow',
    sides: hardSides,
    gainBits: (request) =>
      speedUpBits(request.advantage / request.hardAdvantage) +
      filterBits(request) -
      slowFilterBits(request),
    remark: (request) =>
      request.question === 'adversary-leads'
        ? `${hardText(request)}; only IDs above all honest ones are evaluated, so that it protects each evaluation and not each key`
        : hardText(request),
  },
  'memory-hard-id': {
    isRepeated: false,
    leads: 'whole',
    sides: hardSides,
    gainBits: (request) =>
      speedUpBits(request.advantage / request.hardAdvantage) + filterBits(request),
    remark: (request) =>
      `${hardText(request)}; the ID is derived from the output of the function, so that each ID costs an evaluation`,
  },
  'frozen-membership': {
    isRepeated: false,
    leads: 'filtered',
    sides: (request) => ({
      attempts: Math.floor(frozenSeconds(request) * adversaryRate(request)),
    }),
    gainBits: (request) => speedUpBits(request.time / frozenSeconds(request)),
    remark: (request) =>
      `the adversary's seconds count until registration closes: ${shown(frozenSeconds(request))} of ` +
      `${shown(request.time)}; no node joins later`,
  },
  together: {
    isRepeated: true,
    leads: 'whole',
    sides: (request) => ({
      attempts: Math.floor(slowTests(request)),
      rate: request.hardRate,
      joinTime: inWindow(request),
    }),
    gainBits: (request) =>
      speedUpBits((request.time * request.advantage * request.hardRate) / slowTests(request)) +
      filterBits(request),
    remark: () =>
      'salt, an ID made by a memory-hard function, and frozen membership at once; IDs made before the window are kept, ' +
      'and the salt costs each of them one fast hash in it, so that it saves almost nothing',
  },
} as const satisfies Readonly<Record<string, Defence>>;

export type DesignDefence = keyof typeof DEFENCES;

/** The keys of an object are strings to the compiler: hence the `as`. */
export const DESIGN_DEFENCES = Object.keys(DEFENCES) as readonly DesignDefence[];

export const defenceEffectSchema = z.object({
  defence: z.enum(DESIGN_DEFENCES),
  /** The effect on the adversary, in bits of difficulty. */
  gainBits: z.number(),
  needed: difficultySchema,
  /** Null if honest nodes have no time for one attempt. */
  bearable: difficultySchema.nullable(),
  /** Affordable real bits minus needed real bits. */
  spareBits: z.number().nullable(),
  /** Under this defence. */
  isPossible: z.boolean(),
  /** The assumptions and the cost of the defence for honest nodes. */
  remark: z.string(),
});

export type DefenceEffect = Readonly<z.output<typeof defenceEffectSchema>>;

/** What honest nodes pay for under a defence. */
export function defenceCharges(name: DesignDefence, request: DesignRequest) {
  const { sides, isRepeated }: Defence = DEFENCES[name];
  const { rate = request.rate } = sides(request);
  return { rate, isRepeated };
}

/** Attempts of the adversary without any defence. */
export function attemptsOf(request: DesignRequest): number {
  return Math.floor(request.time * adversaryRate(request));
}

/** Whether a whole number of bits is enough and affordable. */
export function isPossible(needed: Difficulty, bearable: Difficulty | null): boolean {
  return bearable !== null && needed.wholeBits <= bearable.wholeBits;
}

/** The effect of each defence, and last of all that save bits together. */
export function defenceEffects(request: DesignRequest): readonly DefenceEffect[] {
  const { epsilon, nodes: honest, joinQuantile, rate, joinTime } = request;
  const undefended = { attempts: attemptsOf(request), rate, joinTime };
  return DESIGN_DEFENCES.map((defence) => {
    const { sides, gainBits, remark, leads }: Defence = DEFENCES[defence];
    const { attempts, ...bearing } = { ...undefended, ...sides(request) };
    const probabilityOf = probabilityUnder(request, leads);
    const needed = neededDifficulty({ probabilityOf, honest, attempts, epsilon });
    const bearable = bearableDifficulty({ ...bearing, joinQuantile });
    return {
      defence,
      gainBits: gainBits(request),
      needed,
      bearable,
      spareBits: bearable === null ? null : bearable.realBits - needed.realBits,
      isPossible: isPossible(needed, bearable),
      remark: remark(request, bearable ?? needed),
    };
  });
}

/** The probability of the question's event under a defence. */
function probabilityUnder(
  request: DesignRequest,
  leads: Defence['leads'],
): (forging: Forging) => number {
  const { probability, probabilityDrawn = probability } = questionFor(request.question);
  const isLed = request.question === 'adversary-leads';
  if (leads === 'slow') {
    const slow = (forging: Forging) =>
      isLed ? slowProbability(request, forging) : probability(forging);
    // A puzzle that requires no bits is not evaluated, however slow it is.
    const keys = KEYS_MAX * attemptsOf(request);
    return (forging) =>
      forging.difficultyBits > 0 ? slow(forging) : probability({ ...forging, attempts: keys });
  }
  return leads === 'whole' && isLed ? probabilityDrawn : probability;
}

/** Keys are made at the rate of fast hashes, and evaluated if their IDs are above all honest ones. */
function slowProbability(request: DesignRequest, forging: Forging): number {
  const each = {
    key: 1 / (KEYS_MAX * adversaryRate(request)),
    puzzle: 1 / hardAttemptRate(request),
  };
  const attemptsAt = keysWithin(request.time, each);
  return topProbability({ ...forging, attemptsAt });
}

/** The bits by which dropped IDs raise the difficulty that is needed without a defence: at most one. */
function filterBits(request: DesignRequest): number {
  const { probability } = questionFor(request.question);
  return raisedBits(request, attemptsOf(request), probability);
}

/** Bits by which dropped IDs raise the difficulty under a slow puzzle: at most log2 of the number of honest nodes. */
function slowFilterBits(request: DesignRequest): number {
  const { attempts = 0 } = hardSides(request);
  return raisedBits(request, attempts, (forging) => slowProbability(request, forging));
}

function raisedBits(
  { question, epsilon, nodes: honest }: DesignRequest,
  attempts: number,
  filtered: (forging: Forging) => number,
): number {
  if (question !== 'adversary-leads') return 0;
  const bitsFor = (probabilityOf: (forging: Forging) => number) =>
    neededDifficulty({ probabilityOf, honest, attempts, epsilon }).realBits;
  return bitsFor(filtered) - bitsFor(topProbability);
}

/** The advantage that no function takes away. */
function machinesText({ machines }: DesignRequest): string {
  return machines > 1 ? `, because ${shown(machines)} machines stay ${shown(machines)}` : '';
}

function hardSides(request: DesignRequest): Partial<Sides> {
  return {
    attempts: Math.floor(request.time * hardAttemptRate(request)),
    rate: request.hardRate,
  };
}

function hardText(request: DesignRequest): string {
  const { advantage, hardAdvantage, hardRate } = request;
  return (
    `the advantage falls from ${shown(advantage)} to ${shown(hardAdvantage)}${machinesText(request)}; ` +
    `honest nodes test ${shown(hardRate)} candidates/s, and each check of a claim costs one evaluation`
  );
}

/** Without a beacon one draw decides for ever. With a beacon each epoch is a draw. */
function beaconRemark(request: DesignRequest, difficultyBits: number): string {
  if (request.question !== 'adversary-leads')
    return 'no bits: it draws ranks, and they do not matter here';
  const attempts = attemptsOf(request);
  const share = topProbability({ honest: request.nodes, attempts, difficultyBits });
  const start =
    `no ID can be dropped before its puzzle, and each epoch is an independent draw: at ${difficultyBits} bits the ` +
    `adversary leads in each with probability ${shown(share)}`;
  if (share <= request.epsilon) return start;
  const epochs = Math.ceil(Math.log(request.epsilon) / Math.log(share));
  return Number.isFinite(epochs)
    ? `${start}, and in ${epochs} in a row with at most ${request.epsilon}`
    : start;
}

/** Seconds of the adversary before the window closes. */
function frozenSeconds(request: DesignRequest): number {
  const { time, preparation, window } = request;
  return Math.min(time, preparation + window);
}

/** Seconds of the adversary between the beacon and the end of the window. */
function saltedSeconds({ time, window }: DesignRequest): number {
  return Math.min(time, window);
}

/** Keys that the adversary tests in the window: those in stock first, which have their IDs, then new ones. */
function saltedTests(request: DesignRequest): number {
  const seconds = saltedSeconds(request);
  const stock = KEYS_MAX * adversaryRate(request) * request.preparation;
  const tested = seconds * stockRate(request);
  if (tested <= stock) return Math.floor(tested);
  return Math.floor(stock + (seconds - stock / stockRate(request)) * adversaryRate(request));
}

/** Slow IDs that the adversary tests in the window. Those of its preparation are kept, and a test is one fast hash. */
function slowTests(request: DesignRequest): number {
  const made = frozenSeconds(request) * hardAttemptRate(request);
  return Math.min(made, saltedSeconds(request) * stockRate(request));
}

/** With a salt, honest nodes cannot mine for longer than the window. */
function inWindow({ joinTime, window }: DesignRequest): number {
  return Math.min(joinTime, window);
}

function adversaryRate({ advantage, rate }: DesignRequest): number {
  return advantage * rate;
}

function hardAttemptRate({ hardAdvantage, hardRate }: DesignRequest): number {
  return hardAdvantage * hardRate;
}

function stockRate(request: DesignRequest): number {
  return request.stockSpeed * adversaryRate(request);
}

function shown(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function stockText(speed: number): string {
  return speed === 1 ? 'as fast as new ones' : `${shown(speed)} times as fast as new ones`;
}
