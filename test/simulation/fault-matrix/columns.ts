/**
 * @module
 * The columns of the fault matrix: every protocol of the registry, and Raft a second time with both of
 * its options. Protocols that wait much longer than an election takes wait a shorter time here, so
 * that what goes wrong in the first 200 ticks meets elections.
 */

import type { Flags } from '../../../src/election/definition/flags.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../../src/election/registry.ts';
import { shortWaits } from '../../../src/simulation/conform/fault-runs.ts';

export const GUARDED_RAFT = 'raft preVote checkQuorum';

export type ColumnName = ProtocolName | typeof GUARDED_RAFT;

export const COLUMN_NAMES: readonly ColumnName[] = [...PROTOCOL_NAMES, GUARDED_RAFT];

const GUARDS = { preVote: 'on', checkQuorum: 'on' } as const;

export function protocolOf(column: ColumnName): ProtocolName {
  return column === GUARDED_RAFT ? 'raft' : column;
}

export function flagsOf(column: ColumnName): Flags {
  const short = shortWaits(PROTOCOLS[protocolOf(column)]);
  return column === GUARDED_RAFT ? { ...short, ...GUARDS } : short;
}
