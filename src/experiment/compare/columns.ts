/**
 * @module
 * A comparison as lines with the same columns, one for each row and advantage, for CSV and JSON lines.
 */

import type { Column, TableRow } from '../sweep/columns.ts';
import { column } from '../sweep/columns.ts';
import type { ComparedRow } from './comparison.ts';
import { setName } from './sets.ts';

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
        excluded.map(({ label }) => label).join('; '),
      ];
    });
  });
}
