/**
 * @module
 * The operation `attack-matrix`: what every attack of the catalogue does to every protocol at every level, and the
 * smallest sets of defences that stop it.
 */

import { z } from 'zod';
import { LEVELS } from '../../election/authentication/authenticated.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { cellRunOptions, MATRIX_ATTACK_NAMES } from '../../experiment/attack/matrix.ts';
import type { AttackMatrix } from '../../experiment/attack/matrix-report.ts';
import { reportedRow, runAttackMatrix } from '../../experiment/attack/matrix-report.ts';
import { defenceSchema } from '../../experiment/attack/sets.ts';
import type { HeldElection } from '../../experiment/runs/held-election.ts';
import { savedElection } from '../../experiment/runs/held-election.ts';
import type { Column, TableRow } from '../../experiment/sweep/columns.ts';
import { column } from '../../experiment/sweep/columns.ts';
import { parseSeed } from '../../random.ts';
import type { InputOf } from '../member.ts';
import { choices, FIXED_SEED, toggle } from '../member.ts';
import { defineOperation, replayOf } from '../operation.ts';
import type { Report } from '../report.ts';
import { sentenceBlock } from '../report.ts';

/** The rows of a matrix. */
export const MATRIX_ROWS = choices(PROTOCOL_NAMES, {
  label: 'Protocols',
  meaning: 'Protocols, which are the rows of the matrix',
  example: 'cr-join',
  isArgument: true,
  otherwise: 'all protocols',
});

const MEMBERS = {
  protocols: MATRIX_ROWS,
  sets: toggle({
    label: 'Search the smallest set of defences that stops each attack (takes minutes)',
    meaning: 'Search the smallest set of defences that stops each attack, which takes minutes',
    example: 'true',
    initial: false,
  }),
  seed: FIXED_SEED,
};

const VERB = { name: 'attack-matrix', members: MEMBERS } as const;

const cellSchema = z.object({
  attack: z.enum(MATRIX_ATTACK_NAMES),
  byLevel: z
    .string()
    .describe(
      'For L0 to L3: the aim that was reached (L lead, N stop, S split), - for none, ? if the election fails without an attack too.',
    ),
  mark: z.enum(['○', '●', '']).describe('○ works even at L3, ● works only at lower levels.'),
  smallestSet: z
    .array(defenceSchema)
    .readonly()
    .nullable()
    .optional()
    .describe('Null if none of the sets that were tried stops the attack.'),
  remains: z.string().nullable().optional().describe('Why the attack remains.'),
  shown: z
    .array(
      z.object({
        level: z.enum(LEVELS),
        shows: z.string().describe('The letter of the level.'),
        form: z.int().describe('Number of the form of the attack.'),
        seed: z.string(),
        ticks: z.int(),
        leader: z.int().nullable().describe('Leader that all honest live nodes followed.'),
        messages: z.int(),
      }),
    )
    .readonly()
    .describe('For each level a run that shows its letter.'),
});

const rowSchema = z.object({
  protocol: z.enum(PROTOCOL_NAMES),
  cells: z
    .array(cellSchema)
    .readonly()
    .describe('Without the attacks that do not apply to the protocol.'),
});

type Rows = readonly z.output<typeof rowSchema>[];

/** The columns of the runs that the cells of a matrix rest on. Each repeats as an election. */
export const CELL_RUN_COLUMNS: readonly Column[] = [
  column('seed', 'text', 'seed of the run'),
  column('nodes', 'integer', 'ranks of the election'),
  column('adversary', 'text', 'ranks of the adversary, joined by spaces'),
  column('leader', 'integer', 'leader that all honest live nodes follow at the end'),
  column('messages', 'integer', 'messages of the run'),
  column('until', 'text', 'tick to which the run was advanced, or idle'),
  column('saved', 'text', 'the election as JSON: saved of POST /v1/elections'),
];

/** The values of these columns. `isPlayed`: whether an election of these options has the same nodes and starts. */
export function cellRunValues(
  held: HeldElection,
  { leader, messages }: { readonly leader: number | null; readonly messages: number },
  isPlayed: boolean,
): TableRow {
  const { seed, nodes, byzantine = [] } = held.options;
  const { until, saved } = savedElection(held);
  const adversary = byzantine.map(({ rank }) => rank).join(' ');
  return [
    ...[seed, nodes, adversary, leader, messages],
    ...[String(until), isPlayed ? JSON.stringify(saved) : null],
  ];
}

export const ATTACK_MATRIX = defineOperation({
  ...VERB,
  collection: 'attack-matrices',
  title: 'Attack matrix',
  summary: 'run every attack on every protocol at every level',
  description: `A row for each protocol, a column for each attack of the catalogue. Each cell is decided by runs: an attack works if most of a few runs show its harm.
The attacks are played at every level of authentication. Forged identities are assigned without mining. All protocols take about a minute. With sets, the answer also names, for each attack that works, the smallest set of defences that stops it (a level and up to two others), or why none does.`,
  output: z
    .object({
      complete: z.boolean().describe('Whether every row was computed, and every set if wanted.'),
      attacks: z.array(z.enum(MATRIX_ATTACK_NAMES)).readonly(),
      rows: z.array(rowSchema).readonly(),
      seed: z.string(),
      replay: z.string(),
    })
    .meta({ id: 'AttackMatrix' }),
  answersWhileTyping: false,
  measuresTime: false,
  check() {},
  atOnce: () => null,
  async run(input, { signal, machine, onProgress, onPartial }) {
    const { protocols = PROTOCOL_NAMES, sets, seed: given } = input;
    const total = protocols.length * (sets ? 2 : 1);
    let done = 0;
    const matrix = await runAttackMatrix(
      { seed: parseSeed(given), protocols, hasSets: sets },
      async ({ phase, attack, protocol }) => {
        const what = phase === 'attacks' ? attack : `defences against ${attack}`;
        onProgress({ now: `${what} on ${protocol}`, done, total });
        await machine.pause();
        return !signal.aborted;
      },
      (found) => {
        done += 1;
        onPartial(outputOf(input, found));
      },
    );
    return matrix.rows.length === 0 ? null : outputOf(input, matrix);
  },
  outcomeOf: () => 'holds',
  outcomes: { holds: 'all rows', violated: null, unknown: null },
  report: ({ complete, rows }) => [
    sentenceBlock(sentenceOf(rows, complete)),
    marksBlock(rows),
    { type: 'facts', rows: LEGEND },
    ...setsBlocks(rows),
  ],
  picture: () => null,
  table: ({ rows }) => ({
    columns: COLUMNS,
    rows: rows.flatMap(({ protocol, cells }) =>
      cells.flatMap(({ attack, mark, smallestSet, remains = null, shown }) =>
        shown.map((run) => {
          const options = cellRunOptions(
            { protocol, attack },
            { ...run, seed: parseSeed(run.seed) },
          );
          return [
            ...[protocol, attack, run.level, run.shows, mark],
            ...[smallestSet?.join('+') ?? null, remains],
            ...cellRunValues({ options, until: run.ticks }, run, true),
          ];
        }),
      ),
    ),
  }),
  has: { picture: false, table: true },
  examples: [{ protocols: 'cr-join,raft' }, { protocols: 'bully-oneshot', sets: true }],
});

const COLUMNS = [
  column('protocol', 'text', 'protocol of the elections'),
  column('attack', 'text', 'attack of the catalogue'),
  column('level', 'text', 'level of authentication'),
  column('shows', 'text', 'the aim that was reached: L lead, N stop, S split; - none, ? unknown'),
  column('mark', 'text', '○ works even at L3, ● works only at lower levels, empty: has no effect'),
  column('smallest_set', 'text', 'smallest set of defences that stops it, joined by +'),
  column('remains', 'text', 'why no set stops it'),
  ...CELL_RUN_COLUMNS,
];

function outputOf(
  input: InputOf<typeof MEMBERS>,
  { rows, sets, protocols, hasSets }: AttackMatrix,
) {
  const expected = protocols.length * (hasSets ? 2 : 1);
  return {
    complete: rows.length + sets.length === expected,
    attacks: MATRIX_ATTACK_NAMES,
    rows: rows.map((row) => reportedRow(row, sets)),
    seed: input.seed,
    replay: replayOf(VERB, input),
  };
}

function sentenceOf(rows: Rows, complete: boolean): string {
  const marks = rows.flatMap(({ cells }) => cells.map(({ mark }) => mark));
  const even = marks.filter((mark) => mark === '○').length;
  const works = even + marks.filter((mark) => mark === '●').length;
  const what = `An attack works in ${works} of ${marks.length} cells, in ${even} of them even at level L3.`;
  return complete ? what : `The matrix was stopped after ${rows.length} protocols. ${what}`;
}

/** The matrix as a table. A dot stands for an attack without effect. */
export function marksBlock(rows: Rows): Report[number] {
  return {
    type: 'table',
    title: 'Attacks',
    columns: ['', ...MATRIX_ATTACK_NAMES].map((name) => ({ name })),
    rows: rows.map(({ protocol, cells }) => [
      protocol,
      ...MATRIX_ATTACK_NAMES.map((attack) => {
        const cell = cells.find((each) => each.attack === attack);
        if (cell === undefined) return '';
        return cell.mark || (cell.byLevel.includes('?') ? '?' : '·');
      }),
    ]),
  };
}

const LEGEND = [
  ['○', 'works even at level L3'],
  ['●', 'works only at lower levels'],
  ['·', 'has no effect'],
  ['?', 'unknown: the election also fails without the attack'],
  ['blank', 'does not apply to the protocol'],
] as const;

/** For each attack each set with the protocols on which it is the smallest. No block without sets. */
export function setsBlocks(rows: Rows): Report {
  const facts = MATRIX_ATTACK_NAMES.flatMap((attack) => {
    const found = rows.flatMap(({ protocol, cells }) => {
      const cell = cells.find((each) => each.attack === attack);
      if (cell?.smallestSet === undefined) return [];
      const set = cell.smallestSet?.join(' + ') ?? null;
      return [{ protocol, set, why: cell.remains ?? 'not explained' }];
    });
    const groups = Map.groupBy(found, ({ set, why }) => set ?? `none: ${why}`);
    return Array.from(groups, ([text, members]) => {
      const protocols = members.map(({ protocol }) => protocol).join(', ');
      return [attack, `${text.replace(/\.$/, '')} (${protocols})`] as const;
    });
  });
  return facts.length === 0 ? [] : [{ type: 'facts', rows: facts }];
}
