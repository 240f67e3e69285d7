/**
 * @module
 * What a node remembers of the row of a lease table. If a row that the node reads cannot come after the row that it had seen when
 * it asked, the store has lost rows. The node then raises the version above all lost versions. Every node waits for a whole
 * lease, because another node may still lead by a lost row.
 */

import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { numbersOf } from '../../election/definition/flags.ts';
import { DB_LEASE_NUMBERS } from '../../election/lease/db-lease.ts';
import type { LeaseRow, TableCall, TableState } from '../../election/lease/stores/lease-table.ts';
import type { StoreUse } from './live-store.ts';
import { numberAbove } from './live-store.ts';

type Raise = TableCall & { readonly type: 'RAISE' };

export class RowHistory {
  readonly #use: StoreUse;
  readonly #schema: z.ZodType<TableState>;
  /** The newest row that the node has seen. */
  last: LeaseRow | null = null;

  constructor(use: StoreUse, schema: z.ZodType<TableState>) {
    this.#use = use;
    this.#schema = schema;
  }

  /** Notes the row of a state. Another program can have changed a state of an earlier life, which is therefore parsed. */
  note(state: unknown): void {
    const row = this.#schema.safeParse(state).data?.row ?? null;
    if (row !== null && row.version >= (this.last?.version ?? 0)) this.last = row;
  }

  /**
   * Whether the row of a table can come after `before`. An epoch has one holder. An epoch of db-lease is the version at
   * acquisition. kubernetes-lease counts acquisitions.
   */
  canFollow(before: LeaseRow | null, { row }: TableState): boolean {
    if (before === null) return true;
    if (row === null || row.version < before.version) return false;
    if (row.version === before.version) return isDeepStrictEqual(row, before);
    if (row.epoch === before.epoch) return row.holder === before.holder;
    return row.epoch > (this.#use.protocol === 'db-lease' ? before.version : before.epoch);
  }

  /** The RAISE that wrote the last row, if one did. Each node reports it, because the node that called it can stop before. */
  get raised(): { readonly raised: Raise } | undefined {
    const { last } = this;
    return last?.request === 0 ? { raised: { type: 'RAISE', row: last } } : undefined;
  }

  /** Returns the operation that raises the version above this row, the row of the store, and the revision. */
  raise(before: LeaseRow | null, { row }: TableState, revision: number): Raise {
    const { own, timing, flags = {} } = this.#use;
    const version = numberAbove(before?.version ?? 0, row?.version ?? 0, revision);
    const { leaseTicks } = numbersOf(DB_LEASE_NUMBERS, timing, flags);
    return { type: 'RAISE', row: { holder: own, version, epoch: version, request: 0, leaseTicks } };
  }
}
