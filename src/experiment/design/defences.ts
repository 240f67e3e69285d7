/**
 * @module
 * What each defence would change about a design: the adversary's attempts, or the rates of both sides.
 * A beacon in puzzle and rank makes what was prepared worth no more than its hashing in the window; a
 * memory-hard function takes the advantage away; a membership that is frozen lets no later seconds
 * count; a beacon in the rank alone saves no bits, but draws the leader anew every epoch.
 */

import { saltBits, speedUpBits } from '../theory/advantage.ts';
import { topProbability } from '../theory/closed-forms.ts';
import type { Difficulty } from './difficulty.ts';
import { bearableDifficulty, neededDifficulty } from './difficulty.ts';
import type { DesignRequest } from './request.ts';

export const DESIGN_DEFENCES = [
  'epoch-salt',
  'commit-then-beacon',
  'memory-hard',
  'frozen-membership',
  'together',
] as const;
export type DesignDefence = (typeof DESIGN_DEFENCES)[number];

export interface DefenceEffect {
  readonly defence: DesignDefence;
  /** What it takes off the adversary, in bits of difficulty. */
  readonly gainBits: number;
  readonly needed: Difficulty;
  /** Null where honest nodes have no time for one attempt. */
  readonly bearable: Difficulty | null;
  /** Real bits that honest nodes would bear beyond those needed; negative where they still lack. */
  readonly spareBits: number | null;
  /** With this defence in place. */
  readonly isPossible: boolean;
  /** What it presumes and what honest nodes pay. */
  readonly remark: string;
}

/** Both sides of a design as a defence leaves them. */
interface Sides {
  readonly attempts: number;
  readonly candidatesPerSecond: number;
  readonly joinSeconds: number;
}

/** Attempts of the adversary without any defence. */
export function attemptsOf(request: DesignRequest): number {
  return Math.floor(request.adversarySeconds * adversaryRate(request));
}

/** Whether some whole number of bits is enough for one side and borne by the other. */
export function isPossible(needed: Difficulty, bearable: Difficulty | null): boolean {
  return bearable !== null && needed.wholeBits <= bearable.wholeBits;
}

/** What each defence would do, in the order of the list; the last are all that save bits together. */
export function defenceEffects(request: DesignRequest): readonly DefenceEffect[] {
  return DESIGN_DEFENCES.map((defence) => {
    const sides = sidesUnder(defence, request);
    const { epsilon, nodes: honest, joinQuantile } = request;
    const needed = neededDifficulty({ honest, attempts: sides.attempts, epsilon });
    const bearable = bearableDifficulty({ ...sides, joinQuantile });
    return {
      defence,
      gainBits: gainOf(defence, request),
      needed,
      bearable,
      spareBits: bearable === null ? null : bearable.realBits - needed.realBits,
      isPossible: isPossible(needed, bearable),
      remark: remarkOn(defence, request, bearable ?? needed),
    };
  });
}

function sidesUnder(defence: DesignDefence, request: DesignRequest): Sides {
  const { candidatesPerSecond, joinSeconds, windowSeconds } = request;
  const { hardAdvantage, hardCandidatesPerSecond } = request;
  const undefended = { attempts: attemptsOf(request), candidatesPerSecond, joinSeconds };
  // With a salt the honest have the window and no longer.
  const inWindow = Math.min(joinSeconds, windowSeconds);
  const hardRate = hardAdvantage * hardCandidatesPerSecond;
  switch (defence) {
    case 'epoch-salt': {
      const attempts = Math.floor(saltedSeconds(request) * stockRate(request));
      return { ...undefended, attempts, joinSeconds: inWindow };
    }
    case 'commit-then-beacon':
      return undefended;
    case 'memory-hard':
      return {
        ...undefended,
        attempts: Math.floor(request.adversarySeconds * hardRate),
        candidatesPerSecond: hardCandidatesPerSecond,
      };
    case 'frozen-membership':
      return {
        ...undefended,
        attempts: Math.floor(frozenSeconds(request) * adversaryRate(request)),
      };
    case 'together':
      return {
        attempts: Math.floor(saltedSeconds(request) * hardRate),
        candidatesPerSecond: hardCandidatesPerSecond,
        joinSeconds: inWindow,
      };
    default:
      return defence satisfies never;
  }
}

function gainOf(defence: DesignDefence, request: DesignRequest): number {
  const { adversarySeconds, advantage, hardAdvantage } = request;
  switch (defence) {
    case 'epoch-salt':
      return saltBits({
        keysPerSecond: adversaryRate(request),
        preparationSeconds: adversarySeconds,
        hashesPerSecond: stockRate(request),
        windowSeconds: saltedSeconds(request),
      });
    case 'commit-then-beacon':
      return 0;
    case 'memory-hard':
      return speedUpBits(advantage / hardAdvantage);
    case 'frozen-membership':
      return speedUpBits(adversarySeconds / frozenSeconds(request));
    case 'together':
      return speedUpBits((adversarySeconds * advantage) / (saltedSeconds(request) * hardAdvantage));
    default:
      return defence satisfies never;
  }
}

function remarkOn(defence: DesignDefence, request: DesignRequest, at: Difficulty): string {
  const { stockSpeed, hardAdvantage } = request;
  switch (defence) {
    case 'epoch-salt':
      return (
        `a beacon in puzzle and rank (in the puzzle alone it saves nothing): of ` +
        `${shown(request.adversarySeconds)} s only ${shown(saltedSeconds(request))} s in the window count, ` +
        `keys in stock hashed ${shown(stockSpeed)} times as fast as new ones; honest nodes mine in every epoch`
      );
    case 'commit-then-beacon':
      return beaconRemark(request, at.wholeBits);
    case 'memory-hard':
      return (
        `the advantage falls from ${shown(request.advantage)} to ${shown(hardAdvantage)}; ${hardCost(request)}, ` +
        'and each check of a claim costs one evaluation'
      );
    case 'frozen-membership':
      return (
        `the adversary's seconds count until registration closes: ${shown(frozenSeconds(request))} of ` +
        `${shown(request.adversarySeconds)}; nobody joins later`
      );
    case 'together':
      return 'salt, memory-hard function and frozen membership at once';
    default:
      return defence satisfies never;
  }
}

function hardCost({ candidatesPerSecond, hardCandidatesPerSecond }: DesignRequest): string {
  if (hardCandidatesPerSecond === candidatesPerSecond) {
    return 'both sides slow down alike, which takes as many bits off both';
  }
  return `honest nodes test ${shown(hardCandidatesPerSecond)} candidates/s`;
}

/** How long luck lasts: one draw for ever without a beacon, one an epoch with it. */
function beaconRemark(request: DesignRequest, difficultyBits: number): string {
  const attempts = attemptsOf(request);
  const share = topProbability({ honest: request.nodes, attempts, difficultyBits });
  const start = `no bits for one epoch, but each is a draw of its own: at ${difficultyBits} bits`;
  if (share <= request.epsilon) return `${start} it leads with ${shown(share)} in each`;
  const epochs = Math.ceil(Math.log(request.epsilon) / Math.log(share));
  const row = Number.isFinite(epochs)
    ? `, and in ${epochs} in a row with at most ${request.epsilon}`
    : '';
  return `${start} it leads with ${shown(share)} in each${row}`;
}

/** Seconds before the window closes; all that it has, where those are fewer. */
function frozenSeconds(request: DesignRequest): number {
  const { adversarySeconds, preparationSeconds, windowSeconds } = request;
  return Math.min(adversarySeconds, preparationSeconds + windowSeconds);
}

/** Seconds between the beacon and the end of the window. */
function saltedSeconds({ adversarySeconds, windowSeconds }: DesignRequest): number {
  return Math.min(adversarySeconds, windowSeconds);
}

function adversaryRate({ advantage, candidatesPerSecond }: DesignRequest): number {
  return advantage * candidatesPerSecond;
}

function stockRate(request: DesignRequest): number {
  return request.stockSpeed * adversaryRate(request);
}

function shown(value: number): string {
  return String(Number(value.toPrecision(3)));
}
