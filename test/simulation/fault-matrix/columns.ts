/**
 * @module
 * The columns of the fault matrix: every protocol of the registry, and Raft a second time with both of
 * its options. Protocols that wait much longer than an election takes wait a shorter time here, so
 * that what goes wrong in the first 200 ticks meets elections.
 */

import type { Flags } from '../../../src/election/definition/flags.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';

export const GUARDED_RAFT = 'raft preVote checkQuorum';

export type ColumnName = ProtocolName | typeof GUARDED_RAFT;

export const COLUMN_NAMES: readonly ColumnName[] = [...PROTOCOL_NAMES, GUARDED_RAFT];

const GUARDS = { preVote: 'on', checkQuorum: 'on' } as const;

/** Ticks for latencies of up to 9, with a round trip in each. */
export const SHORT_WAITS: Readonly<Partial<Record<ProtocolName, Flags>>> = {
  raft: { electionTicks: '30', spreadTicks: '30', heartbeatTicks: '10' },
  'quorum-lease': { leaseTicks: '80', retryTicks: '19' },
  'zab-fle': { silenceTicks: '70', heartbeatTicks: '10', finalizeWaitTicks: '10' },
  'zk-slide-quorum': { retryTicks: '19', checkTicks: '60' },
  'db-lease': { leaseTicks: '60' },
  'lease-local': { leaseTicks: '60', renewTicks: '20' },
  'zk-recipe': { sessionTicks: '60' },
};

export function protocolOf(column: ColumnName): ProtocolName {
  return column === GUARDED_RAFT ? 'raft' : column;
}

export function flagsOf(column: ColumnName): Flags {
  const short = SHORT_WAITS[protocolOf(column)] ?? {};
  return column === GUARDED_RAFT ? { ...short, ...GUARDS } : short;
}
