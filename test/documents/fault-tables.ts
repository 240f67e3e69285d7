/**
 * @module
 * The fault matrix as tables, one for each family of protocols, with the reason of each cell below.
 */

import type { ProtocolName } from '../../src/election/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../src/election/registry.ts';
import { cellOf } from '../simulation/fault-matrix/cells.ts';
import { ROW_NAMES, ROWS } from '../simulation/fault-matrix/rows.ts';

import { code, table } from './tables.ts';

/** Rows of faults, columns of the protocols of a family; protocols with the same column share it. */
export function faultMatrix(family: string): string {
  const groups = groupsOf(PROTOCOL_NAMES.filter((name) => PROTOCOLS[name].family === family));
  const heading = ['fault', ...groups.map((group) => group.map(code).join(', '))];
  return table(
    heading,
    ROW_NAMES.map((row) => [
      `${code(row)}: ${ROWS[row].fault}`,
      ...groups.map(([first = PROTOCOL_NAMES[0]]) =>
        first === undefined ? '' : textOf(row, first),
      ),
    ]),
  );
}

function groupsOf(protocols: readonly ProtocolName[]): ProtocolName[][] {
  const groups = new Map<string, ProtocolName[]>();
  for (const protocol of protocols) {
    const column = ROW_NAMES.map((row) => textOf(row, protocol)).join('|');
    groups.set(column, [...(groups.get(column) ?? []), protocol]);
  }
  return [...groups.values()];
}

function textOf(row: (typeof ROW_NAMES)[number], protocol: ProtocolName): string {
  const { expected, breaks } = cellOf(row, protocol);
  return [expected, ...breaks].join(' ');
}
