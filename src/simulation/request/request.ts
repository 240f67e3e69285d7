/**
 * @module
 * This folder runs elections as `usurp elect` and the server request them. This file is the request: what a
 * caller may state of an election, apart from its seed.
 */

import type { Level } from '../../election/authentication/authenticated.ts';
import type { Clients } from '../../election/clients/client-form.ts';
import type { DefenceName } from '../../election/defences/registry.ts';
import type { FaultKind } from '../../election/definition/drawn-faults.ts';
import type { ProtocolName } from '../../election/registry.ts';
import type { Latency } from '../faults/latency.ts';
import type { LinkFactors } from '../faults/link-factors.ts';
import type { Calm, Schedule, ScheduledFault } from '../faults/schedule.ts';
import type { FaultFlag, NamedCrash } from '../faults/text.ts';
import { FAULT_FLAGS } from '../faults/text.ts';
import type { SameTickOrder } from '../plan/plan.ts';
import type { Workload } from '../plan/workload.ts';
import type { DetectorChoice } from './detector-choice.ts';

/** Every fault flag except `crash`, which has a different form. */
export const SCHEDULED_FLAGS = FAULT_FLAGS.filter((flag) => flag !== 'crash');
export type ScheduledFlag = Exclude<FaultFlag, 'crash'>;

/** `--crash`: the nodes and their ticks. A null tick is before the run. */
export interface CrashOption {
  readonly text: string;
  readonly crashes: readonly NamedCrash[];
  /** Crashes of the present leader. */
  readonly leaders?: readonly ScheduledFault[];
}

/** `--calm`. Null ticks stand for the length of an undisturbed election. */
export type CalmOption = Pick<Calm, 'at' | 'restart'> & { readonly ticks: number | null };

/** An election as a caller states it. Every member is that of a flag of `usurp elect`. */
export interface AskedElection
  extends Readonly<Partial<Record<ScheduledFlag, readonly ScheduledFault[] | undefined>>> {
  readonly protocol?: ProtocolName;
  readonly flag?: readonly (readonly [string, string])[] | undefined;
  readonly attr?: readonly number[] | undefined;
  readonly nodes?: number | undefined;
  readonly ring?: readonly number[] | undefined;
  readonly ringOrder: 'shuffled' | 'by-id';
  readonly initiators: 'all' | 'lowest' | 'highest' | readonly number[];
  readonly crash?: readonly CrashOption[] | undefined;
  readonly topology?: string | undefined;
  readonly latency: Latency;
  readonly linkFactors?: LinkFactors | undefined;
  /** Default: true. */
  readonly fifo?: boolean | undefined;
  /** Default: messages-first. */
  readonly sameTick?: SameTickOrder | undefined;
  /** Path of a file with a schedule. */
  readonly faults?: string | undefined;
  /** True draws from all kinds. */
  readonly randomFaults?: true | readonly FaultKind[] | undefined;
  readonly calm?: CalmOption | undefined;
  readonly detector?: DetectorChoice | undefined;
  /** What honest nodes check of messages. */
  readonly level?: Level | undefined;
  readonly defences?: readonly DefenceName[] | undefined;
  /** The resource that leaders write to. */
  readonly resource?: Workload | undefined;
  /** Clients that leaders serve. */
  readonly clients?: Clients | undefined;
  readonly until?: number | undefined;
  /** Search for the smallest schedule with the same failure. */
  readonly shrink?: true | undefined;
}

/** A request that was read completely. With a seed it describes one election. */
export interface ElectRequest {
  readonly options: AskedElection;
  readonly protocol: ProtocolName;
  readonly nodes: number;
  /** The schedule of a file. */
  readonly given: Schedule | null;
  /** All protocols that are compared with this one: they have the same faults. Empty without a comparison. */
  readonly compared: readonly ElectRequest[];
}
