/**
 * @module
 * A database with one row, the store of db-lease: a linearizable register with READ and
 * compare-and-set (M. Herlihy and J. Wing, Linearizability, TOPLAS 12(3), 1990; each call is one step).
 * It keeps no time. Its readers measure how long a row has not changed.
 *
 * Both calls are answered with the row as it is then, as a conditional write of DynamoDB can be asked
 * to. Every row carries the number of the request that wrote it, so that its writer recognises it. A
 * SWAP that arrives twice fails the second time, and the answer is still the writer's own row.
 */

import { createMachine } from '../../handlers.ts';
import type { Machine, Rank } from '../../machine.ts';

export type LeaseRow = {
  readonly holder: Rank;
  /** The version rises by 1 at every write. */
  readonly version: number;
  /** The version at which this holder acquired the lease. */
  readonly epoch: number;
  /** The number of the SWAP that wrote it. 0 of a RAISE, by which no node holds the lease. */
  readonly request: number;
  /** The lease of the holder. Who replaces it waits for as long. */
  readonly leaseTicks: number;
};

export type TableCall =
  | { readonly type: 'READ' }
  /** Writes `row` over the row of version `expected`. 0 expects no row. */
  | { readonly type: 'SWAP'; readonly expected: number; readonly row: LeaseRow }
  /** Writes `row` over one of a lower version: the store had lost rows, and versions must not come twice. */
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
