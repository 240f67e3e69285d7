/**
 * @module
 * What is checked, as plain data. The command line, threads and checkpoints build the same search from it, so that
 * all that changes the worlds of a check must be a member of it.
 */

import {
  admittedRanks,
  byzantineNodeOf,
  withBehaviours,
} from '../adversary/behaviours/byzantine-node.ts';
import type { FreeState } from '../adversary/behaviours/free-node.ts';
import { createFree, instructionsFor } from '../adversary/behaviours/free-node.ts';
import { symbolicKeys } from '../adversary/keys.ts';
import type { Authentication, Level } from '../election/authentication/authenticated.ts';
import { createAuthenticated } from '../election/authentication/authenticated.ts';
import { castWithClients } from '../election/clients/client-cast.ts';
import type { Flags } from '../election/definition/flags.ts';
import type { AnyMachine } from '../election/definition/protocol.ts';
import { withReplica } from '../election/lease/stores/lagging-replica.ts';
import type { ResourceKind } from '../election/lease/stores/resource.ts';
import { castWithWorkload } from '../election/lease/workload-cast.ts';
import type { ProtocolName } from '../election/registry.ts';
import { PROTOCOLS } from '../election/registry.ts';
import type { Timing } from '../election/timing.ts';
import { answerTicks } from '../election/timing.ts';
import { linkedGraph } from '../election/topology/registry.ts';
import type { Cast } from '../election/world/cast.ts';
import { createCast, fromRank, memoised, withNodes } from '../election/world/cast.ts';
import { createRandom, parseSeed } from '../random.ts';
import type { CheckOptions } from './check.ts';
import type { Bounds, FreeNode, Instance } from './instance.ts';
import type { GoalName, GoalStage } from './properties/goals.ts';
import { neverReached, soughtBy } from './properties/goals.ts';
import { CHECKED_PROPERTIES } from './properties/registry.ts';
import type { CheckedProperty } from './property.ts';
import type { SearchOptions } from './search.ts';
import type { Judged } from './visited/judge.ts';
import type { WalkPlan } from './walks/random-walks.ts';

/** JSON data. Equal requests have equal results. */
export interface CheckRequest extends Omit<Instance, 'cast' | 'free'> {
  /** What nodes check of messages. Default: nothing. Byzantine nodes need one. */
  readonly level?: Level | undefined;
  readonly byzantine?: readonly CheckedByzantine[] | undefined;
  readonly flags: Flags;
  /** Every rank once, clockwise. */
  readonly ring: readonly number[];
  /** Which nodes have a link, as parseTopology reads it. A random one is that of seed 1. Default: each pair of nodes. */
  readonly topology?: string | undefined;
  readonly bounds: Bounds;
  /** Names of the checked properties. With a goal, those of the goal alone. */
  readonly properties: readonly string[];
  /** What the Byzantine nodes seek: the check looks for a shortest example instead of properties. Default: none. */
  readonly goal?: GoalName | undefined;
  readonly order: SearchOptions['order'];
  readonly isReduced: boolean;
  /** Random walks instead of a search. Order and reduction mean nothing then. */
  readonly walks?: WalkPlan | undefined;
}

/** Limits after which a search stops. They change no result that it reaches before. */
export type Limits = Pick<SearchOptions, 'statesMax' | 'bytesMax'>;

/** Throws RangeError for flags that the protocol does not have, and LabError for a topology that does not fit it. */
export function instanceOf({ protocol, flags, ring, ...request }: CheckRequest): Instance {
  const { crashedBefore, absent, phantoms, initiators, resource, ...others } = request;
  const { clients } = others;
  const { starts, timing, links, bounds, cut, perLink, isShifted, spread } = others;
  const { isSymmetric = false } = others;
  const away = [...(absent ?? []), ...(phantoms ?? [])];
  const linked = { ...request, ring, protocol: PROTOCOLS[protocol], absent: away };
  const graph = linkedGraph(linked, createRandom(SEED, 'topology'));
  const nodes = { ring, crashedBefore, absent, phantoms, graph };
  const plain = withReplica(
    createCast({ protocol, timing: LATENCY, flags, ...nodes }),
    bounds.failover,
  );
  const loaded = loadedCast(plain, clients, { protocol, resource });
  const { level, byzantine = [] } = request;
  const options = { protocol, timing: LATENCY, byzantine, phantoms: phantoms ?? [] };
  const { cast, free } =
    level === undefined
      ? { cast: loaded, free: undefined }
      : byzantineCast(loaded, { ...options, level, isFree: bounds.lies > 0 });
  return {
    free,
    protocol,
    cast,
    crashedBefore,
    absent,
    phantoms,
    initiators,
    starts,
    timing,
    links,
    bounds,
    cut,
    perLink,
    spread,
    resource,
    clients,
    // Proofs contain terms, and so does what a Byzantine node knows.
    isShifted: isShifted && level === undefined && clients === undefined,
    // So do the states around those of the protocol, newcomers are admitted in the order of their ranks, and links differ.
    isSymmetric:
      isSymmetric &&
      level === undefined &&
      clients === undefined &&
      bounds.join + bounds.leave + bounds.failover === 0 &&
      graph === null,
  };
}

/** Operations of each client of a check. */
const CLIENT_OPERATIONS = 2;

/** The cast whose leaders serve clients, or only write to a resource. */
function loadedCast(
  cast: Cast,
  clients: Instance['clients'],
  { protocol, resource }: Pick<Instance, 'protocol' | 'resource'>,
): Cast {
  if (clients !== undefined) {
    return castWithClients(cast, {
      protocol,
      reads: clients.reads,
      clients: clients.count,
      operationsMax: CLIENT_OPERATIONS * clients.count,
      // No message is repeated, and no client gives up: what the search cannot lose need not be timed.
      everyTicks: 0,
      patienceTicks: null,
      workload: resource === undefined ? null : { protocol, resource, everyTicks: 0 },
    });
  }
  return resource === undefined ? cast : castWithResource(cast, protocol, resource);
}

/** The cast whose leaders write to a resource. */
export function castWithResource(cast: Cast, protocol: ProtocolName, resource: ResourceKind): Cast {
  return castWithWorkload(cast, { protocol, resource, everyTicks: answerTicks(LATENCY) });
}

/** The instance and the properties of a request. Throws RangeError as `instanceOf` does. */
export function judgedOf(request: CheckRequest): Judged {
  return {
    instance: instanceOf(request),
    properties: propertiesOf(request),
    byzantine: new Set((request.byzantine ?? []).map(({ rank }) => rank)),
  };
}

/** The same for walks by hand. A goal is a property that holds in a world that reaches it. */
export function walkedOf(request: CheckRequest): Judged {
  const { goal } = request;
  const judged = judgedOf(request);
  if (goal === undefined) return judged;
  const sought = soughtBy(goal, goalStageOf(request));
  return { ...judged, properties: sought.map(({ property }) => property) };
}

function propertiesOf(request: CheckRequest): readonly CheckedProperty[] {
  const { goal, properties } = request;
  const all = goal === undefined ? CHECKED_PROPERTIES : neverReached(goal, goalStageOf(request));
  return all.filter(({ name }) => properties.includes(name));
}

/** The part of a request on which a goal depends. */
export function goalStageOf({
  protocol,
  flags = {},
  resource,
}: {
  readonly protocol: ProtocolName;
  readonly flags?: Flags | undefined;
  readonly resource?: ResourceKind | undefined;
}): GoalStage {
  return { protocol: PROTOCOLS[protocol], flags, timing: LATENCY, resource: resource ?? null };
}

/** The search that a request describes. */
export function searchOptionsOf(request: CheckRequest, limits: Limits): CheckOptions {
  return {
    ...judgedOf(request),
    order: request.order,
    isReduced: request.isReduced,
    walks: request.walks,
    ...limits,
  };
}

/** Ticks have no meaning in a check, but protocols compute the durations of their timers from the latency. */
export const LATENCY = { latencyTicksMax: 1 };

/** A Byzantine node. */
export interface CheckedByzantine {
  readonly rank: number;
  /** Names of behaviours, the innermost first. */
  readonly behaviours: readonly string[];
}

interface ByzantineOptions {
  readonly protocol: ProtocolName;
  readonly timing: Timing;
  readonly level: Level;
  readonly byzantine: readonly CheckedByzantine[];
  readonly phantoms: readonly number[];
  /** Whether Byzantine nodes send more than their behaviours. */
  readonly isFree: boolean;
}

/** The cast under a level, and the free nodes of it, if they may lie. Throws RangeError for unknown behaviours. */
export function byzantineCast(
  cast: Cast,
  options: ByzantineOptions,
): { readonly cast: Cast; readonly free: ReadonlyMap<number, FreeNode> } {
  const { protocol, level, byzantine, phantoms, isFree } = options;
  const { nodes } = cast;
  const ranks = Array.from({ length: nodes }, (_, index) => index + 1);
  const members = admittedRanks({ nodes, phantoms });
  const authentication: Authentication = {
    level,
    protocol,
    election: '1',
    highestRank: nodes,
    keysOf: symbolicKeys(SEED, members),
  };
  const authenticated = memoised((machine) => createAuthenticated(machine, authentication));
  const free = new Map<number, FreeNode>();
  const played = new Map<number, AnyMachine>();
  for (const { rank, behaviours } of byzantine) {
    const node = byzantineNodeOf({ ...options, nodes }, rank, authentication);
    const wrapped = withBehaviours(authenticated(cast.machineOf(rank)), behaviours, node);
    played.set(rank, isFree ? createFree(wrapped, node) : wrapped);
    if (!isFree) continue;
    free.set(rank, (state) => {
      if (state === null) return [];
      // The state is one of `createFree`, which the type does not say.
      const known = state as unknown as FreeState;
      return instructionsFor(known, node, { members: members.map(fromRank), ranks });
    });
  }
  return {
    cast: withNodes(cast, (machine, rank) => played.get(rank) ?? authenticated(machine)),
    free,
  };
}

/** Symbolic signatures differ between seeds. No verdict depends on them. */
const SEED = parseSeed('1');
