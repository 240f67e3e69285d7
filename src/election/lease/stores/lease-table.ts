/**
 * @module
 * A database with one row, the store of db-lease and kubernetes-lease: a linearizable register with READ and
 * compare-and-set (M. Herlihy and J. Wing, Linearizability, TOPLAS 12(3), 1990; each call is one step).
 * It keeps no time. Its readers measure how long a row has not changed.
 *
 * Each call is answered with the row as it is after the call, as a conditional write of DynamoDB can be asked
 * to. Every row carries the number of the request that wrote it, so that its writer recognises it. A
 * SWAP that arrives twice fails the second time, and the answer is still the writer's own row.
 */

import { createMachine } from '../../handlers.ts';
import type { Machine, Rank } from '../../machine.ts';

export type LeaseRow = {
  readonly holder: Rank;
  /** The version rises by 1 at every write. */
  readonly version: number;
  /** Number of this acquisition: for db-lease the version that it wrote, for kubernetes-lease leaseTransitions + 1. */
  readonly epoch: number;
  /** Number of the SWAP that wrote the row. 0 if a RAISE wrote it. Then no node holds the lease. */
  readonly request: number;
  /** Lease of the holder, in ticks. A node that replaces the holder waits at least this long. */
  readonly leaseTicks: number;
};

export type TableCall =
  | { readonly type: 'READ' }
  /** Writes `row` over the row of version `expected`. 0 expects no row. */
  | { readonly type: 'SWAP'; readonly expected: number; readonly row: LeaseRow }
  /** Writes `row` over a row of a lower version. The store has lost rows, and no version may be used twice. */
  | { readonly type: 'RAISE'; readonly row: LeaseRow };

export interface TableReply {
  readonly type: 'ROW';
  /** Null before the first write. */
  readonly row: LeaseRow | null;
}

export type TableState = { row: LeaseRow | null };

export function createLeaseTable(): Machine<TableState, TableCall | TableReply> {
  return createMachine<TableState, TableCall | TableReply>({
    settings: null,
    init: () => ({ row: null }),
    on: {
      deliver: {
        READ({ state, effects }, _message, from) {
          effects.send(from, { type: 'ROW', row: state.row });
        },
        SWAP({ state, effects }, message, from) {
          if ((state.row?.version ?? 0) === message.expected) state.row = message.row;
          effects.send(from, { type: 'ROW', row: state.row });
        },
        RAISE({ state, effects }, message, from) {
          if ((state.row?.version ?? 0) < message.row.version) state.row = message.row;
          effects.send(from, { type: 'ROW', row: state.row });
        },
      },
    },
  });
}
