/**
 * @module
 * This folder makes the machines of a run: those of the protocol, and around them what the plan asks for:
 * defences, leader workload, a failure detector, authentication, Byzantine behaviours, and machines that
 * are played from outside. Each wrapper is made once for nodes that share a machine.
 */

import {
  admittedRanks,
  byzantineNodeOf,
  withBehaviours,
} from '../../adversary/behaviours/byzantine-node.ts';
import { symbolicKeys } from '../../adversary/keys.ts';
import type { Authentication, Keys } from '../../election/authentication/authenticated.ts';
import { createAuthenticated } from '../../election/authentication/authenticated.ts';
import {
  createInItsOwn,
  createInNewest,
  createNumberedElections,
  ELECTIONS_UNDER_WAY,
} from '../../election/authentication/numbered-elections.ts';
import { castWithClients } from '../../election/clients/client-cast.ts';
import { guardAround, guardInside, runByAll } from '../../election/defences/defended.ts';
import type { DetectorReport } from '../../election/detectors/detecting.ts';
import { createDetecting } from '../../election/detectors/detecting.ts';
import type { AnyDetector } from '../../election/detectors/detector.ts';
import { createDetector } from '../../election/detectors/registry.ts';
import { withReplica } from '../../election/lease/stores/lagging-replica.ts';
import { castWithWorkload } from '../../election/lease/workload-cast.ts';
import type { Rank } from '../../election/machine.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import type { Cast } from '../../election/world/cast.ts';
import { createCast, memoised, withNodes } from '../../election/world/cast.ts';
import type { OutsideNote } from '../../election/world/outside.ts';
import { createOutside } from '../../election/world/outside.ts';
import { absentAtFirst, lostWritesOf } from '../faults/schedule.ts';
import { castClientsOf } from '../plan/clients.ts';
import type { Plan } from '../plan/plan.ts';
import { ONE_ELECTION } from '../plan/plan.ts';
import { workloadEveryTicks } from '../plan/workload.ts';

/** What the machines need from the driver. */
export interface CastHooks {
  /** The present tick. */
  readonly clock: () => number;
  /** Receives each report of a detector. */
  readonly note: (word: DetectorReport) => void;
  /** Receives the reason when a node refuses the message that it receives now. */
  readonly refusal?: Authentication['onRefusal'];
  /** Receives each event of a node from outside. */
  readonly inbox?: OutsideNote | undefined;
}

/** What a caller uses instead of the usual parts. */
export interface CastParts {
  /** Machines instead of the protocol's own, for its variants. */
  readonly machineOf?: Cast['machineOf'] | undefined;
  /** Keys instead of symbolic ones. */
  readonly keysOf?: ((rank: Rank) => Keys) | undefined;
}

/** The cast of a plan, with everything that the plan asks for. */
export function createPlannedCast(plan: Plan, hooks: CastHooks, parts: CastParts = {}): Cast {
  const replicated = withReplica(createCast(plan, parts.machineOf), lostWritesOf(plan.schedule));
  const cast = withInnerDefences(replicated, plan);
  const loaded = loadedCast(cast, plan);
  const detector = plan.detector && createDetector(plan.detector, plan.timing);
  const watched = detector === null ? loaded : withDetector(loaded, detector, hooks);
  return withOutside(
    withAuthentication(watched, plan, { keysOf: parts.keysOf, onRefusal: hooks.refusal }),
    plan,
    hooks.inbox,
  );
}

function loadedCast(cast: Cast, { protocol, timing, workload, clients }: Plan): Cast {
  if (clients !== null) {
    return castWithClients(cast, castClientsOf(clients, { protocol, timing, workload }));
  }
  if (workload === null) return cast;
  const everyTicks = workloadEveryTicks(workload, timing);
  return castWithWorkload(cast, { protocol, ...workload, everyTicks });
}

/** Honest nodes get the defences that are next to their protocol. No Byzantine node defends itself. */
function withInnerDefences(cast: Cast, plan: Plan): Cast {
  const { protocol, timing, defences, byzantine } = plan;
  if (defences.length === 0) return cast;
  const unguarded = new Set(byzantine.map(({ rank }) => rank));
  const guarded = memoised((machine) => guardInside(machine, defences, { protocol, timing }));
  return withNodes(cast, (machine, rank) => (unguarded.has(rank) ? machine : guarded(machine)));
}

/**
 * The cast under the plan's level. Honest and Byzantine nodes run the same protocol under the same level;
 * a behaviour is put around the machine of a Byzantine node, so that it has the keys of that node only.
 */
function withAuthentication(
  cast: Cast,
  plan: Plan,
  { keysOf, onRefusal }: CastParts & Pick<Authentication, 'onRefusal'>,
): Cast {
  const { protocol, level, byzantine, timing, defences } = plan;
  if (level === null) return cast;
  const keys = keysOf ?? symbolicKeys(plan.seed, admittedRanks(plan));
  const authenticationIn = (number: string): Authentication => ({
    level,
    protocol,
    highestRank: plan.nodes,
    keysOf: keys,
    election: electionName(plan, Number(number)),
    onRefusal,
  });
  const numbers = isNumbered(plan);
  const authenticated = memoised((machine) => {
    const create = (election: string) => createAuthenticated(machine, authenticationIn(election));
    return numbers ? createNumberedElections(create, timing) : create(ONE_ELECTION);
  });
  const defended = memoised((machine) => {
    const create = (election: string) => {
      const authentication = authenticationIn(election);
      return guardAround(machine, defences, { protocol, timing, authentication });
    };
    const isReceipted = numbers && defences.includes('receipts');
    return isReceipted ? createInItsOwn(create, authenticationIn) : create(ONE_ELECTION);
  });
  const shared = runByAll(defences);
  const byzantineMachines = new Map(
    byzantine.map((node) => {
      const own = authenticated(cast.machineOf(node.rank));
      const create = (election: string) => {
        const authentication = authenticationIn(election);
        const machine = guardAround(own, shared, { protocol, timing, authentication });
        const { rank, behaviours } = node;
        return withBehaviours(machine, behaviours, byzantineNodeOf(plan, rank, authentication));
      };
      return [node.rank, numbers ? createInNewest(create) : create(ONE_ELECTION)];
    }),
  );
  return withNodes(
    cast,
    (machine, rank) => byzantineMachines.get(rank) ?? defended(authenticated(machine)),
  );
}

/** Nothing is put around a node from outside: it receives what the network delivers, with all seals. */
function withOutside(
  cast: Cast,
  { outside, openings }: Plan,
  note: OutsideNote = () => undefined,
): Cast {
  const played = new Set([...outside.map(({ rank }) => rank), ...openings]);
  if (played.size === 0) return cast;
  const machine = createOutside(note);
  return withNodes(cast, (inner, rank) => (played.has(rank) ? machine : inner));
}

function withDetector(cast: Cast, detector: AnyDetector, { clock, note }: CastHooks): Cast {
  return withNodes(
    cast,
    memoised((machine) => createDetecting(machine, detector, clock, note)),
  );
}

/**
 * Whether each join makes another election, for signatures that are for one election: in rings, which relay
 * candidates and number nothing. Elsewhere a term or an epoch does it, or only the leader itself names a leader.
 */
export function isNumbered({ protocol, level, schedule, openings }: Plan): boolean {
  const { family, successors } = PROTOCOLS[protocol];
  if (level !== 'L3' || family !== 'ring' || successors > 1) return false;
  return openings.length > 0 || (schedule !== null && absentAtFirst(schedule).length > 0);
}

/** The name of the election among this number of members, dead members included. */
export function electionName(plan: Plan, members: number): string {
  if (!isNumbered(plan)) return plan.election;
  return plan.election === ONE_ELECTION ? String(members) : `${plan.election}.${members}`;
}

/**
 * The names of earlier elections of which messages may be in flight, the newest first. An answer belongs to
 * the election of its question, in which alone the candidates were shown.
 */
export function earlierNames(plan: Plan, members: number): readonly string[] {
  if (!isNumbered(plan)) return [];
  const first = plan.nodes - plan.absent.length;
  const count = Math.min(ELECTIONS_UNDER_WAY - 1, members - first);
  return Array.from({ length: count }, (_, index) => electionName(plan, members - 1 - index));
}
