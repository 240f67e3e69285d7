/**
 * @module
 * The fault matrix as tables, one for each family of protocols, and the reasons of its cells. They show
 * what the definitions of the protocols state.
 */

import type { FaultKind } from '../../src/election/definition/drawn-faults.ts';
import { FAULT_KINDS } from '../../src/election/definition/drawn-faults.ts';
import type { FaultName } from '../../src/election/definition/fault-row.ts';
import { FAULT_NAMES } from '../../src/election/definition/fault-row.ts';
import type { ProtocolName } from '../../src/election/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../src/election/registry.ts';
import { FAULT_DRAWS } from '../../src/simulation/conform/fault-runs.ts';

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

/** What is drawn of each kind. */
const DRAWN_FAULTS: Readonly<Record<FaultKind, string>> = {
  crash: 'A node crashes for good.',
  restart: 'A node crashes and returns with what it stored.',
  amnesia: 'A node crashes and returns without what it stored. It is drawn only by name.',
  pause: 'A node stands still.',
  isolate: 'A node is cut off.',
  halves: 'The lower half of the ranks is cut off from the upper half.',
  minority: 'The highest ranks, as many as are no majority, are cut off.',
  'majorities-ring': 'Every node reaches a majority, and no two nodes the same one.',
  'one-way': 'One direction of 1 to 2n links is cut.',
  links: '1 to 2n links are cut.',
  loss: 'Messages are lost, 1 to 50 %.',
  duplication: 'Messages arrive twice, 1 to 50 %.',
  reordering: 'Messages are held back, 1 to 50 %.',
  blackout: 'Every message is lost.',
  slowdown: 'Every message takes 2 to 10 times as long.',
  skew: 'The timers of 1 to n nodes take 1/8 to 8 times their ticks.',
  drift: 'The timers of every node take 2/3 to 3/2 of their ticks.',
  churn: 'Nodes crash and return with what they stored, again and again.',
  join: 'A node that was absent joins.',
  jump: 'A clock jumps forwards or back. It is drawn only by name.',
};
