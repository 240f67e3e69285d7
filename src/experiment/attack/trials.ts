/**
 * @module
 * Which single defence would have stopped an attack that succeeded: the same attack, under the same seed and
 * for the same attempts, against each one that was off, alone. A higher level includes the lower, so that it
 * is tried only where that is not enough.
 */

import { BEHAVIOURS } from '../../adversary/behaviours/registry.ts';
import { settingsOf } from '../../election/defences/defended.ts';
import type { Policy } from '../../identity/policy.ts';
import { STRICT_POLICY } from '../../identity/policy.ts';
import { PUZZLE_BITS_MAX } from '../../identity/puzzles/puzzle.ts';
import type { Ledger } from '../../mining/ledger.ts';
import { foundProbability, winProbability } from '../../mining/odds.ts';
import type { Finding } from '../properties/sighting.ts';
import type { AttackDefence } from '../staging/defences.ts';
import { defencesOff, isOfLevel } from '../staging/defences.ts';
import type { Attack, AttackServices, Execution } from './attack.ts';
import { populationOf, reachesAim } from './attack.ts';
import type { Forge } from './population.ts';
import { goalOf } from './population.ts';

export interface Trial {
  readonly defence: AttackDefence;
  /** Null where there was too much to watch. */
  readonly stops: boolean | null;
  /** Of proof-of-work: the bits at which it was tried. */
  readonly c1?: number;
}

/** A defence that is off, would mean something and was not tried. */
export interface Untried {
  readonly defence: AttackDefence;
  readonly why: string;
}

export interface Tried {
  readonly trials: readonly Trial[];
  readonly notTried: readonly Untried[];
}

/** Tries each defence that is off; null where that was interrupted. */
export async function tryDefences(
  attack: Attack,
  execution: Execution & { readonly outcome: 'run' },
  services: AttackServices,
): Promise<Tried | null> {
  const { forge: kind, ledger } = { ...attack, ...execution };
  // Time buys other attempts each time; these are what it bought.
  const repeated: Attack =
    ledger === null ? attack : { ...attack, budget: { attempts: ledger.attempts } };
  const trials: Trial[] = [];
  const notTried: Untried[] = [];
  for (const { defence, why: fault } of defencesOff({ ...attack, isForging: kind !== 'none' })) {
    if (!(await services.goOn())) return null;
    const enough = isOfLevel(defence) ? stoppedBy(trials).find(isOfLevel) : undefined;
    const isMore = enough !== undefined && `${ENOUGH[enough]} enough`;
    const why = isMore || (fault ?? unplayable(attack, defence));
    if (why !== null) {
      notTried.push({ defence, why });
      continue;
    }
    const trial =
      defence === 'proof-of-work' && ledger !== null
        ? await tryWork(repeated, { execution, ledger }, services)
        : await tryOne(repeated, { defence, signs: execution.findings }, services);
    if (trial === null) return null;
    trials.push(trial);
  }
  return { trials, notTried };
}

const ENOUGH = {
  'channel-authentication': 'channel-authentication is',
  signatures: 'signatures are',
  freshness: 'freshness is',
} as const;

/** Those that stop it, in the order in which they were tried. */
export function stoppedBy(trials: readonly Trial[]): AttackDefence[] {
  return trials.flatMap(({ defence, stops }) => (stops === true ? [defence] : []));
}

/** A forge that does not mine again what it has found. */
export function remembering(forge: Forge): Forge {
  const found = new Map<string, Awaited<ReturnType<Forge>>>();
  return async (order) => {
    const { budget, ...search } = order;
    const key = JSON.stringify(search, (_, value) =>
      value instanceof Uint8Array ? [...value] : value,
    );
    const before = found.get(key);
    const { attempts = Number.POSITIVE_INFINITY } = budget;
    if (before !== undefined && before.ledger.attempts <= attempts) return before;
    const outcome = await forge(order);
    if (outcome.found) found.set(key, outcome);
    return outcome;
  };
}

async function tryOne(
  attack: Attack,
  { defence, signs }: { readonly defence: AttackDefence; readonly signs: readonly Finding[] },
  services: AttackServices,
): Promise<Trial | null> {
  const outcome = await reachesAim(changedBy(attack, defence), { signs }, services);
  if (outcome === 'cancelled') return null;
  const { isReached } = outcome;
  return { defence, stops: isReached === null ? null : !isReached };
}

function changedBy(attack: Attack, defence: AttackDefence): Attack {
  switch (defence) {
    case 'channel-authentication':
      return { ...attack, level: 'L1' };
    case 'signatures':
      return { ...attack, level: 'L2' };
    case 'freshness':
      return { ...attack, level: 'L3' };
    case 'proof-of-work':
      return attack;
    default:
      return { ...attack, defences: [...attack.defences, defence] };
  }
}

/** At this probability that the attempts find something all the same, the bits are enough. */
const LUCK_MAX = 0.05;
/** And more of them as long as luck has it otherwise. */
const RAISES_MAX = 8;

/** It stops what needs a forged identity; an attack that an ordinary one can make as well it does not stop. */
async function tryWork(
  attack: Attack,
  spent: { readonly execution: Execution & { readonly outcome: 'run' }; readonly ledger: Ledger },
  services: AttackServices,
): Promise<Trial | null> {
  const { execution, ledger } = spent;
  const { findings: signs } = execution;
  const honest = execution.members.flatMap(({ nodeId, owner }) =>
    owner === 'honest' ? [nodeId] : [],
  );
  const goal = goalOf(populationOf(attack), honest);
  const policyOf = (c1: number): Policy => ({ ...STRICT_POLICY, c1 });
  const isEnough = (c1: number) =>
    foundProbability(winProbability(policyOf(c1), goal), ledger.attempts) <= LUCK_MAX;
  let c1 = attack.c1 + 1;
  while (c1 < PUZZLE_BITS_MAX && !isEnough(c1)) c1 += 1;
  for (let raises = 0; raises < RAISES_MAX && c1 <= PUZZLE_BITS_MAX; raises += 1) {
    const outcome = await reachesAim(attack, { signs, changed: { newcomersC1: c1 } }, services);
    if (outcome === 'cancelled') return null;
    const { isReached, isForged } = outcome;
    if (isReached === null) return { defence: 'proof-of-work', stops: null, c1 };
    if (!isReached || !isForged) return { defence: 'proof-of-work', stops: !isReached, c1 };
    c1 += 1;
  }
  return { defence: 'proof-of-work', stops: false, c1: c1 - 1 };
}

/** Which behaviour cannot be played where a setting puts another protocol in place; null for none. */
function unplayable({ protocol, behaviours }: Attack, defence: AttackDefence): string | null {
  if (defence !== 'successor-list') return null;
  const other = settingsOf([defence], protocol).protocol ?? protocol;
  const unsupportedReason = behaviours.find(
    (name) => BEHAVIOURS[name].unsupportedReason(other) !== null,
  );
  return unsupportedReason === undefined
    ? null
    : `it runs ${other}, which ${unsupportedReason} does not fit`;
}
