/**
 * @module
 * The rows of a Parquet table as the API has them in JSON.
 */

import { parquetReadObjects } from 'hyparquet';
import { memberName } from '../../src/experiment/sweep/columns.ts';

/** The rows, whose columns have the names of CSV, with the names of JSON. */
export async function parquetRows(file: ArrayBuffer): Promise<Record<string, unknown>[]> {
  const rows = await parquetReadObjects({ file });
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [memberName(name), value])),
  );
}
