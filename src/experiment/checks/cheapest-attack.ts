/**
 * @module
 * The cheapest attack on an election within bounds. Identities that an adversary forges differ, for a protocol, by their
 * ranks alone, and for the adversary by their costs (placements.ts). Each placement is one check. A placement that
 * contains one that works needs no check: the adversary leaves the other identities out.
 *
 * What an adversary must spend on average follows from all placements together: it mines until it has one that works. If
 * some checks were capped, there are two bounds: as if all of those worked, and as if none did.
 */

import type { CheckResult } from '../../checking/check.ts';
import type { CheckRequest } from '../../checking/check-request.ts';
import type { GoalName } from '../../checking/properties/goals.ts';
import type { SearchCounts } from '../../checking/search.ts';
import type { HonestNetwork, PlacementCost, PricedPlacement } from './placements.ts';
import { adversaryRanksOf, costOfAny, isWithin, pricedPlacements } from './placements.ts';
import type { Check } from './request.ts';
import { requestOf, ringOf } from './request.ts';

export interface CostlyAttack {
  /** The members that all checks have. */
  readonly check: Omit<Check, 'ring' | 'byzantine' | 'phantoms' | 'properties'>;
  readonly goal: GoalName;
  /** The behaviours that each identity of the adversary has. */
  readonly behaviours: readonly string[];
  /** Most identities of the adversary. */
  readonly colluders: number;
  readonly network: HonestNetwork;
}

/** What is known of a placement. */
export type PlacementOutcome =
  /** The attack reaches the goal. The trace has the fewest actions unless the check says otherwise. */
  | { readonly type: 'reached'; readonly request: CheckRequest; readonly result: Violated }
  /** No world within the bounds has the goal. */
  | { readonly type: 'exhausted'; readonly counts: SearchCounts }
  | { readonly type: 'capped'; readonly counts: SearchCounts; readonly detail: string }
  /** A part of it reaches the goal. */
  | { readonly type: 'contains' }
  /** The check did not begin. */
  | { readonly type: 'open' };

type Violated = Extract<CheckResult, { readonly type: 'violated' }>;

export interface JudgedPlacement {
  readonly placement: PricedPlacement;
  readonly outcome: PlacementOutcome;
}

export interface CheapestAttack {
  /** The cheapest first. */
  readonly judged: readonly JudgedPlacement[];
  /** The cheapest placement that reaches the goal; of equally expensive ones that with the fewest actions. */
  readonly cheapest: (JudgedPlacement & { readonly outcome: Reached }) | null;
  /** What an adversary spends on average at least, and what is enough. Infinity if nothing that is checked works. */
  readonly least: PlacementCost;
  readonly enough: PlacementCost;
}

type Reached = Extract<PlacementOutcome, { readonly type: 'reached' }>;

/** Carries out one check. Null if it must stop. */
export type RunCheck = (request: CheckRequest) => Promise<CheckResult | null>;

/** The check of a placement. Throws LabError for members that do not fit together. */
export function placedRequest(attack: CostlyAttack, placement: PricedPlacement): CheckRequest {
  const { check, goal, behaviours, network } = attack;
  const ranks = adversaryRanksOf(placement);
  const members = network.nodeIds.length + ranks.length;
  const isPhantom = ranks.length > 0 && behaviours.includes('phantom-id');
  const bounds = ranks.length === 0 ? { ...check.bounds, lies: 0 } : check.bounds;
  return requestOf({
    ...check,
    ring: ringOf(isPhantom ? members + 1 : members),
    level: check.level ?? 'L0',
    ...(bounds !== undefined && { bounds }),
    ...(isPhantom && { phantoms: [members + 1] }),
    ...(ranks.length > 0 && {
      byzantine: ranks.map((rank) => ({ rank, behaviours: [...behaviours] })),
    }),
    goal,
  });
}

/** Checks all placements, the cheapest first. */
export async function findCheapestAttack(
  attack: CostlyAttack,
  runCheck: RunCheck,
): Promise<CheapestAttack> {
  const { network, colluders, goal } = attack;
  const placements = pricedPlacements(network, colluders);
  // What does not fit together is refused before the first check.
  for (const placement of placements) placedRequest(attack, placement);
  const judged: JudgedPlacement[] = [];
  let isStopped = false;
  for (const placement of placements) {
    const outcome = isStopped ? OPEN : knownOutcome(placement, goal, judged);
    if (outcome !== null) {
      judged.push({ placement, outcome });
      continue;
    }
    const request = placedRequest(attack, placement);
    const result = await runCheck(request);
    isStopped = result === null;
    judged.push({ placement, outcome: result === null ? OPEN : outcomeOf(request, result) });
  }
  return concluded(network, judged);
}

const OPEN: PlacementOutcome = { type: 'open' };
const NOTHING: SearchCounts = { states: 0, transitions: 0, depth: 0, queue: 0, steps: 0, bytes: 0 };

/** The outcome that needs no check. Null if a check is needed. */
function knownOutcome(
  placement: PricedPlacement,
  goal: GoalName,
  judged: readonly JudgedPlacement[],
): PlacementOutcome | null {
  const isContaining = judged.some(
    (each) => each.outcome.type === 'reached' && isWithin(each.placement, placement),
  );
  if (isContaining) return { type: 'contains' };
  // Without an identity no node is Byzantine.
  const isIdle = placement.below.length === 0 && goal === 'leader';
  return isIdle ? { type: 'exhausted', counts: NOTHING } : null;
}

function outcomeOf(request: CheckRequest, result: CheckResult): PlacementOutcome {
  switch (result.type) {
    case 'violated':
      return { type: 'reached', request, result };
    case 'exhausted':
      return { type: 'exhausted', counts: result.counts };
    case 'capped':
      return { type: 'capped', counts: result.counts, detail: result.detail };
    default:
      return result satisfies never;
  }
}

function concluded(network: HonestNetwork, judged: readonly JudgedPlacement[]): CheapestAttack {
  const reached = judged.flatMap(({ placement, outcome }) =>
    outcome.type === 'reached' ? [{ placement, outcome }] : [],
  );
  const [first] = reached;
  const cheapest = reached
    .filter(({ placement }) => placement.hashes === first?.placement.hashes)
    .toSorted((one, other) => actionsOf(one.outcome) - actionsOf(other.outcome));
  const undecided = judged.filter(({ outcome: { type } }) => type === 'capped' || type === 'open');
  const works = reached.map(({ placement }) => placement);
  return {
    judged,
    cheapest: cheapest[0] ?? null,
    least: costOfAny(network, [...works, ...undecided.map(({ placement }) => placement)]),
    enough: costOfAny(network, works),
  };
}

export function actionsOf({ result }: Reached): number {
  return result.trace.actions.length;
}
