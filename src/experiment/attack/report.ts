/**
 * @module
 * The answer to an attack: whether the adversary got what it wanted, in one sentence, at what cost, what
 * would have stopped it, and the command that gives the same again.
 */

import type { Aim } from '../../adversary/behaviours/behaviour.ts';
import type { Ledger } from '../../mining/ledger.ts';
import type { AttackDefence } from '../staging/defences.ts';
import {
  AIM_WORDS,
  aimsAchieved,
  isReached,
  outcomeClause,
  showsAim,
  standingClause,
} from '../staging/judgement.ts';
import type { Attack, CancelledExecution, Execution } from './attack.ts';
import type { KeysUsed } from './keys.ts';
import { adversaryRanks, forgerSeed, memberText } from './population.ts';
import type { Trial, Tried, Untried } from './trials.ts';
import { stoppedBy } from './trials.ts';

export interface AttackReport {
  /** Null where the budget, what can be watched or whoever waited for it ended first. */
  readonly succeeded: boolean | null;
  readonly aim: Aim;
  readonly sentence: string;
  /** Of what was forged; all 0 where the adversary has an ordinary identity. */
  readonly ledger: Ledger;
  /** Each alone; empty unless the attack succeeded. */
  readonly stoppedBy: readonly AttackDefence[];
  readonly replay: string;
  readonly protocol: Attack['protocol'];
  readonly level: Attack['level'];
  readonly behaviours: Attack['behaviours'];
  readonly defences: Attack['defences'];
  readonly forge: Attack['forge'];
  readonly colluders: number;
  readonly c1: number;
  /** Everything that it brought about, wanted or not. */
  readonly achieved: readonly Aim[];
  /** What was seen and may have come without it, since that could not be watched to the end. */
  readonly doubtful: readonly Aim[];
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
    /** Null where it was watched to the end; and without the cheat. */
    readonly brokenOffAt: number | null;
    readonly otherwiseBrokenOffAt: number | null;
    readonly keys: KeysUsed;
  } | null;
  /** What was tried. */
  readonly trials: readonly Trial[];
  readonly seed: string;
  /** Defences that would mean something and were not tried, and why. */
  readonly notTried: readonly Untried[];
  /** Whether it was interrupted, so that what is here is what was finished. */
  readonly interrupted: boolean;
  /**
   * Under which `usurp mine` finds the forged identities again, of colluders the first; null where nothing
   * is forged.
   */
  readonly forgerSeed: string | null;
}

const NOTHING_SPENT: Ledger = {
  ...{ attempts: 0, hashes: 0, groupOperations: 0 },
  ...{ cpuSeconds: 0, wallSeconds: 0, overshoot: 0 },
};

/** The answer to an attack; `tried` is null where that was interrupted. */
export function reportAttack(
  attack: Attack,
  execution: Execution,
  tried: Tried | null,
): AttackReport {
  const { aim, protocol, level, behaviours, defences, forge, colluders, c1, seed } = attack;
  const ledger = execution.ledger ?? NOTHING_SPENT;
  const isRun = execution.outcome === 'run';
  return {
    succeeded: succeededIn(attack, execution),
    aim,
    sentence: sentenceOf(attack, execution, tried),
    ledger,
    stoppedBy: stoppedBy(tried?.trials ?? []),
    replay: replayOf(attack, execution.outcome === 'cancelled' ? null : ledger),
    ...{ protocol, level, behaviours, defences, forge, colluders, c1 },
    achieved: isRun ? aimsAchieved(execution.findings) : [],
    doubtful: isRun ? aimsAchieved(execution.doubtful) : [],
    members: execution.outcome === 'spent' ? [] : membersOf(execution),
    measured: isRun ? measuredOf(execution) : null,
    trials: tried?.trials ?? [],
    seed,
    notTried: tried?.notTried ?? [],
    interrupted: execution.outcome === 'cancelled' || tried === null,
    forgerSeed: forge === 'none' ? null : forgerSeed(seed),
  };
}

/** Null where it is not known. */
export function succeededIn({ aim }: Pick<Attack, 'aim'>, execution: Execution): boolean | null {
  if (execution.outcome !== 'run' || execution.seen.brokenOffAt !== null) return null;
  if (isReached(aim, execution.findings)) return true;
  return isReached(aim, execution.doubtful) ? null : false;
}

type Run = Execution & { readonly outcome: 'run' };

function membersOf({ members }: Pick<Run, 'members'>): AttackReport['members'] {
  return members.map((member, index) => {
    return { rank: index + 1, nodeId: memberText(member), owner: member.owner };
  });
}

function measuredOf({ seen, honest, keys }: Run): AttackReport['measured'] {
  const { ticks, leader, usurpedTicks, splitTicks, staleWrites, messages, brokenOffAt } = seen;
  const watched = { ticks, leader, leaderOtherwise: honest.leader };
  const broken = { brokenOffAt, otherwiseBrokenOffAt: honest.brokenOffAt };
  return { ...watched, usurpedTicks, splitTicks, staleWrites, messages, ...broken, keys };
}

function sentenceOf(attack: Attack, execution: Execution, tried: Tried | null): string {
  switch (execution.outcome) {
    case 'run':
      return runSentence(attack, execution, tried);
    case 'spent':
      return spentSentence(attack, execution.ledger);
    case 'cancelled':
      return cancelledSentence(attack, execution);
    default:
      return execution satisfies never;
  }
}

function cancelledSentence(attack: Attack, { ledger, members }: CancelledExecution): string {
  const what = `whether the adversary can ${AIM_WORDS[attack.aim]} is unknown`;
  if (members.length > 0) return `Interrupted before the election had been watched: ${what}.`;
  if (ledger === null) return `Interrupted while ordinary identities were mined: ${what}.`;
  return `Interrupted after ${countText(ledger)}, before the adversary had forged ${forgedWords(attack)}: ${what}.`;
}

function runSentence(attack: Attack, run: Run, tried: Tried | null): string {
  const { aim } = attack;
  const { seen, honest, findings } = run;
  const who = `The adversary, ${placesText(run)}, ${costText(run)}, ${meansText(attack)}`;
  if (seen.brokenOffAt !== null) {
    return `${who}: whether it can ${AIM_WORDS[aim]} is unknown, at tick ${seen.brokenOffAt} there was too much to watch.`;
  }
  if (isReached(aim, findings)) {
    return `${who}, ${outcomeClause(aim, seen)}; ${stoppingText(tried)}.`;
  }
  if (isReached(aim, run.doubtful)) {
    return `${who}, ${outcomeClause(aim, seen)}; but whether that came of its cheat is unknown, since of the same election without one there was too much to watch at tick ${honest.brokenOffAt}.`;
  }
  const otherwise = showsAim(aim, seen) && showsAim(aim, honest);
  if (otherwise) {
    return `${who}, did not ${AIM_WORDS[aim]} by it: the same comes of this election when nobody cheats.`;
  }
  const [instead] = aimsAchieved(findings);
  const what =
    instead === undefined
      ? standingClause(aim, seen)
      : `instead it ${outcomeClause(instead, seen)}`;
  return `${who}, did not ${AIM_WORDS[aim]}: ${what}.`;
}

function spentSentence(attack: Attack, ledger: Ledger): string {
  const wanted = forgedWords(attack);
  return `The budget ended before the adversary had forged ${wanted}: ${countText(ledger)} at c1 ${attack.c1} were not enough to attack ${attack.protocol}.`;
}

function forgedWords({ forge, colluders }: Attack): string {
  const many = colluders === 1 ? 'an identity' : `all ${colluders} identities`;
  switch (forge) {
    case 'none':
      return 'anything';
    case 'top':
      return `${many} above all honest ones`;
    case 'successor':
      return `${many} right after its victim's`;
    case 'spread':
      return 'more identities than the honest have';
    default:
      return forge satisfies never;
  }
}

function placesText(run: Run): string {
  const ranks = adversaryRanks(run.members);
  const [first = 0] = ranks;
  const last = ranks.at(-1) ?? first;
  const of = `of ${run.members.length}`;
  return ranks.length === 1
    ? `rank ${first} ${of}`
    : `${ranks.length} ranks ${first}..${last} ${of}`;
}

function meansText({ behaviours, protocol, level, defences }: Attack): string {
  const how =
    behaviours.length === 0 ? 'keeping to the protocol' : `with ${behaviours.join(' and ')}`;
  const against = defences.length === 0 ? '' : ` against ${defences.join(', ')}`;
  return `${how} on ${protocol} at ${level}${against}`;
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

/**
 * The command that gives the same again; seconds are replayed as the attempts that they bought, unless the
 * attack was interrupted: then it is begun anew.
 */
function replayOf(attack: Attack, ledger: Ledger | null): string {
  const { protocol, level, behaviours, defences, aim, nodes, c1, forge, colluders, seed } = attack;
  return [
    `usurp attack --protocol ${protocol}`,
    ...(behaviours.length === 0 ? [] : [`--behaviour ${behaviours.join(',')}`]),
    `--level ${level} --aim ${aim}`,
    ...(defences.length === 0 ? [] : [`--defence ${defences.join(',')}`]),
    `--nodes ${nodes} --c1 ${c1} --forge ${forge}`,
    ...(colluders === 1 ? [] : [`--colluders ${colluders}`]),
    ...(forge === 'none' ? [] : budgetWords(attack, ledger)),
    `--seed ${seed}`,
  ].join(' ');
}

function budgetWords({ budget }: Attack, ledger: Ledger | null): string[] {
  const { attempts, cpuSeconds } = budget;
  if (attempts !== undefined) return [`--attempts ${attempts}`];
  if (ledger !== null) return [`--attempts ${ledger.attempts}`];
  return cpuSeconds === undefined ? [] : [`--cpu ${cpuSeconds}s`];
}
