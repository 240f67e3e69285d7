/**
 * @module
 * Rows of CSV and Parquet tables with the names that they have in JSON.
 */

import { parquetReadObjects } from 'hyparquet';
import { memberName } from '../../../src/experiment/sweep/columns.ts';

/** The rows of a Parquet file, read by hyparquet, which did not write it. */
export async function parquetRows(
  bytes: ArrayBuffer | Uint8Array<ArrayBuffer>,
): Promise<Record<string, unknown>[]> {
  const { buffer } = Uint8Array.from(new Uint8Array(bytes));
  return (await parquetReadObjects({ file: buffer })).map(withMemberNames);
}

/** A row whose columns have the names of CSV, with the names of JSON. */
export function withMemberNames<Value>(
  row: Readonly<Record<string, Value>>,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [memberName(name), value]));
}
