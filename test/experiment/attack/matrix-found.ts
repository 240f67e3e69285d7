/**
 * @module
 * The attack matrix as recorded in test/golden/attack-matrix.json, and what theory leads one to expect of
 * each family of protocols. Each difference between the two has a reason here.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';

import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../../src/election/registry.ts';
import type { MatrixAttack, MatrixRow } from '../../../src/experiment/attack/matrix.ts';
import { MATRIX_ATTACK_NAMES, markOf, matrixCell } from '../../../src/experiment/attack/matrix.ts';
import type { SetsRow } from '../../../src/experiment/attack/matrix-report.ts';
import { reportedRow, setsOfRow } from '../../../src/experiment/attack/matrix-report.ts';
import { ATTACK_MATRIX } from '../../../src/operations/attack/attack-matrix.ts';
import { parseSeed } from '../../../src/random.ts';

export const MATRIX_SEED = parseSeed('1');
/** Attacks with long runs and with detectors on the nodes. */
export const SLOW_ATTACKS: readonly MatrixAttack[] = ['A6', 'A13'];

const RECORDED = new URL('../../golden/attack-matrix.json', import.meta.url);

/** Of each protocol and attack, a letter for each level. The cell is empty if the attack does not apply. */
type RecordedRows = Readonly<Record<string, Readonly<Record<string, string>>>>;

const FOUND: RecordedRows = JSON.parse(readFileSync(RECORDED, 'utf8'));

const RECORDED_SETS = new URL('../../golden/attack-sets.json', import.meta.url);
const FOUND_SETS: Readonly<Record<string, SetsRow['sets']>> = existsSync(RECORDED_SETS)
  ? JSON.parse(readFileSync(RECORDED_SETS, 'utf8'))
  : {};

/** ○: works at L3 too. ●: works below L3 only. No entry: does not apply. */
type Expected = Readonly<Partial<Record<MatrixAttack, '○' | '●'>>>;

const BULLY: Expected = {
  ...{ A1: '●', A2a: '●', A2b: '○', A3: '○', A4: '●', A5: '○', A6: '○', A7: '○' },
  ...{ 'A8/9': '○', A13: '○' },
};
const BULLY_VARIANT: Expected = { ...BULLY, A11: '●' };
const RING: Expected = {
  ...{ A1: '●', A2a: '●', A2b: '○', A3: '○', A4: '●', A5: '○', A6: '○' },
  ...{ 'A8/9': '○', A10: '○', A11: '●', A13: '○' },
};
const QUORUM: Expected = {
  ...{ A1: '●', A3: '○', A4: '●', A5: '○', A6: '○', A7: '○', A12: '○', A13: '○', A14: '●' },
};
const STORE: Expected = {
  ...{ A1: '●', A4: '●', A6: '○', A7: '○', A12: '○', A13: '○', A14: '●' },
};
const GRAPH: Expected = {
  ...{ A1: '●', A2a: '●', A2b: '○', A3: '○', A5: '○', A6: '○', 'A8/9': '○', A13: '○' },
};
const GROUPS: Expected = { A1: '●', A3: '○', A4: '●', A5: '○', A6: '○', A7: '○' };
const BY_FAMILY: Readonly<Record<string, Expected>> = {
  ...{ bully: BULLY, ring: RING, quorum: QUORUM, lease: STORE, graph: GRAPH, groups: GROUPS },
};
/** Protocols that also send tokens or lists that can be tampered with. */
const VARIANTS: readonly ProtocolName[] = ['bully-improved', 'bully-modified'];

/** What theory leads one to expect of a protocol. */
function expectedOf(protocol: ProtocolName): Expected {
  if (VARIANTS.includes(protocol)) return BULLY_VARIANT;
  return BY_FAMILY[PROTOCOLS[protocol].family] ?? {};
}

const ofFamily = (family: string) =>
  PROTOCOL_NAMES.filter((name) => PROTOCOLS[name].family === family);
const BULLIES = ofFamily('bully');
const RINGS = ofFamily('ring');
const QUORUMS = ofFamily('quorum');
const STORES = ofFamily('lease');
const GROUPED = ofFamily('groups');
const ANONYMOUS: readonly ProtocolName[] = ['peterson-prose', 'itai-rodeh'];
/** Rings whose nodes give up in phases, so that a token takes more than one lap. */
const PHASED = PROTOCOL_NAMES.filter((name) => {
  const { elects, tokens } = PROTOCOLS[name].carries ?? PROTOCOLS[name];
  return elects === 'highest' && typeof tokens !== 'string' && tokens.laps(8) > 1;
});
/** In these rings a replaced announcement leaves no node with another leader than the rest. */
const SETTLED = RINGS.filter((name) => !/^(cr|hs)-/.test(name));
/** Their tokens alone decide, so that no announcement is needed. */
const UNANNOUNCED: readonly ProtocolName[] = ['ring-lelann'];

type Difference = readonly [
  attacks: readonly MatrixAttack[],
  protocols: readonly ProtocolName[],
  reason: string,
];

export const DIFFERENCES: readonly Difference[] = [
  [['A3'], BULLIES, 'no node asks the lowest node, and the others elect without a silent node'],
  [
    ['A5'],
    BULLIES,
    'the attack needs two names above every listener, and from L2 a node can announce only itself',
  ],
  [['A7'], ['bully-modified'], 'a grant without effect goes to the next highest node'],
  [
    ['A11'],
    ['bully-improved', 'bully-modified'],
    'only the leader declares the next in line, and the lowest node leads no node',
  ],

  [
    ['A1'],
    RINGS,
    'an announcement does not prove that a candidacy returned: any node can sign that it won',
  ],
  [
    ['A4'],
    SETTLED,
    'old messages are numbered, stop at the node that they name, or count as another lap, so that all agree in the end',
  ],
  [
    ['A5', 'A2b'],
    UNANNOUNCED,
    'each node finds the highest by itself, and its list is closed when it has',
  ],
  [['A2b'], PHASED, 'a node that lost a phase only relays, so that no rival is left'],
  [
    ['A2b', 'A6', 'A8/9', 'A13'],
    ANONYMOUS,
    'any node may be elected, so that a top ID has no value',
  ],
  [['A2a'], ['itai-rodeh'], 'its IDs are drawn and need no proof'],
  [['A8/9'], ['ring-attr'], 'nodes state their own attributes, and forging those costs nothing'],
  [
    ['A11'],
    RINGS,
    'no node notices an entry that is missing from a token or that its sender replaced',
  ],

  [
    ['A1'],
    QUORUMS,
    'an announcement does not prove that a quorum voted: that would need a certificate',
  ],
  [['A2a'], ['zk-slide-quorum'], 'a vote may name a node that is no member'],
  [
    ['A3'],
    QUORUMS,
    'a majority elects without the silent node; only in raft do its rising terms depose leaders',
  ],
  [
    ['A4'],
    QUORUMS,
    'repeated messages of an older term leave no node without a leader; in raft, at L0 and L1, they cause another election, which the Byzantine node wins as any node may (14 of 34 runs whose honest twin elects others)',
  ],
  [['A6'], QUORUMS, 'a node that returns follows the leader of the majority'],
  [['A7'], ['zk-slide-quorum'], 'a node whose wait ends stands with a higher epoch'],
  [['A13'], QUORUMS, 'they have timeouts of their own and use no detector'],
  [['A14'], QUORUMS, 'a number is a statement of its own sender, which every level accepts'],

  [
    ['A1', 'A4', 'A7', 'A12', 'A13'],
    STORES,
    'nodes send messages to the store only, which knows its caller and is not attacked here',
  ],
  [['A6'], STORES, 'a node that returns cannot take a lease from its holder'],
  [
    ['A14'],
    STORES,
    'the holder of the row writes its version; where the store counts, no number can be inflated',
  ],

  [['A1', 'A5'], ['floodmax'], 'no node announces a leader: each finds the highest by itself'],
  [['A3'], ['floodmax'], 'a node passes nothing on, and its own messages are not kept'],
  [['A1'], ['echo-extinction'], 'an announcement does not prove that a wave came back'],

  [
    ['A1', 'A4'],
    GROUPED,
    'any coordinator may invite, and nodes follow invitations of a group that they have not seen',
  ],
  [['A3', 'A7'], GROUPED, 'a coordinator waits for no node, and its members leave if it is silent'],
];

/** The attacks with another mark than expected. */
export function attacksThatDiffer(protocol: ProtocolName): MatrixAttack[] {
  const expected = expectedOf(protocol);
  return MATRIX_ATTACK_NAMES.filter(
    (attack) => markOf(recordedCell(protocol, attack)) !== (expected[attack] ?? ''),
  );
}

/** All recorded rows. */
export function foundRows(): MatrixRow[] {
  return PROTOCOL_NAMES.map((protocol) => {
    const cells = MATRIX_ATTACK_NAMES.map((attack) => [attack, recordedCell(protocol, attack)]);
    // The names are those of all attacks, which fromEntries forgets.
    return { protocol, cells: Object.fromEntries(cells) as MatrixRow['cells'] };
  });
}

/** The cells of these attacks by runs, and as recorded. */
export function playedAndFound(protocol: ProtocolName, attacks: readonly MatrixAttack[]) {
  return attacks.map((attack) => ({
    attack,
    played: matrixCell(protocol, attack, MATRIX_SEED),
    found: recordedCell(protocol, attack),
  }));
}

/** The recorded sets, row by row. */
export function foundSets(): SetsRow[] {
  return PROTOCOL_NAMES.map((protocol) => ({ protocol, sets: FOUND_SETS[protocol] ?? {} }));
}

/** Searches the sets of all protocols that have no recorded ones, and writes them. Takes minutes. */
export async function recordMissingSets(): Promise<void> {
  const found: Record<string, SetsRow['sets']> = {};
  for (const row of foundRows()) {
    const sets = FOUND_SETS[row.protocol] ?? (await setsOf(row));
    found[row.protocol] = sets;
  }
  writeFileSync(RECORDED_SETS, `${JSON.stringify(found, null, 1)}\n`);
}

/** The sets of a protocol by runs, for these attacks. */
export async function setsOf(
  { protocol, cells }: MatrixRow,
  attacks: readonly MatrixAttack[] = MATRIX_ATTACK_NAMES,
): Promise<SetsRow['sets']> {
  const only = MATRIX_ATTACK_NAMES.map((each) => [each, attacks.includes(each) ? cells[each] : '']);
  // The names are those of all attacks, which fromEntries forgets.
  const row = { protocol, cells: Object.fromEntries(only) as MatrixRow['cells'] };
  const found = await setsOfRow(row, MATRIX_SEED, async () => true);
  if (found === null) throw new TypeError('"found" expected sets, got an interrupt');
  return found.sets;
}

/** Runs all cells of all protocols that have no recorded row, and writes them. Takes minutes. */
export function recordMissingRows(): void {
  const rows = PROTOCOL_NAMES.map((protocol) => {
    const played = () =>
      MATRIX_ATTACK_NAMES.map((attack) => [attack, matrixCell(protocol, attack, MATRIX_SEED)]);
    return [protocol, FOUND[protocol] ?? Object.fromEntries(played())];
  });
  writeFileSync(RECORDED, `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`);
}

function recordedCell(protocol: ProtocolName, attack: MatrixAttack): string {
  const cell = FOUND[protocol]?.[attack];
  if (cell === undefined) {
    throw new RangeError(
      `no recorded cell of ${attack} on ${protocol}: run UPDATE_ATTACK_MATRIX=1 npx vitest run attack/matrix`,
    );
  }
  return cell;
}

/** The recorded rows and sets as the operation reports them, without their runs. */
export function foundReport() {
  // The names are those of all attacks, which fromEntries forgets.
  const runs = Object.fromEntries(MATRIX_ATTACK_NAMES.map((attack) => [attack, []])) as Record<
    MatrixAttack,
    never[]
  >;
  const sets = foundSets();
  const rows = foundRows().map((row) => reportedRow({ ...row, runs }, sets));
  return ATTACK_MATRIX.report({
    ...{ complete: true, attacks: MATRIX_ATTACK_NAMES, rows, seed: MATRIX_SEED },
    replay: 'usurp attack-matrix --sets',
  });
}
