/**
 * @module
 * What a search for identities has found, for people.
 */

import { hexToBytes, leadingZeroBits } from '../../bytes.ts';
import type { ClaimJson } from '../../identity/claim.ts';
import { identitiesWanted, xorDistance } from '../../mining/goal.ts';
import { formatCount, formatSeconds } from '../figures.ts';
import type { Report } from '../report.ts';
import { wishOf } from './goals.ts';
import type { MineOutput } from './mine-output.ts';

type Row = readonly [name: string, text: string];

/** The identity and its cost as facts. Several identities follow in a table. */
export function mineReport(output: MineOutput): Report {
  const { ledger, expectedBits: expected, stockpile, goal } = output;
  const claims = output.claims ?? [];
  const isSeveral = claims.length > 0 && goal !== 'pair';
  const rows: Row[] = [
    ['found', foundText(output)],
    ...(goal === 'pair' ? pairRows(claims) : isSeveral ? [] : identityRows(output)),
    [
      'attempts',
      `${ledger.attempts} (${expected === null ? 'the closest of them' : `expected ${formatCount(2 ** expected)}`})`,
    ],
    ...(stockpile === undefined
      ? []
      : ([['stockpiled', `${stockpile} keys before the epoch, not in this ledger`]] as const)),
    ['hashes', String(ledger.hashes)],
    ['group operations', String(ledger.groupOperations)],
    ['CPU', formatSeconds(ledger.cpuSeconds)],
    ['wall', formatSeconds(ledger.wallSeconds)],
    ['overshoot', String(ledger.overshoot)],
  ];
  return [{ type: 'facts', rows }, ...(isSeveral ? [identityTable(claims)] : [])];
}

function foundText({ found, goal, ending, claims = [] }: MineOutput): string {
  const end = ending === 'stock' ? 'the stock is used up' : ending;
  const wish = wishOf(goal);
  const wanted = wish.type === 'top' ? 1 : identitiesWanted(wish);
  if (wanted === 1) return found ? 'yes' : `no (ended by: ${end})`;
  return `${claims.length} of ${wanted}${found ? '' : `, ended by: ${end}`}`;
}

/** Both keys, which have one node ID. */
function pairRows(claims: readonly ClaimJson[]): readonly Row[] {
  return [
    ...claims.slice(0, 1).map(({ nodeId }): Row => ['node ID', nodeId]),
    ...claims.map(({ publicKey }, index): Row => [`public key ${index + 1}`, publicKey]),
  ];
}

function identityRows({ claim, measured, goal }: MineOutput): readonly Row[] {
  if (claim === null || measured === null) return [];
  const wish = wishOf(goal);
  const shared =
    wish.type === 'near' ? leadingZeroBits(xorDistance(hexToBytes(claim.nodeId), wish.nodeId)) : 0;
  return [
    ['scheme', claim.scheme],
    ['public key', claim.publicKey],
    ['node ID', claim.nodeId],
    ['zero bits', `c1 ${measured.c1}, c2 ${measured.c2}`],
    ...(wish.type === 'near' ? [['goal', `${goal}, ${shared} leading bits shared`] as const] : []),
    ['solution', claim.solution ?? 'none'],
    ['signature', claim.signature],
  ];
}

function identityTable(claims: readonly ClaimJson[]): Report[number] {
  const isSolved = claims.some(({ solution }) => solution !== null);
  return {
    ...{ type: 'table', title: 'Identities' },
    columns: [
      { name: 'identity', isNumber: true },
      { name: 'node ID' },
      ...(isSolved ? [{ name: 'X' }] : []),
    ],
    rows: claims.map(({ nodeId, solution }, index) => [
      ...[String(index + 1), nodeId],
      ...(isSolved ? [solution ?? ''] : []),
    ]),
  };
}
