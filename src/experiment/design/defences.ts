/**
 * @module
 * The effect of each defence on a design: the attempts of the adversary, and the rate and the time of honest
 * nodes. A beacon in puzzle and rank reduces the value of prepared keys to that of their tests in the window.
 * A memory-hard function removes the advantage of faster machines, not that of more machines. Under frozen membership, seconds after registration do not
 * count. A beacon in the rank alone saves no bits, but draws a new leader in every epoch.
 */

import { saltBits, speedUpBits } from '../theory/waiting.ts';
import type { Difficulty } from './difficulty.ts';
import { bearableDifficulty, neededDifficulty } from './difficulty.ts';
import { questionFor } from './questions.ts';
import type { DesignRequest } from './request.ts';

/** Both sides of a design under a defence. */
interface Sides {
  readonly attempts: number;
  readonly candidatesPerSecond: number;
  readonly joinSeconds: number;
}

interface Defence {
  /** What it changes of the undefended sides. */
  readonly sides: (request: DesignRequest) => Partial<Sides>;
  /** Whether honest nodes mine in every epoch. */
  readonly isRepeated: boolean;
  /** The effect on the adversary, in bits of difficulty. */
  readonly gainBits: (request: DesignRequest) => number;
  /** Its assumptions and its cost for honest nodes. */
  readonly remark: (request: DesignRequest, at: Difficulty) => string;
}

const DEFENCES = {
  'epoch-salt': {
    isRepeated: true,
    sides: (request) => ({
      attempts: Math.floor(saltedSeconds(request) * stockRate(request)),
      joinSeconds: inWindow(request),
    }),
    gainBits: (request) =>
      saltBits({
        keysPerSecond: adversaryRate(request),
        preparationSeconds: request.adversarySeconds,
        hashesPerSecond: stockRate(request),
        windowSeconds: saltedSeconds(request),
      }),
    remark: (request) =>
      `a beacon in puzzle and rank (in the puzzle alone it saves nothing): of ` +
      `${shown(request.adversarySeconds)} s only ${shown(saltedSeconds(request))} s in the window count, ` +
      `keys in stock are hashed ${stockText(request.stockSpeed)}; honest nodes mine in every epoch`,
  },
  'commit-then-beacon': {
    isRepeated: false,
    sides: () => ({}),
    gainBits: () => 0,
    remark: (request, { wholeBits }) => beaconRemark(request, wholeBits),
  },
  'memory-hard': {
    isRepeated: false,
    sides: (request) => ({
      attempts: Math.floor(request.adversarySeconds * hardRate(request)),
      candidatesPerSecond: request.hardCandidatesPerSecond,
    }),
    gainBits: ({ advantage, hardAdvantage }) => speedUpBits(advantage / hardAdvantage),
    remark: (request) =>
      `the advantage falls from ${shown(request.advantage)} to ${shown(request.hardAdvantage)}${machinesText(request)}; ` +
      `${hardCost(request)}, and each check of a claim costs one evaluation`,
  },
  'frozen-membership': {
    isRepeated: false,
    sides: (request) => ({
      attempts: Math.floor(frozenSeconds(request) * adversaryRate(request)),
    }),
    gainBits: (request) => speedUpBits(request.adversarySeconds / frozenSeconds(request)),
    remark: (request) =>
      `the adversary's seconds count until registration closes: ${shown(frozenSeconds(request))} of ` +
      `${shown(request.adversarySeconds)}; no node joins later`,
  },
  together: {
    isRepeated: true,
    sides: (request) => ({
      attempts: Math.floor(saltedSeconds(request) * hardRate(request)),
      candidatesPerSecond: request.hardCandidatesPerSecond,
      joinSeconds: inWindow(request),
    }),
    gainBits: (request) =>
      speedUpBits(
        (request.adversarySeconds * request.advantage) /
          (saltedSeconds(request) * request.hardAdvantage),
      ),
    remark: () => 'salt, memory-hard function and frozen membership at once',
  },
} as const satisfies Readonly<Record<string, Defence>>;

export type DesignDefence = keyof typeof DEFENCES;

/** The keys of an object are strings to the compiler: hence the `as`. */
export const DESIGN_DEFENCES = Object.keys(DEFENCES) as readonly DesignDefence[];

export interface DefenceEffect {
  readonly defence: DesignDefence;
  /** The effect on the adversary, in bits of difficulty. */
  readonly gainBits: number;
  readonly needed: Difficulty;
  /** Null if honest nodes have no time for one attempt. */
  readonly bearable: Difficulty | null;
  /** Affordable real bits minus needed real bits. */
  readonly spareBits: number | null;
  /** Under this defence. */
  readonly isPossible: boolean;
  /** Its assumptions and its cost for honest nodes. */
  readonly remark: string;
}

/** What honest nodes pay for under a defence. */
export function defenceCharges(name: DesignDefence, request: DesignRequest) {
  const { sides, isRepeated }: Defence = DEFENCES[name];
  const { candidatesPerSecond = request.candidatesPerSecond } = sides(request);
  return { candidatesPerSecond, isRepeated };
}

/** Attempts of the adversary without any defence. */
export function attemptsOf(request: DesignRequest): number {
  return Math.floor(request.adversarySeconds * adversaryRate(request));
}

/** Whether a whole number of bits is enough and affordable. */
export function isPossible(needed: Difficulty, bearable: Difficulty | null): boolean {
  return bearable !== null && needed.wholeBits <= bearable.wholeBits;
}

/** The effect of each defence, and last of all that save bits together. */
export function defenceEffects(request: DesignRequest): readonly DefenceEffect[] {
  const { epsilon, nodes: honest, joinQuantile, candidatesPerSecond, joinSeconds } = request;
  const { probability: probabilityOf } = questionFor(request.question);
  const undefended = { attempts: attemptsOf(request), candidatesPerSecond, joinSeconds };
  return DESIGN_DEFENCES.map((defence) => {
    const { sides, gainBits, remark }: Defence = DEFENCES[defence];
    const { attempts, ...bearing } = { ...undefended, ...sides(request) };
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

/** The advantage that no function takes away. */
function machinesText({ machines }: DesignRequest): string {
  return machines > 1 ? `, because ${shown(machines)} machines stay ${shown(machines)}` : '';
}

function hardCost({ candidatesPerSecond, hardCandidatesPerSecond }: DesignRequest): string {
  if (hardCandidatesPerSecond === candidatesPerSecond) {
    return 'both sides slow down by the same factor, which costs both the same number of bits';
  }
  return `honest nodes test ${shown(hardCandidatesPerSecond)} candidates/s`;
}

/** Without a beacon one draw decides for ever. With a beacon each epoch is a draw. */
function beaconRemark(request: DesignRequest, difficultyBits: number): string {
  if (request.question !== 'adversary-leads')
    return 'no bits: it draws ranks, and they do not matter here';
  const attempts = attemptsOf(request);
  const { probability } = questionFor(request.question);
  const share = probability({ honest: request.nodes, attempts, difficultyBits });
  const start =
    `no bits for one epoch, but each epoch is an independent draw: at ${difficultyBits} bits the ` +
    `adversary leads in each with probability ${shown(share)}`;
  if (share <= request.epsilon) return start;
  const epochs = Math.ceil(Math.log(request.epsilon) / Math.log(share));
  return Number.isFinite(epochs)
    ? `${start}, and in ${epochs} in a row with at most ${request.epsilon}`
    : start;
}

/** Seconds of the adversary before the window closes. */
function frozenSeconds(request: DesignRequest): number {
  const { adversarySeconds, preparationSeconds, windowSeconds } = request;
  return Math.min(adversarySeconds, preparationSeconds + windowSeconds);
}

/** Seconds of the adversary between the beacon and the end of the window. */
function saltedSeconds({ adversarySeconds, windowSeconds }: DesignRequest): number {
  return Math.min(adversarySeconds, windowSeconds);
}

/** With a salt, honest nodes cannot mine for longer than the window. */
function inWindow({ joinSeconds, windowSeconds }: DesignRequest): number {
  return Math.min(joinSeconds, windowSeconds);
}

function adversaryRate({ advantage, candidatesPerSecond }: DesignRequest): number {
  return advantage * candidatesPerSecond;
}

function hardRate({ hardAdvantage, hardCandidatesPerSecond }: DesignRequest): number {
  return hardAdvantage * hardCandidatesPerSecond;
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
