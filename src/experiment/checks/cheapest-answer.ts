/**
 * @module
 * The cheapest attack as JSON data and in sentences.
 */

import { bytesToHex } from '../../bytes.ts';
import { instanceOf } from '../../checking/check-request.ts';
import { GOALS } from '../../checking/properties/goals.ts';
import { attemptHashes } from '../../mining/policy-cost.ts';
import type { CheapestAttack, CostlyAttack, JudgedPlacement } from './cheapest-attack.ts';
import { actionsOf } from './cheapest-attack.ts';
import type { PlacementCost } from './placements.ts';
import { adversaryRanksOf, placementText } from './placements.ts';

/** `reached`: some placement works. `unreached`: none does, and all were exhausted. */
export type CheapestResult = 'reached' | 'unreached' | 'unknown';

export function cheapestResult({ cheapest, judged }: CheapestAttack): CheapestResult {
  if (cheapest !== null) return 'reached';
  return judged.some(isUndecided) ? 'unknown' : 'unreached';
}

/** The answer. Expectations that are infinite are null. */
export function cheapestAnswer(attack: CostlyAttack, found: CheapestAttack) {
  const { check, goal, behaviours, colluders, network } = attack;
  const { cheapest, least, enough } = found;
  const result = cheapestResult(found);
  const { protocol, level = 'L0', ...members } = check;
  return {
    result,
    protocol,
    goal,
    property: GOALS[goal].property.name,
    level,
    behaviours,
    colluders,
    check: members,
    honest: network.nodeIds.map(bytesToHex),
    policy: network.policy,
    placements: found.judged.map((each) => ({
      where: placementText(each.placement, network.nodeIds.length),
      ranks: adversaryRanksOf(each.placement),
      ...finite(each.placement),
      ...outcomeMembers(each),
    })),
    cheapest: cheapest === null ? null : foundMembers(cheapest, network.nodeIds.length),
    least: finite(least),
    enough: result === 'reached' ? finite(enough) : null,
    sentences: cheapestSentences(attack, found),
  };
}

function finite({ attempts, hashes }: PlacementCost) {
  const known = (value: number) => (Number.isFinite(value) ? value : null);
  return { attempts: known(attempts), hashes: known(hashes) };
}

/** `actions` is the length of the list of actions, and null without one. */
function outcomeMembers({ outcome }: JudgedPlacement) {
  switch (outcome.type) {
    case 'reached': {
      const { counts, isReduced } = outcome.result;
      return {
        outcome: outcome.type,
        states: counts.states,
        actions: actionsOf(outcome),
        // A longer list than needed, if the search for a shorter one was capped.
        isShortest: !isReduced,
      };
    }
    case 'exhausted':
      return { outcome: outcome.type, states: outcome.counts.states, actions: null };
    case 'capped': {
      const { counts, detail } = outcome;
      return { outcome: outcome.type, states: counts.states, actions: null, detail };
    }
    case 'contains':
    case 'open':
      return { outcome: outcome.type, states: 0, actions: null };
    default:
      return outcome satisfies never;
  }
}

function foundMembers(
  { placement, outcome }: NonNullable<CheapestAttack['cheapest']>,
  honest: number,
) {
  const { request, result } = outcome;
  const { property, breach, cycleFrom, repeatsFrom, rises, trace } = result;
  const { cast } = instanceOf(request);
  return {
    where: placementText(placement, honest),
    ranks: adversaryRanksOf(placement),
    property: property.name,
    breach,
    cycleFrom,
    repeatsFrom,
    rises,
    address: trace.address,
    actions: trace.actions,
    store: cast.store,
  };
}

function isUndecided({ outcome: { type } }: JudgedPlacement): boolean {
  return type === 'capped' || type === 'open';
}

/** What was found, and which part of it is proved within the bounds. */
export function cheapestSentences(attack: CostlyAttack, found: CheapestAttack): string[] {
  const { goal, network, colluders } = attack;
  const { cheapest, judged, least, enough } = found;
  const cost = (of: PlacementCost) => costText(of, attemptHashes(network.policy) === 0);
  const undecided = judged.filter(isUndecided);
  const open = openSentences(undecided, network.nodeIds.length);
  const most = colluders === 1 ? 'one identity' : `${colluders} identities`;
  if (cheapest === null) {
    if (undecided.length === 0) {
      return [`${goal}: no placement of at most ${most} reaches this goal within the bounds`];
    }
    const decided = judged.length - undecided.length;
    return [
      `${goal}: no placement was found that reaches this goal; ${decided} of ${judged.length} placements of at most ${most} were exhausted, and the others are not decided`,
      `an adversary that reaches it with at most ${most} spends at least ${cost(least)} on average`,
      ...open,
    ];
  }
  const { placement, outcome } = cheapest;
  const where = placementText(placement, network.nodeIds.length);
  const count = actionsOf(outcome);
  const cheaper = judged.slice(
    0,
    judged.findIndex((each) => each.placement === placement),
  );
  const cheaperOpen = cheaper.filter(isUndecided).length;
  const proof =
    cheaperOpen === 0
      ? 'no cheaper placement reaches the goal within the bounds'
      : `${cheaperOpen} of ${cheaper.length} cheaper placements are not decided`;
  const identities = placement.below.length === 0 ? 'no identity' : `"${where}"`;
  const range =
    least.hashes === enough.hashes && least.attempts === enough.attempts
      ? `${cost(enough)} on average`
      : `between ${cost(least)} and ${cost(enough)} on average`;
  return [
    `${goal}: the cheapest placement that reaches this goal is ${identities}, with ${cost(placement)} on average and then ${count} actions; ${proof}`,
    `an adversary that stops at the first placement that works spends ${range}`,
    ...open,
  ];
}

/** The placements without a decision, by the reason. Empty without any. */
function openSentences(undecided: readonly JudgedPlacement[], honest: number): string[] {
  const reasons = Map.groupBy(undecided, ({ outcome }) =>
    outcome.type === 'capped' ? outcome.detail : 'not checked, as the search was stopped',
  );
  return [...reasons].map(([reason, own]) => {
    const names = own.map(({ placement }) => `"${placementText(placement, honest)}"`);
    return `not decided (${reason}): ${names.join(', ')}`;
  });
}

/** Hashes, or keys if the policy hashes nothing. */
function costText({ attempts, hashes }: PlacementCost, isUnhashed: boolean): string {
  const value = isUnhashed ? attempts : hashes;
  const shown = value < 1e6 ? String(Math.round(value)) : value.toExponential(2);
  return `${shown} ${isUnhashed ? 'keys' : 'hashes'}`;
}
