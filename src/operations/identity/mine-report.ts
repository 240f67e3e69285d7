/**
 * @module
 * What a search for identities has found, for people.
 */

import { z } from 'zod';
import { hexToBytes, leadingZeroBits } from '../../bytes.ts';
import type { ClaimJson } from '../../identity/claim.ts';
import { claimJsonSchema } from '../../identity/claim.ts';
import { deviceSchema, deviceText } from '../../mining/device/facts.ts';
import { identitiesWanted, xorDistance } from '../../mining/goal.ts';
import { ledgerSchema } from '../../mining/ledger.ts';
import { STRATEGY_NAMES } from '../../mining/strategy.ts';
import { formatCount, formatSeconds } from '../figures.ts';
import type { Report } from '../report.ts';
import { wishOf } from './goals.ts';
import { oddsSchema } from './odds.ts';

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
    ...(ledger.deviceSeconds === undefined
      ? []
      : ([
          ['device', `${formatSeconds(ledger.deviceSeconds)} of ${deviceText(output.device)}`],
        ] as const)),
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
    type: 'table',
    title: 'Identities',
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

export const mineOutput = z
  .object({
    found: z.boolean(),
    goal: z.string().meta({ description: 'With top resolved.', example: 'any' }),
    ending: z
      .enum(['found', 'attempts', 'hashes', 'stock', 'time', 'cancelled'])
      .describe('What ended the search. stock: every key in stock was tested.'),
    claim: z.union([claimJsonSchema, z.null()]),
    claims: z
      .array(claimJsonSchema)
      .readonly()
      .optional()
      .describe('With the goals count and pair: every claim.'),
    measured: z.object({ c1: z.int(), c2: z.int() }).nullable(),
    ledger: ledgerSchema,
    expectedBits: z
      .number()
      .nullable()
      .describe(
        'log2 of the attempts of such a search on average; null if only its budget ends it.',
      ),
    strategy: z.enum(STRATEGY_NAMES),
    device: deviceSchema.optional().describe('The device that has searched, if one has.'),
    stockpile: z.int().optional().describe('Keys that were made before the budget counted.'),
    seed: z.string().nullable().describe('Null if it was drawn, because it reveals the keys.'),
    replay: z.string(),
  })
  .meta({ id: 'MineResult' });

/** What a search has found and spent, without its secrets. */
export type MineOutput = z.output<typeof mineOutput>;

export const mineProgress = z.object({
  phase: z.enum(['stock', 'keys', 'solutions']),
  tested: z.int().describe('Candidates tested in this phase.'),
  perSecond: z.number(),
  bestBits: z.int().nullable().describe('Null before the first candidate.'),
  keys: z
    .int()
    .describe(
      'Keys found so far that meet the goal and the static puzzle, with or without their solution.',
    ),
  highest: z
    .object({
      attempt: z.int().describe('Number of attempts before the one that found it.'),
      nodeId: z.string(),
    })
    .nullable()
    .describe('The one of these keys with the highest rank.'),
  ledger: ledgerSchema.describe('The ledger if the search ended now.'),
  odds: oddsSchema
    .nullable()
    .describe(
      'A search has no memory, so there is no remaining time. Null if only the budget ends it.',
    ),
});
