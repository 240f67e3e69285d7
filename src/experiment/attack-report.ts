/**
 * @module
 * The answer to an attack: whether the adversary got what it wanted, in one sentence, at what cost, what
 * would have stopped it, and the command that gives the same again.
 */

import type { Aim } from '../adversary/behaviours/behaviour.ts';
import type { Ledger } from '../mining/ledger.ts';
import type { Attack, Execution } from './attack.ts';
import type { AttackDefence } from './attack-defences.ts';
import {
  AIM_WORDS,
  aimsAchieved,
  isReached,
  outcomeClause,
  showsAim,
  standingClause,
} from './attack-judgement.ts';
import { adversaryRanks, forgerSeed, memberText } from './attack-population.ts';
import type { Trial, Tried, Untried } from './attack-trials.ts';
import { stoppedBy } from './attack-trials.ts';

export interface AttackReport {
  /** Null where the budget, or what can be watched, ended first. */
  readonly succeeded: boolean | null;
  readonly goal: Aim;
  readonly sentence: string;
  /** Of what was forged; all 0 where the adversary has an ordinary identity. */
  readonly ledger: Ledger;
  /** Each alone; empty unless the attack succeeded. */
  readonly stoppedBy: readonly AttackDefence[];
  readonly replay: string;
  readonly algorithm: Attack['algorithm'];
  readonly level: Attack['level'];
  readonly behaviours: Attack['behaviours'];
  readonly defences: Attack['defences'];
  readonly forge: Attack['forge'];
  readonly c1: number;
  /** Everything that it brought about, wanted or not. */
  readonly achieved: readonly Aim[];
  /** By rank, the lowest first; empty where the budget ended first. */
  readonly members: readonly {
    readonly rank: number;
    readonly nodeId: string;
    readonly owner: 'honest' | 'adversary';
  }[];
  readonly measured: {
    readonly ticks: number;
    /** Whom all honest live nodes follow in the end, if that one lives; and without the cheat. */
    readonly leader: number | null;
    readonly leaderOtherwise: number | null;
    readonly usurpedTicks: number;
    readonly splitTicks: number;
    readonly staleWrites: number;
    readonly messages: number;
  } | null;
  /** What was tried. */
  readonly trials: readonly Trial[];
  readonly seed: string;
  /** Defences that would mean something and were not tried, and why. */
  readonly notTried: readonly Untried[];
  /** Under which `usurp mine` finds the forged identities again; null where nothing is forged. */
  readonly forgerSeed: string | null;
}

const NOTHING_SPENT: Ledger = {
  ...{ attempts: 0, hashes: 0, groupOperations: 0 },
  ...{ cpuSeconds: 0, wallSeconds: 0, overshoot: 0 },
};

/** The answer to an attack that was run; `tried` is null where nothing was. */
export function reportAttack(
  attack: Attack,
  execution: Exclude<Execution, { readonly outcome: 'cancelled' }>,
  tried: Tried | null,
): AttackReport {
  const { goal, algorithm, level, behaviours, defences, forge, c1, seed } = attack;
  const ledger = execution.ledger ?? NOTHING_SPENT;
  const isRun = execution.outcome === 'run';
  return {
    succeeded: succeededIn(attack, execution),
    goal,
    sentence: isRun ? runSentence(attack, execution, tried) : spentSentence(attack, ledger),
    ledger,
    stoppedBy: stoppedBy(tried?.trials ?? []),
    replay: replayOf(attack, ledger),
    ...{ algorithm, level, behaviours, defences, forge, c1 },
    achieved: isRun ? aimsAchieved(execution.findings) : [],
    members: isRun ? membersOf(execution) : [],
    measured: isRun ? measuredOf(execution) : null,
    trials: tried?.trials ?? [],
    seed,
    notTried: tried?.notTried ?? [],
    forgerSeed: forge === 'none' ? null : forgerSeed(seed),
  };
}

/** Null where it is not known. */
export function succeededIn({ goal }: Pick<Attack, 'goal'>, execution: Execution): boolean | null {
  if (execution.outcome !== 'run' || execution.seen.brokenOffAt !== null) return null;
  return isReached(goal, execution.findings);
}

type Run = Execution & { readonly outcome: 'run' };

function membersOf({ members }: Run): AttackReport['members'] {
  return members.map((member, index) => {
    return { rank: index + 1, nodeId: memberText(member), owner: member.owner };
  });
}

function measuredOf({ seen, honest }: Run): AttackReport['measured'] {
  const { ticks, leader, usurpedTicks, splitTicks, staleWrites, messages } = seen;
  const watched = { ticks, leader, leaderOtherwise: honest.leader };
  return { ...watched, usurpedTicks, splitTicks, staleWrites, messages };
}

function runSentence(attack: Attack, run: Run, tried: Tried | null): string {
  const { goal } = attack;
  const { seen, honest, findings } = run;
  const who = `The adversary, ${placesText(run)}, ${costText(run)}, ${meansText(attack)}`;
  if (seen.brokenOffAt !== null) {
    return `${who}: whether it can ${AIM_WORDS[goal]} is unknown, at tick ${seen.brokenOffAt} there was too much to watch.`;
  }
  if (isReached(goal, findings)) {
    return `${who}, ${outcomeClause(goal, seen)}; ${stoppingText(tried)}.`;
  }
  const otherwise = showsAim(goal, seen) && showsAim(goal, honest);
  if (otherwise) {
    return `${who}, did not ${AIM_WORDS[goal]} by it: the same comes of this election when nobody cheats.`;
  }
  const [instead] = aimsAchieved(findings);
  const what =
    instead === undefined
      ? standingClause(goal, seen)
      : `instead it ${outcomeClause(instead, seen)}`;
  return `${who}, did not ${AIM_WORDS[goal]}: ${what}.`;
}

function spentSentence(attack: Attack, ledger: Ledger): string {
  const wanted = FORGED_WORDS[attack.forge];
  return `The budget ended before the adversary had forged ${wanted}: ${countText(ledger)} at c1 ${attack.c1} were not enough to attack ${attack.algorithm}.`;
}

const FORGED_WORDS = {
  none: 'anything',
  top: 'an identity above all honest ones',
  successor: "an identity right after its victim's",
  spread: 'more identities than the honest have',
} as const;

function placesText(run: Run): string {
  const ranks = adversaryRanks(run.members);
  const [first = 0] = ranks;
  const last = ranks.at(-1) ?? first;
  const of = `of ${run.members.length}`;
  return ranks.length === 1
    ? `rank ${first} ${of}`
    : `${ranks.length} ranks ${first}..${last} ${of}`;
}

function meansText({ behaviours, algorithm, level, defences }: Attack): string {
  const how =
    behaviours.length === 0 ? 'keeping to the protocol' : `with ${behaviours.join(' and ')}`;
  const against = defences.length === 0 ? '' : ` against ${defences.join(', ')}`;
  return `${how} on ${algorithm} at ${level}${against}`;
}

function costText({ ledger, isForged }: Run): string {
  if (ledger === null) return 'forging nothing';
  return `${isForged ? 'forged for' : 'forging in vain for'} ${countText(ledger)}`;
}

function countText({ attempts, hashes }: Ledger): string {
  return `${attempts} attempts and ${hashes} hashes`;
}

function stoppingText(tried: Tried | null): string {
  if (tried === null) return 'what would have stopped it was not tried';
  const stopping = stoppedBy(tried.trials);
  const unknown = tried.trials.flatMap(({ defence, stops }) => (stops === null ? [defence] : []));
  const open = unknown.length === 0 ? '' : `, and of ${unknown.join(', ')} it is unknown`;
  if (stopping.length === 0) return `no single defence that was tried is known to stop it${open}`;
  const either = stopping.length === 1 ? '' : 'any one of ';
  return `${either}${stopping.join(', ')} would have stopped it${open}`;
}

/** The command that gives the same again; seconds are replayed as the attempts that they bought. */
function replayOf(attack: Attack, ledger: Ledger): string {
  const { algorithm, level, behaviours, defences, goal, nodes, c1, forge, seed } = attack;
  return [
    `usurp attack --algorithm ${algorithm}`,
    ...(behaviours.length === 0 ? [] : [`--behaviour ${behaviours.join(',')}`]),
    `--level ${level} --goal ${goal}`,
    ...(defences.length === 0 ? [] : [`--defence ${defences.join(',')}`]),
    `--nodes ${nodes} --c1 ${c1} --forge ${forge}`,
    ...(forge === 'none' ? [] : [`--attempts ${attemptsOf(attack, ledger)}`]),
    `--seed ${seed}`,
  ].join(' ');
}

function attemptsOf({ budget }: Attack, ledger: Ledger): number {
  return budget.cpuSeconds === undefined ? (budget.attempts ?? ledger.attempts) : ledger.attempts;
}
