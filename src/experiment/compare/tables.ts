/**
 * @module
 * The tables of a comparison: its rows in files, and what its pictures show beside its cells: closed forms without runs,
 * refused defences, and the cost for honest nodes with the nodes that are excluded.
 */

import type { ComparisonExtras, PageTable } from '../charts/data.ts';
import type { Column, TableRow } from '../sweep/columns.ts';
import { column } from '../sweep/columns.ts';
import type { ComparedRow } from './comparison.ts';
import type { ComparisonPlan, RefusedRow } from './outline.ts';
import { setName } from './sets.ts';

/** What a comparison shows that needs no run. */
interface Shown {
  readonly rows: readonly Pick<
    ComparedRow,
    'protocol' | 'defences' | 'acting' | 'cost' | 'excluded'
  >[];
  readonly refused: readonly Pick<RefusedRow, 'protocol' | 'defences' | 'reason'>[];
  readonly closedForms: ComparisonExtras['closedForms'];
  readonly sentence: string;
  readonly fixed: string | null;
  readonly advantages: readonly number[];
}

export function comparisonExtras(shown: Shown): ComparisonExtras {
  const { closedForms, sentence, advantages } = shown;
  const budget = `${advantages.join(', ')} times the work of one honest node`;
  const refused = shown.refused.map(({ protocol, defences, reason }) => {
    return { protocol: `[${protocol}]`, defences: setName(defences), reason };
  });
  return {
    closedForms,
    refused,
    sentence,
    budget,
    tables: [joinTable(shown), ...electionTable(shown), ...refusedTable(shown)],
  };
}

/** The closed forms of a plan that no cell has. */
export function bareForms({ rows }: ComparisonPlan): ComparisonExtras['closedForms'] {
  return rows.flatMap(({ protocol, acting, points }) =>
    points.flatMap(({ advantage, theory }) =>
      theory === null ? [] : [{ values: [`[${protocol}]`, setName(acting), advantage], p: theory }],
    ),
  );
}

/** What to know about the rows of a comparison, besides their results. */
export function rowRemarks({ rows, fixed }: Pick<Shown, 'rows' | 'fixed'>): readonly string[] {
  const inert = rows.some(({ defences, acting }) => acting.length < defences.length);
  const reasons = new Set(rows.flatMap(({ excluded }) => excluded.map(({ reason }) => reason)));
  const isRepeated = rows.some(({ cost }) => cost.join.repeats === 'every epoch');
  return [
    // A defence can make a fixed response a bad choice.
    ...(fixed === null
      ? []
      : [
          `The document fixes the response of the adversary: ${fixed}. One that chooses them for each defence reaches its aim at least as often.`,
        ]),
    ...(isRepeated ? ['With epochs, honest nodes pay the join in each of them.'] : []),
    ...(inert
      ? [
          'The adversary follows the protocol. A defence against behaviours alone does not change how often it leads, so that its row has the runs without it.',
        ]
      : []),
    ...[...reasons].map((reason) => `excluded: ${reason}`),
  ];
}

/** What an identity costs: a row for each protocol and set of defences. */
function joinTable(shown: Shown): PageTable {
  return {
    title: 'Cost for honest nodes: an identity',
    head: ['protocol', 'defences', 'attempts p50', 'p95', 'CPU s p50', 'p95', 'excluded'],
    rows: shown.rows.map(({ protocol, defences, cost, excluded }) => {
      const { attempts, seconds } = cost.join;
      const numbers = [attempts.p50, attempts.p95, seconds?.p50, seconds?.p95].map(numberText);
      const who = excluded.map(({ label }) => label).join('; ');
      return [protocol, setName(defences), ...numbers, who];
    }),
    notes: rowRemarks(shown),
  };
}

/** What elections cost: a row for each protocol and set of defences. Empty if none is measured. */
function electionTable({ rows }: Shown): readonly PageTable[] {
  const known = rows.flatMap(({ protocol, defences, cost: { election } }) =>
    election === null ? [] : [{ protocol, defences, election }],
  );
  if (known.length === 0) return [];
  const runs = new Set(known.map(({ election }) => election.runs));
  const begins = known.map(({ protocol, election: { initiators, latency } }) => {
    return `${protocol}: a failure begins with ${initiators}; latency ${latency}.`;
  });
  return [
    {
      title: 'Cost for honest nodes: elections',
      head: [
        ...['protocol', 'defences', 'messages of a failure', 'ticks'],
        ...['messages of a cold start', 'ticks', 'messages in 100 ticks'],
      ],
      rows: known.map(({ protocol, defences, election }) => [
        ...[protocol, setName(defences)],
        ...[election, election.coldStart].flatMap(({ messages, ticks, intervals }) => [
          meanText(messages, intervals.messages),
          meanText(ticks, intervals.ticks),
        ]),
        numberText(election.messagesPer100Ticks),
      ]),
      notes: [
        'A failure ends when all live nodes follow the next leader, a cold start when all nodes follow one.',
        `Each cost is the mean over those of ${[...runs].join(' or ')} runs that agree, with its 95 % interval if they differ.`,
        ...new Set(begins),
      ],
    },
  ];
}

/** A mean and its interval, unless all runs have the same value. */
function meanText(value: number | null, ends: readonly [number, number] | null): string {
  const [low, high] = ends ?? [0, 0];
  const interval = low < high ? ` (${numberText(low)} to ${numberText(high)})` : '';
  return `${numberText(value)}${interval}`;
}

function numberText(value: number | null | undefined): string {
  if (value === null || value === undefined) return '';
  return String(Number(value.toPrecision(4)));
}

/** Empty if nothing is refused. */
function refusedTable({ refused }: Shown): readonly PageTable[] {
  if (refused.length === 0) return [];
  const rows = refused.map(({ protocol, defences, reason }) => [
    protocol,
    setName(defences),
    reason,
  ]);
  return [{ title: 'Refused defences', head: ['protocol', 'defences', 'reason'], rows, notes: [] }];
}

export const COMPARED_COLUMNS: readonly Column[] = [
  column('protocol', 'text', 'protocol of the elections'),
  column('defences', 'text', 'defences, joined by +; none without any'),
  column('advantage', 'number', 'budget of the adversary, as a multiple of that of the document'),
  column('attempts', 'number', 'attempts of the adversary'),
  column('identities', 'number', 'identities that they find on average'),
  column('bits', 'integer', 'bits of the static puzzle that cost work'),
  column('source', 'text', 'where p comes from: runs, closed form or none'),
  column('n', 'integer', 'runs with an outcome'),
  column('k', 'integer', 'runs among them that had the property'),
  column('p', 'number', 'k/n, or the closed form without runs'),
  column('ci_low', 'number', 'lower end of the exact interval'),
  column('ci_high', 'number', 'its upper end'),
  column('theory', 'number', 'closed form of p, if one is known'),
  column('verdict', 'text', "on the document's expect: true, false or unknown"),
  column('honest_join_p50_s', 'number', 'median CPU seconds of an honest node for an identity'),
  column('honest_join_p95_s', 'number', '95 % quantile of these seconds'),
  column('honest_join_repeats', 'text', 'how often a node pays it'),
  column(
    'messages',
    'number',
    'messages of honest nodes from a crash of the leader to the next one',
  ),
  column('ticks', 'number', 'ticks from that crash, or from its notice by one node'),
  column('messages_added', 'number', 'messages that the defences add'),
  column('ticks_added', 'number', 'ticks that the defences add'),
  column('cold_start_messages', 'number', 'messages until all agree if all nodes start at once'),
  column('cold_start_ticks', 'number', 'ticks until all agree if all nodes start at once'),
  column('messages_per_100_ticks', 'number', 'messages of the term of a leader in 100 ticks'),
  column('initiators', 'text', 'nodes that begin after that crash'),
  column('latency', 'text', 'law of the latency in these elections, in ticks'),
  column('excluded', 'text', 'honest nodes that the defences exclude'),
];

export function comparedLines(rows: readonly ComparedRow[]): readonly TableRow[] {
  return rows.flatMap(({ protocol, defences, bits, results, cost, excluded }) => {
    const { join, election, added } = cost;
    return results.map((result): TableRow => {
      const [low, high] = result.interval ?? [null, null];
      return [
        ...[protocol, setName(defences), result.advantage, result.attempts, result.identities],
        ...[bits, result.source, result.n, result.k, result.p, low, high],
        ...[result.theory, result.verdict],
        ...[join.seconds?.p50 ?? null, join.seconds?.p95 ?? null, join.repeats],
        ...[election?.messages ?? null, election?.ticks ?? null],
        ...[added?.messages ?? null, added?.ticks ?? null],
        ...[election?.coldStart.messages ?? null, election?.coldStart.ticks ?? null],
        election?.messagesPer100Ticks ?? null,
        ...[election?.initiators ?? null, election?.latency ?? null],
        excluded.map(({ label }) => label).join('; '),
      ];
    });
  });
}
