/**
 * @module
 * The fault matrix as tables, one for each family of protocols, and the reasons of its cells. They show
 * what the definitions of the protocols state.
 */

import { FAULT_KINDS } from '../../src/election/definition/drawn-faults.ts';
import type { FaultName } from '../../src/election/definition/fault-row.ts';
import { FAULT_NAMES } from '../../src/election/definition/fault-row.ts';
import type { ProtocolName } from '../../src/election/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../src/election/registry.ts';
import { FAULT_DRAWS } from '../../src/simulation/conform/fault-runs.ts';
import { DRAWN_FAULTS } from '../../src/simulation/faults/draw.ts';

import { code, codes, table } from './tables.ts';

/** Rows of faults, columns of the protocols of a family. Protocols with the same column share it. */
export function faultMatrix(family: string): string {
  const groups = groupsBy(protocolsOf(family), (protocol) =>
    FAULT_NAMES.map((fault) => effectOf(fault, protocol)).join('|'),
  );
  return table(
    ['fault', ...groups.map(codes)],
    FAULT_NAMES.map((fault) => [
      `${code(fault)}: ${FAULT_DRAWS[fault].fault}`,
      ...groups.map(([first]) => effectOf(fault, first)),
    ]),
  );
}

/** For each fault the reasons of its effects, in a part that the reader unfolds. */
export function faultReasons(family: string): string {
  const protocols = protocolsOf(family);
  const rows = FAULT_NAMES.flatMap((fault) => {
    const reasonOf = (protocol: ProtocolName) => PROTOCOLS[protocol].faults[fault].why;
    const groups = groupsBy(protocols, (protocol) =>
      [effectOf(fault, protocol), reasonOf(protocol)].join('|'),
    );
    return groups.map((group) => {
      const names = group.length === protocols.length ? 'all' : codes(group);
      return [code(fault), names, effectOf(fault, group[0]), reasonOf(group[0])];
    });
  });
  const reasons = table(['fault', 'protocols', 'effect', 'reason'], rows);
  return `<details><summary>Reasons</summary>\n\n${reasons}\n</details>\n`;
}

/** What is drawn of each kind, and the protocols that it cannot affect. */
export function drawnFaults(): string {
  const rows = FAULT_KINDS.map((kind) => {
    const reasonOf = (protocol: ProtocolName) => PROTOCOLS[protocol].unaffected[kind];
    const spared = PROTOCOL_NAMES.filter((protocol) => reasonOf(protocol) !== null);
    const reasons = groupsBy(spared, (protocol) => reasonOf(protocol) ?? '').map(
      (group) => `${codes(group)}: ${reasonOf(group[0])}`,
    );
    return [code(kind), DRAWN_FAULTS[kind], reasons.join('; ')];
  });
  return table(['kind', 'what is drawn', 'cannot affect'], rows);
}

function protocolsOf(family: string): readonly ProtocolName[] {
  return PROTOCOL_NAMES.filter((name) => PROTOCOLS[name].family === family);
}

type Group = readonly [ProtocolName, ...ProtocolName[]];

/** Protocols with the same key, in the order of the first of each group. */
function groupsBy(protocols: readonly ProtocolName[], keyOf: (name: ProtocolName) => string) {
  const groups = new Map<string, Group>();
  for (const protocol of protocols) {
    const group = groups.get(keyOf(protocol));
    groups.set(keyOf(protocol), group === undefined ? [protocol] : [...group, protocol]);
  }
  return [...groups.values()];
}

function effectOf(fault: FaultName, protocol: ProtocolName): string {
  const { expected, breaks, late } = PROTOCOLS[protocol].faults[fault];
  return [expected, ...breaks, ...(late.length > 0 ? [`(late ${late.join(' ')})`] : [])].join(' ');
}
