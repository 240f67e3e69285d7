/**
 * @module
 * A database with one row, the store of db-lease: a linearizable register with READ and
 * compare-and-set (M. Herlihy and J. Wing, Linearizability, TOPLAS 12(3), 1990; each call is one step).
 * It keeps no time: how long a row has stood still is for its readers to measure.
 *
 * Both calls are answered by the row as it then is, as a conditional write of DynamoDB can be asked
 * to. Every row bears the number of the request that wrote it, so that its writer knows it again: a
 * SWAP that comes twice fails the second time, and the answer is still the writer's own row.
 */

import type { Machine, Rank } from '../machine.ts';

export type LeaseRow = {
  readonly holder: Rank;
  /** 1 more at every write. */
  readonly version: number;
  /** The version at which this holder acquired it. */
  readonly epoch: number;
  /** The number of the SWAP that wrote it. */
  readonly request: number;
};

export type TableCall =
  | { readonly type: 'READ' }
  /** Writes `row` over the row of version `expected`; 0 expects none. */
  | { readonly type: 'SWAP'; readonly expected: number; readonly row: LeaseRow };

export interface TableReply {
  readonly type: 'ROW';
  /** Null before the first write. */
  readonly row: LeaseRow | null;
}

export type TableState = { row: LeaseRow | null };

export function createLeaseTable(): Machine<TableState, TableCall | TableReply> {
  return {
    init: () => ({ row: null }),
    step(_self, state, event, effects) {
      if (event.type !== 'deliver') return;
      const { from, message } = event;
      switch (message.type) {
        case 'READ':
          effects.send(from, { type: 'ROW', row: state.row });
          break;
        case 'SWAP':
          if ((state.row?.version ?? 0) === message.expected) state.row = message.row;
          effects.send(from, { type: 'ROW', row: state.row });
          break;
        case 'ROW':
          break;
        default:
          // Somebody speaks another protocol; there is nothing to do.
          message satisfies never;
      }
    },
  };
}
