/**
 * @module
 * The cells of the fault matrix: what each fault can do to each protocol, as its definition states it.
 */

import type { FaultCell, FaultName } from '../../../src/election/definition/fault-row.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import type { ColumnName } from './columns.ts';
import { protocolOf } from './columns.ts';

/** What a fault can do to the protocol of a column. */
export function cellOf(row: FaultName, column: ColumnName): FaultCell {
  return PROTOCOLS[protocolOf(column)].faults[row];
}
