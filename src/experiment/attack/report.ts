/**
 * @module
 * The report of an attack: one sentence on the harm that the adversary did, the cost, and the defences that
 * would have stopped it.
 */

import { bytesToHex } from '../../bytes.ts';
import type { Ledger } from '../../mining/ledger.ts';
import { counted } from '../document/wording.ts';
import type { Finding, Sighting } from '../properties/sighting.ts';
import type { Harm } from '../staging/judgement.ts';
import {
  AIM_FACTS,
  aimsReached,
  aimVerb,
  isReached,
  showsAim,
  standingClause,
} from '../staging/judgement.ts';
import type { Attack, CancelledExecution, Execution } from './attack.ts';
import { adversaryRanks, forgerSeed } from './population.ts';
import type { SetSearch } from './sets.ts';
import { SET_SIZE_MAX } from './sets.ts';
import type { Tried } from './trials.ts';
import { stoppedBy } from './trials.ts';

const NOTHING_SPENT: Ledger = {
  attempts: 0,
  hashes: 0,
  groupOperations: 0,
  cpuSeconds: 0,
  wallSeconds: 0,
  overshoot: 0,
};

/** The report of an attack. `tried` is null if the trials were interrupted. */
export function reportAttack(attack: Attack, execution: Execution, tried: Tried | null) {
  const { aim, protocol, level, behaviours, defences, forge, colluders, c1, seed } = attack;
  const ledger = execution.ledger ?? NOTHING_SPENT;
  const isRun = execution.outcome === 'run';
  return {
    succeeded: succeededIn(attack, execution),
    aim,
    sentence: sentenceOf(attack, execution, tried),
    ledger,
    stoppedBy: stoppedBy(tried?.trials ?? []),
    protocol,
    level,
    behaviours: behaviours.map(({ name }) => name),
    defences,
    forge,
    colluders,
    c1,
    harms: isRun ? harmsOf(execution.findings) : [],
    possibleHarms: isRun ? harmsOf(execution.doubtful) : [],
    members: execution.outcome === 'spent' ? [] : membersOf(execution),
    measured: isRun ? measuredOf(execution) : null,
    trials: tried?.trials ?? [],
    sets: tried?.sets ?? null,
    seed,
    notTried: tried?.notTried ?? [],
    interrupted: execution.outcome === 'cancelled' || tried === null,
    forgerSeed: forge === 'none' ? null : forgerSeed(seed),
  };
}

/** Null if it is unknown. */
export function succeededIn({ aim }: Pick<Attack, 'aim'>, execution: Execution): boolean | null {
  if (execution.outcome !== 'run' || execution.seen.brokenOffAt !== null) return null;
  if (isReached(aim, execution.findings)) return true;
  return isReached(aim, execution.doubtful) ? null : false;
}

function harmsOf(findings: readonly Finding[]): readonly Harm[] {
  return aimsReached(findings).map((aim) => AIM_FACTS[aim].harm);
}

type Run = Execution & { readonly outcome: 'run' };

function membersOf({ members }: Pick<Run, 'members'>) {
  return members.map(({ nodeId, owner }, index) => {
    return { rank: index + 1, nodeId: bytesToHex(nodeId), owner };
  });
}

function measuredOf({ seen, honest, keys }: Run) {
  const { ticks, leader, usurpedTicks, splitTicks, messages, brokenOffAt } = seen;
  const { staleWrites, lateWrites } = seen;
  const watched = { ticks, leader, leaderOtherwise: honest.leader };
  const broken = { brokenOffAt, otherwiseBrokenOffAt: honest.brokenOffAt };
  const counts = { usurpedTicks, splitTicks, staleWrites, lateWrites, messages };
  return { ...watched, ...counts, ...broken, keys };
}

function sentenceOf(attack: Attack, execution: Execution, tried: Tried | null): string {
  switch (execution.outcome) {
    case 'run':
      return `The adversary, ${meansText(attack, execution)}${runClause(attack, execution, tried)}.`;
    case 'spent':
      return `The budget ended before the adversary had forged ${forgedText(attack)}: ${countText(execution.ledger)} at c1 ${attack.c1} were not enough to attack ${attack.protocol}.`;
    case 'cancelled':
      return `Interrupted ${interruptedText(attack, execution)}: whether the adversary can ${aimVerb(attack.aim)} is unknown.`;
    default:
      return execution satisfies never;
  }
}

function interruptedText(attack: Attack, { ledger, members }: CancelledExecution): string {
  if (members.length > 0) return 'before the election had been watched';
  if (ledger === null) return 'while ordinary identities were mined';
  return `after ${countText(ledger)}, before the adversary had forged ${forgedText(attack)}`;
}

function runClause({ aim }: Attack, run: Run, tried: Tried | null): string {
  const { seen, honest, findings } = run;
  const verb = aimVerb(aim);
  if (seen.brokenOffAt !== null) {
    return `: whether it can ${verb} is unknown, because at tick ${seen.brokenOffAt} the election had become too large to watch`;
  }
  if (isReached(aim, findings)) {
    return `, broke the election: ${harmText(findings, seen)}; ${stoppingText(tried)}`;
  }
  if (isReached(aim, run.doubtful)) {
    return ` ended with ${harmText(run.doubtful, seen)}; whether the attack caused that is unknown, because without it the same election had become too large to watch at tick ${honest.brokenOffAt}`;
  }
  const otherwise =
    findings.length === 0 ? '' : `, but broke the election: ${harmText(findings, seen)}`;
  if (showsAim(aim, seen) && showsAim(aim, honest)) {
    return `, did not ${verb} by its attack: the same election without an attack ends in the same way${otherwise}`;
  }
  return `, did not ${verb}${otherwise || `: ${standingClause(aim, seen)}`}`;
}

/** Each harm with what shows it. */
function harmText(findings: readonly Finding[], seen: Sighting): string {
  const texts = aimsReached(findings).map((aim) => {
    const { harm, detail } = AIM_FACTS[aim];
    return `${harm.replace('-', ' ')} (${detail(seen)})`;
  });
  return texts.join(' and ');
}

function forgedText({ forge, colluders }: Attack): string {
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

/** The ranks of the adversary, the cost, and what it did against what. */
function meansText({ behaviours, protocol, level, defences }: Attack, run: Run): string {
  const ranks = adversaryRanks(run.members);
  const held = ranks.length === 1 ? `rank ${ranks[0]}` : `ranks ${listText(ranks)}`;
  const cost =
    run.ledger === null
      ? 'forging nothing'
      : `${run.isForged ? 'forged for' : 'forging in vain for'} ${countText(run.ledger)}`;
  const how =
    behaviours.length === 0
      ? 'following the protocol'
      : `with ${behaviours.map(({ name }) => name).join(' and ')}`;
  const against = defences.length === 0 ? '' : ` against ${defences.join(', ')}`;
  return `${held} of ${run.members.length}, ${cost}, ${how} on ${protocol} at ${level}${against}`;
}

/** "1 and 2", "1, 2 and 3", "1 to 9" or "1, 3 and 5". */
function listText(ranks: readonly number[]): string {
  const [first = 0] = ranks;
  const last = ranks.at(-1) ?? first;
  const isRow = last - first === ranks.length - 1;
  if (isRow && ranks.length > 3) return `${first} to ${last}`;
  return `${ranks.slice(0, -1).join(', ')} and ${last}`;
}

function countText({ attempts, hashes }: Ledger): string {
  return `${counted(attempts, 'attempt')} and ${counted(hashes, 'hash')}`;
}

function stoppingText(tried: Tried | null): string {
  if (tried === null) return 'the defences against it were not tried';
  const stopping = stoppedBy(tried.trials);
  const unknown = tried.trials.flatMap(({ defence, stops }) => (stops === null ? [defence] : []));
  const open = unknown.length === 0 ? '' : `, and whether ${unknown.join(' or ')} does is unknown`;
  if (stopping.length === 0) {
    return `no single defence that was tried is known to stop it${open}${setText(tried.sets)}`;
  }
  const either = stopping.length === 1 ? '' : 'any one of ';
  return `${either}${stopping.join(', ')} would have stopped it${open}`;
}

/** What the search for a set found, as the end of a sentence. */
function setText(sets: SetSearch | null): string {
  if (sets === null || sets.tried === 0) return '';
  const { smallest, tried, complete } = sets;
  const bound = `${counted(tried, 'set')} of up to ${SET_SIZE_MAX} defences`;
  if (smallest === null) {
    return complete
      ? `, nor any of the ${bound} that fit together`
      : `, nor any of the ${bound} that were tried within the limit`;
  }
  const set = `${smallest.slice(0, -1).join(', ')} and ${smallest.at(-1)}`;
  return complete
    ? `; the smallest set that would have stopped it is ${set}`
    : `; ${set} together would have stopped it`;
}
