/**
 * @module
 * The machine of a live node: that of the protocol, and around it, as in the simulator, defences, the recorder of its
 * steps, a detector, authentication, and the behaviours of a Byzantine node. The model repeats what is inside the recorder.
 */

import { withBehaviours } from '../../adversary/behaviours/byzantine-node.ts';
import { confined } from '../../adversary/keys.ts';
import type { Authentication, Keys, Level } from '../../election/authentication/authenticated.ts';
import { createAuthenticated } from '../../election/authentication/authenticated.ts';
import {
  createInItsOwn,
  createInNewest,
  createNumberedElections,
} from '../../election/authentication/numbered-elections.ts';
import type { Defence } from '../../election/defences/defence.ts';
import {
  defencesFault,
  guardAround,
  guardInside,
  runByAll,
  settingsOf,
} from '../../election/defences/defended.ts';
import type { DefenceName } from '../../election/defences/registry.ts';
import { DEFENCES } from '../../election/defences/registry.ts';
import type { AnyMachine } from '../../election/definition/protocol.ts';
import { createDetecting } from '../../election/detectors/detecting.ts';
import type { DetectorSpec } from '../../election/detectors/registry.ts';
import { createDetector } from '../../election/detectors/registry.ts';
import type { Rank } from '../../election/machine.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import type { Timing } from '../../election/timing.ts';
import type { Cast } from '../../election/world/cast.ts';
import { createCast, memoised, withNodes } from '../../election/world/cast.ts';
import { LabError } from '../../errors.ts';
import type { Network } from './peers.ts';

/** What all nodes of an election run. */
export interface LiveProtocol {
  readonly protocol: ProtocolName;
  readonly timing: Timing;
  readonly defences: readonly DefenceName[];
}

/** What one node runs. */
export interface LiveMachinePlan extends LiveProtocol {
  readonly level: Level;
  readonly election: string;
  readonly detector: DetectorSpec;
  /** Of a Byzantine node; none of an honest one. */
  readonly behaviours: readonly string[];
  readonly rank: Rank;
}

/** What the machine needs from its driver. */
export interface LiveMachineHooks {
  readonly keysOf: (rank: Rank) => Keys;
  readonly record: (machine: AnyMachine) => AnyMachine;
  /** The clock of the node, in ms. */
  readonly clock: () => number;
  readonly onReport: (type: 'suspect' | 'trust', about: Rank) => void;
}

/** Levels of live nodes. L1 needs a network that knows who sends. */
export const LIVE_LEVELS = ['L0', 'L2', 'L3'] as const satisfies readonly Level[];

/** Throws LabError `arguments` for what live nodes cannot run. */
export function assertLive({ protocol, defences }: LiveProtocol, level: Level): void {
  if (PROTOCOLS[protocol].store !== null) {
    const detail = `${protocol} needs a store, which live nodes do not have; choose a protocol without one`;
    throw new LabError('arguments', detail);
  }
  const fault = defencesFault(defences, { protocol, level });
  if (fault !== null) throw new LabError('arguments', fault);
  const replacing = defences.find((name) => {
    const { kind }: Defence = DEFENCES[name];
    return (
      kind === 'setting' &&
      Object.keys(settingsOf([name], protocol)).some((each) => each !== 'flags')
    );
  });
  if (replacing === undefined) return;
  const detail = `${replacing} changes the protocol or the work of leaders, which live nodes do not do; leave it out`;
  throw new LabError('arguments', detail);
}

/** The cast of the model that corresponds to a network. */
export function liveCast(live: LiveProtocol, network: Network): Cast {
  const { protocol, timing, defences } = live;
  const { flags } = settingsOf(defences, protocol);
  const cast = createCast({ protocol, timing, flags, ring: network.ring, crashedBefore: [] });
  return withNodes(
    cast,
    memoised((machine) => guardInside(machine, defences, { protocol, timing })),
  );
}

/** The machine of one node. */
export function liveMachine(plan: LiveMachinePlan, hooks: LiveMachineHooks): AnyMachine {
  const { protocol, timing, level, election, behaviours } = plan;
  const isByzantine = behaviours.length > 0;
  const defences = isByzantine ? runByAll(plan.defences) : plan.defences;
  const numbers = isNumbered(protocol, level);
  const authenticationIn = (number: string): Authentication => ({
    ...{ level, protocol, keysOf: hooks.keysOf },
    election: numbers ? `${election}.${number}` : election,
  });
  const watched = watchedMachine({ ...plan, defences: isByzantine ? [] : defences }, hooks);
  const create = (number: string) => createAuthenticated(watched, authenticationIn(number));
  const sealed: AnyMachine = numbers ? createNumberedElections(create, timing) : create('');
  const guardedIn = (number: string): AnyMachine => {
    const authentication = authenticationIn(number);
    const guarded = guardAround(sealed, defences, { protocol, timing, authentication });
    if (!isByzantine) return guarded;
    return withBehaviours(guarded, behaviours, {
      ...{ protocol, timing, rank: plan.rank, accomplices: [plan.rank] },
      ...{ phantom: phantomFor(plan.rank), authentication: confined(authentication, [plan.rank]) },
    });
  };
  if (!numbers) return guardedIn('');
  if (isByzantine) return createInNewest(guardedIn);
  return defences.includes('receipts')
    ? createInItsOwn(guardedIn, authenticationIn)
    : guardedIn('');
}

/** The protocol with what is inside its authentication. */
function watchedMachine(
  { protocol, timing, defences, detector }: LiveMachinePlan,
  { record, clock, onReport }: LiveMachineHooks,
): AnyMachine {
  const { flags = {} } = settingsOf(defences, protocol);
  const own = PROTOCOLS[protocol].create(timing, flags);
  const recorded = record(guardInside(own, defences, { protocol, timing }));
  const watching = createDetector(detector, timing);
  if (watching === null) return recorded;
  return createDetecting(recorded, watching, clock, ({ type, about }) => onReport(type, about));
}

/** As in the simulator, each join begins another election of a ring whose candidates are relayed. */
function isNumbered(protocol: ProtocolName, level: Level): boolean {
  const { family, successors } = PROTOCOLS[protocol];
  return level === 'L3' && family === 'ring' && successors === 1;
}

/** The highest rank of this length: a node ID of ones, out of reach of every search. */
function phantomFor(rank: Rank): Rank {
  return 'f'.repeat(String(rank).length) as string as Rank; // It is written like the ranks of live nodes.
}
