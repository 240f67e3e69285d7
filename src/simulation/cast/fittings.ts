/**
 * @module
 * What a run is fitted with beside its protocol: leaders that work on a resource, a failure detector
 * on every node, a level of authentication, nodes that cheat, nodes that are played from outside. Each
 * fitting is made from the plan and wraps the machines that are there, or takes their place.
 */

import type { Keys } from '../../election/authentication/authenticated.ts';
import type { AnyMachine } from '../../election/definition/protocol.ts';
import type { DetectorWord } from '../../election/detectors/detecting.ts';
import { createDetecting } from '../../election/detectors/detecting.ts';
import type { AnyDetector } from '../../election/detectors/detector.ts';
import { createDetector } from '../../election/detectors/registry.ts';
import { createWorking } from '../../election/lease/leader-workload.ts';
import type { ResourceState } from '../../election/lease/stores/resource.ts';
import { createResource, RESOURCE_OPERATIONS } from '../../election/lease/stores/resource.ts';
import { createServices } from '../../election/lease/stores/services.ts';
import type { Json, Rank } from '../../election/machine.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import type { Cast } from '../../election/world/cast.ts';
import { castWithStore, createCast } from '../../election/world/cast.ts';
import type { OutsideNote } from '../../election/world/outside.ts';
import { createOutside } from '../../election/world/outside.ts';
import type { Plan } from '../plan/plan.ts';
import type { Workload } from '../plan/workload.ts';
import { workloadEveryTicks } from '../plan/workload.ts';
import { withByzantine } from './byzantine-cast.ts';
import { withGuards } from './defended-cast.ts';
import { memoisedWrapper } from './fitted-once.ts';

/** What detectors on the nodes are given, and who hears what nodes from outside are told. */
export interface CastHooks {
  /** The tick it is. */
  readonly clock: () => number;
  /** Told of each of their words. */
  readonly note: (word: DetectorWord) => void;
  readonly inbox?: OutsideNote | undefined;
}

/** What a caller puts in the place of the usual. */
export interface Replacements {
  /** Machines instead of the protocol's own, for its variants. */
  readonly machineOf?: Cast['machineOf'] | undefined;
  /** Keys instead of symbolic ones. */
  readonly keysOf?: ((rank: Rank) => Keys) | undefined;
}

/** The cast of a plan, its machines fitted with what the plan asks for. */
export function createPlannedCast(plan: Plan, watch: CastHooks, parts: Replacements = {}): Cast {
  const cast = withGuards(createCast(plan, parts.machineOf), plan);
  const working = plan.workload === null ? cast : withWorkload(cast, plan, plan.workload);
  const detector = plan.detector && createDetector(plan.detector, plan.timing);
  const watched = detector === null ? working : withDetector(working, detector, watch);
  return withOutside(withByzantine(watched, plan, parts.keysOf), plan, watch.inbox);
}

/** Nothing is put around a place from outside: it is told what the network brings, seal and all. */
function withOutside(
  cast: Cast,
  { outside, openings }: Plan,
  note: OutsideNote = () => undefined,
): Cast {
  const played = new Set([...outside.map(({ rank }) => rank), ...openings]);
  if (played.size === 0) return cast;
  const machine = createOutside(note);
  return { ...cast, machineOf: (place) => (played.has(place) ? machine : cast.machineOf(place)) };
}

function withDetector(cast: Cast, detector: AnyDetector, { clock, note }: CastHooks): Cast {
  const fitted = memoisedWrapper((machine) => createDetecting(machine, detector, clock, note));
  const machineOf = (place: number) => {
    const machine = cast.machineOf(place);
    return place === cast.store ? machine : fitted(machine);
  };
  return { ...cast, machineOf };
}

function withWorkload(cast: Cast, plan: Plan, workload: Workload): Cast {
  const everyTicks = workloadEveryTicks(workload, plan.timing);
  const registers = workload.resource === 'fencing-register';
  const fitted = memoisedWrapper((machine) => createWorking(machine, { everyTicks, registers }));
  const machineOf = (rank: number) => fitted(cast.machineOf(rank));
  return castWithStore({ ...cast, machineOf }, storeOf(cast, plan, workload));
}

/** The resource, and beside it the protocol's own store where it has one. */
function storeOf(cast: Cast, { protocol }: Plan, workload: Workload): AnyMachine {
  const { resource: kind, epochStepMax } = workload;
  const resource = {
    machine: createResource(kind, { epochStepMax }),
    operations: RESOURCE_OPERATIONS,
  };
  if (cast.store === null) return createServices({ [RESOURCE]: resource });
  const operations = PROTOCOLS[protocol].messageTypes;
  const store = { machine: cast.machineOf(cast.store), operations };
  return createServices({ [RESOURCE]: resource, [OWN_STORE]: store });
}

const RESOURCE = 'resource';
const OWN_STORE = 'store';

/** The resource of a store that `createFittedCast` has fitted for work, from the store's state. */
export function resourceOf(store: Json): ResourceState {
  // Whatever the type says, such a store is one of `createServices`, made above.
  const { services } = store as unknown as { readonly services: { resource: ResourceState } };
  return services[RESOURCE];
}
