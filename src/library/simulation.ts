/**
 * @module
 * `usurp/simulation`: one schedule of an election over virtual time.
 */

import type { Asking } from './ask.ts';
import { ask } from './ask.ts';

export type { Asking } from './ask.ts';

/** An election. The members are those of `usurp elect`, in camelCase (docs/cli/elect.md). Ranks are 1..nodes, the highest is best. */
export interface Election {
  readonly protocol: string;
  readonly nodes: number;
  /** Decimal digits. The same election with the same seed gives the same answer. By default it is drawn. */
  readonly seed?: string;
  /** Nodes that start the election: `all`, `lowest`, `highest`, or ranks. */
  readonly initiators?: string | readonly number[];
  /** Ticks of a message: 1, `uniform:10:50`, or `exp:30`. */
  readonly latency?: number | string;
  /** Crashes: `highest`, `4`, `5@20` at a tick, or `leader@100`. */
  readonly crash?: readonly string[];
  /** Share of messages lost: `5%`, or `5%@100-300` in a window of ticks. */
  readonly loss?: readonly string[];
  /** What honest nodes check of messages: L0 nothing, L1 the channel, L2 signatures, L3 signatures and freshness. */
  readonly level?: 'L0' | 'L1' | 'L2' | 'L3';
  /** Further faults, detectors, defences and variants. */
  readonly [member: string]: unknown;
}

/** What became of an election. */
export interface ElectionAnswer {
  /** The one live node that leads itself. Null if none or several do. The node ID is 64 digits of hex. */
  readonly leader: { readonly rank: number; readonly nodeId: string } | null;
  /** Whether every live node follows the same live leader. */
  readonly agreed: boolean;
  /** Messages sent by type, and `total`. */
  readonly messages: Readonly<Record<string, number>>;
  /** Tick of the last delivery, timer or fault. */
  readonly ticks: number;
  readonly verdict: {
    readonly value: 'true' | 'false' | 'unknown';
    readonly reason: string;
    /** Each property of docs/properties.md. */
    readonly properties: Readonly<Record<string, { readonly value: 'true' | 'false' | 'unknown' }>>;
  };
  readonly seed: string;
  /** The command that gives the same answer. */
  readonly replay: string;
}

/**
 * Holds one election in the simulator. Throws a Refusal for members that make no election.
 * @example const { leader } = await elect({ protocol: 'bully-oneshot', nodes: 5, seed: '1' });
 */
export function elect(election: Election, how: Asking = {}): Promise<ElectionAnswer> {
  return ask('elect', election, how);
}
