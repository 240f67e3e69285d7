/**
 * @module
 * The defences that would have stopped a successful attack. The attack is repeated under the same seed and
 * with the same attempts against each defence that was off, alone, and against sets if none of them stops it. A higher level includes the lower
 * ones, so it is tried only if they do not stop the attack.
 */

import { z } from 'zod';

import { settingsOf } from '../../election/defences/defended.ts';
import type { Policy } from '../../identity/policy.ts';
import { STRICT_POLICY } from '../../identity/policy.ts';
import { PUZZLE_BITS_MAX } from '../../identity/puzzles/puzzle.ts';
import type { Ledger } from '../../mining/ledger.ts';
import { foundProbability, winProbability } from '../../mining/odds.ts';
import type { AttackDefence } from '../document/defence-names.ts';
import type { Finding } from '../properties/sighting.ts';
import { defencesOff, isLevel } from '../staging/defences.ts';
import type { Attack, AttackServices, Execution } from './attack.ts';
import { populationOf, tryAgain } from './attack.ts';
import { goalOf } from './population.ts';
import type { SetSearch } from './sets.ts';
import { defenceSchema, findSmallestSet, SET_SIZE_MAX, withSet } from './sets.ts';

/** A defence that was tried. `stops` is null if the election was too large to watch. */
export const trialSchema = z.object({
  defence: defenceSchema,
  stops: z.boolean().nullable(),
  c1: z.int().optional().describe('Of proof-of-work: the bits at which it was tried.'),
});

/** A defence that is off, applies, and was not tried. */
export const untriedSchema = z.object({ defence: defenceSchema, why: z.string() });

type Trial = z.output<typeof trialSchema>;

export interface Tried {
  readonly trials: readonly Trial[];
  readonly notTried: readonly z.output<typeof untriedSchema>[];
  /** The search for a set. Null if a single defence stops the attack. */
  readonly sets: SetSearch | null;
}

type Run = Execution & { readonly outcome: 'run' };

/** Tries each defence that is off, and sets of them if none stops the attack. Null if interrupted. */
export async function tryDefences(
  attack: Attack,
  execution: Run,
  services: AttackServices,
): Promise<Tried | null> {
  const { ledger } = execution;
  // Time pays for other attempts each time. These are the attempts that it paid for.
  const repeated: Attack =
    ledger === null ? attack : { ...attack, budget: { attempts: ledger.attempts } };
  const single = await trySingle(repeated, execution, services);
  if (single === null) return null;
  if (stoppedBy(single.trials).length > 0) return { ...single, sets: null };
  const sets = await trySets(repeated, { execution, trials: single.trials }, services);
  return sets === null ? null : { ...single, sets };
}

async function trySingle(
  attack: Attack,
  execution: Run,
  services: AttackServices,
): Promise<Omit<Tried, 'sets'> | null> {
  const { ledger, findings: signs } = execution;
  const trials: Trial[] = [];
  const notTried: Tried['notTried'][number][] = [];
  const isForging = attack.forge !== 'none';
  for (const { defence, why: fault } of defencesOff({ ...attack, isForging })) {
    if (!(await services.goOn())) return null;
    const lower = isLevel(defence) ? stoppedBy(trials).find(isLevel) : undefined;
    const why =
      lower === undefined ? (fault ?? unplayable(attack, defence)) : `not needed beside ${lower}`;
    if (why !== null) {
      notTried.push({ defence, why });
      continue;
    }
    const trial =
      defence === 'proof-of-work' && ledger !== null
        ? await tryWork(attack, { execution, ledger }, services)
        : await tryOne(attack, { defence, signs }, services);
    if (trial === null) return null;
    trials.push(trial);
  }
  return { trials, notTried };
}

/** Searches the smallest set. More work than a single trial needed is not tried. */
async function trySets(
  attack: Attack,
  single: { readonly execution: Run; readonly trials: readonly Trial[] },
  services: AttackServices,
): Promise<SetSearch | null> {
  const { findings: signs } = single.execution;
  const { c1 } = single.trials.find(({ defence }) => defence === 'proof-of-work') ?? {};
  return findSmallestSet(
    { ...attack, isForging: attack.forge !== 'none' },
    {
      sizeMin: 2,
      othersMax: SET_SIZE_MAX,
      isPlayable: (defence) =>
        unplayable(attack, defence) === null && (defence !== 'proof-of-work' || c1 !== undefined),
      async stops(set) {
        if (!(await services.goOn())) return 'cancelled';
        const changed =
          c1 === undefined || !set.includes('proof-of-work') ? {} : { newcomersC1: c1 };
        const outcome = await tryAgain(withSet(attack, set), { signs, changed }, services);
        if (outcome === 'cancelled') return outcome;
        return outcome.isHarmful === null ? null : !outcome.isHarmful;
      },
    },
  );
}

/** The defences that stop it, in the order in which they were tried. */
export function stoppedBy(trials: readonly Trial[]): AttackDefence[] {
  return trials.flatMap(({ defence, stops }) => (stops === true ? [defence] : []));
}

async function tryOne(
  attack: Attack,
  { defence, signs }: { readonly defence: AttackDefence; readonly signs: readonly Finding[] },
  services: AttackServices,
): Promise<Trial | null> {
  const outcome = await tryAgain(withSet(attack, [defence]), { signs }, services);
  if (outcome === 'cancelled') return null;
  const { isHarmful } = outcome;
  return { defence, stops: isHarmful === null ? null : !isHarmful };
}

/** Enough bits leave this probability that the attempts find something nevertheless. */
const LUCK_MAX = 0.05;
/** Further bits to try if they do. */
const RAISES_MAX = 8;

/** Raises the bits for newcomers. This stops only an attack that needs a forged identity. */
async function tryWork(
  attack: Attack,
  spent: { readonly execution: Run; readonly ledger: Ledger },
  services: AttackServices,
): Promise<Trial | null> {
  const { execution, ledger } = spent;
  const { findings: signs, members } = execution;
  const honest = members.flatMap(({ nodeId, owner }) => (owner === 'honest' ? [nodeId] : []));
  const goal = goalOf(populationOf(attack), honest);
  const policyOf = (c1: number): Policy => ({ ...STRICT_POLICY, c1 });
  const isEnough = (c1: number) =>
    foundProbability(winProbability(policyOf(c1), goal), ledger.attempts) <= LUCK_MAX;
  let c1 = attack.c1 + 1;
  while (c1 < PUZZLE_BITS_MAX && !isEnough(c1)) c1 += 1;
  for (let raises = 0; raises < RAISES_MAX && c1 <= PUZZLE_BITS_MAX; raises += 1) {
    const outcome = await tryAgain(attack, { signs, changed: { newcomersC1: c1 } }, services);
    if (outcome === 'cancelled') return null;
    const { isHarmful, isForged } = outcome;
    if (isHarmful === null) return { defence: 'proof-of-work', stops: null, c1 };
    if (!isHarmful || !isForged) return { defence: 'proof-of-work', stops: !isHarmful, c1 };
    c1 += 1;
  }
  return { defence: 'proof-of-work', stops: false, c1: c1 - 1 };
}

/** Why a behaviour cannot act under a setting that replaces the protocol. Null if all can. */
function unplayable({ protocol, behaviours }: Attack, defence: AttackDefence): string | null {
  if (defence !== 'successor-list') return null;
  const other = settingsOf([defence], protocol).protocol ?? protocol;
  const found = behaviours.find(({ unsupportedReason }) => unsupportedReason(other) !== null);
  return found === undefined ? null : `it runs ${other}, which ${found.name} does not fit`;
}
