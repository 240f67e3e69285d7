/**
 * @module
 * This folder makes the machines of a run: those of the protocol, and around them what the plan asks for:
 * defences, leader workload, a failure detector, authentication, Byzantine behaviours, and machines that
 * are played from outside. Each wrapper is made once for nodes that share a machine.
 */

import type { Behaviour } from '../../adversary/behaviours/behaviour.ts';
import { findBehaviour } from '../../adversary/behaviours/registry.ts';
import { confined, symbolicKeys } from '../../adversary/keys.ts';
import type { Authentication, Keys } from '../../election/authentication/authenticated.ts';
import { createAuthenticated } from '../../election/authentication/authenticated.ts';
import {
  createInItsOwn,
  createInNewest,
  createNumberedElections,
} from '../../election/authentication/numbered-elections.ts';
import { guardAround, guardInside, runByAll } from '../../election/defences/defended.ts';
import type { AnyMachine } from '../../election/definition/protocol.ts';
import type { DetectorReport } from '../../election/detectors/detecting.ts';
import { createDetecting } from '../../election/detectors/detecting.ts';
import type { AnyDetector } from '../../election/detectors/detector.ts';
import { createDetector } from '../../election/detectors/registry.ts';
import { castWithWorkload } from '../../election/lease/workload-cast.ts';
import type { Rank } from '../../election/machine.ts';
import type { Cast } from '../../election/world/cast.ts';
import { createCast, toRank } from '../../election/world/cast.ts';
import type { OutsideNote } from '../../election/world/outside.ts';
import { createOutside } from '../../election/world/outside.ts';
import { LabError } from '../../errors.ts';
import { ONE_ELECTION } from '../plan/outside-nodes.ts';
import type { Byzantine, Plan } from '../plan/plan.ts';
import type { Workload } from '../plan/workload.ts';
import { workloadEveryTicks } from '../plan/workload.ts';
import { electionName, isNumbered } from './election-name.ts';

/** What the machines need from the driver. */
export interface CastHooks {
  /** The present tick. */
  readonly clock: () => number;
  /** Receives each report of a detector. */
  readonly note: (word: DetectorReport) => void;
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
  const cast = withInnerDefences(createCast(plan, parts.machineOf), plan);
  const loaded = plan.workload === null ? cast : loadedCast(cast, plan, plan.workload);
  const detector = plan.detector && createDetector(plan.detector, plan.timing);
  const watched = detector === null ? loaded : withDetector(loaded, detector, hooks);
  return withOutside(withAuthentication(watched, plan, parts.keysOf), plan, hooks.inbox);
}

function loadedCast(cast: Cast, { protocol, timing }: Plan, workload: Workload): Cast {
  const everyTicks = workloadEveryTicks(workload, timing);
  return castWithWorkload(cast, { protocol, ...workload, everyTicks });
}

/** The cast with another machine for each node. The store keeps its own. */
function withNodes(cast: Cast, wrap: (machine: AnyMachine, rank: number) => AnyMachine): Cast {
  const machineOf = (rank: number) => {
    const machine = cast.machineOf(rank);
    return rank === cast.store ? machine : wrap(machine, rank);
  };
  return { ...cast, machineOf };
}

/** `make`, with the same result at every call for the same machine. */
function memoised(make: (machine: AnyMachine) => AnyMachine): (machine: AnyMachine) => AnyMachine {
  const made = new Map<AnyMachine, AnyMachine>();
  return (machine) => {
    const known = made.get(machine) ?? make(machine);
    made.set(machine, known);
    return known;
  };
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
function withAuthentication(cast: Cast, plan: Plan, keysOf: CastParts['keysOf']): Cast {
  const { protocol, level, byzantine, timing, defences } = plan;
  if (level === null) return cast;
  const keys = keysOf ?? symbolicKeys(plan.seed, admitted(plan));
  const authenticationIn = (number: string): Authentication => ({
    ...{ level, protocol, highestRank: plan.nodes, keysOf: keys },
    election: electionName(plan, Number(number)),
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
        return withBehaviours(machine, node, plan, authentication);
      };
      return [node.rank, numbers ? createInNewest(create) : create(ONE_ELECTION)];
    }),
  );
  return withNodes(
    cast,
    (machine, rank) => byzantineMachines.get(rank) ?? defended(authenticated(machine)),
  );
}

/** Ranks whose keys are accepted: all but the phantoms. */
function admitted({ nodes, phantoms }: Plan): Rank[] {
  const ranks = Array.from({ length: nodes }, (_, index) => index + 1);
  return ranks.filter((rank) => !phantoms.includes(rank)).map(toRank);
}

function withBehaviours(
  machine: AnyMachine,
  { rank, behaviours }: Byzantine,
  plan: Plan,
  authentication: Authentication,
): AnyMachine {
  const accomplices = plan.byzantine.map((each) => toRank(each.rank));
  const phantom = plan.phantoms.reduce((highest, each) => Math.max(highest, each), 0);
  const byzantineNode = {
    protocol: plan.protocol,
    timing: plan.timing,
    accomplices,
    rank: toRank(rank),
    // A behaviour has the keys of its accomplices only, so that it cannot sign for honest nodes.
    authentication: confined(authentication, accomplices),
    phantom: toRank(phantom === 0 ? plan.nodes : phantom),
  };
  return behaviours.reduce<AnyMachine>((inner, name) => {
    const wrapped: AnyMachine | undefined = behaviourOf(name).wrap(inner, byzantineNode);
    // The types of a file of the user are not checked. Without a machine the node would be honest.
    if (wrapped !== undefined) return wrapped;
    throw new LabError(
      'arguments',
      `behaviour ${name}: "wrap" must return a machine, got undefined`,
    );
  }, machine);
}

function behaviourOf(name: string): Behaviour {
  const behaviour = findBehaviour(name);
  if (behaviour === null) throw new RangeError(`"name" expected a behaviour, got ${name}`);
  return behaviour;
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
