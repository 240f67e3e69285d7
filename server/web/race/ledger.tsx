/**
 * @module
 * The ledger of a race: what the forger has spent so far.
 */

import { count, seconds } from '../parts/numbers.ts';
import type { Race } from './use-race.ts';

export function LedgerTable({ job, progress }: Pick<Race, 'job' | 'progress'>) {
  const ledger = job?.result?.ledger ?? progress?.ledger;
  if (ledger === undefined) return <p>Nothing is spent yet.</p>;
  const rate = ledger.cpuSeconds > 0 ? ledger.attempts / ledger.cpuSeconds : null;
  const rows: readonly (readonly [string, string])[] = [
    ['Attempts', count(ledger.attempts)],
    ['Hash evaluations', count(ledger.hashes)],
    ['Group operations', count(ledger.groupOperations)],
    ['CPU time of all threads', seconds(ledger.cpuSeconds)],
    ['Wall time', seconds(ledger.wallSeconds)],
    ...(rate === null
      ? []
      : [['Attempts per CPU second', count(Number(rate.toPrecision(2)))] as const]),
  ];
  return (
    <table>
      <tbody>
        {rows.map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="number">{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
