/**
 * @module
 * The table of the cells of a sweep, and the cells that the document refuses with the reasons.
 */

import { useSignal } from '@preact/signals';

import { roleOf } from '../../../src/experiment/charts/axes.ts';
import {
  refusalsOf,
  refusalText,
  resultTable,
  seedNote,
} from '../../../src/experiment/charts/result-table.ts';
import { Scrolling } from '../parts/scrolling.tsx';
import { TableHead } from '../parts/table-head.tsx';
import type { VerdictValue } from '../parts/verdict.tsx';
import { Verdict } from '../parts/verdict.tsx';
import type { SweepResult } from './picture-input.ts';
import type { AxisRange } from './ranges.ts';
import { isWhole, isWithin } from './ranges.ts';

/** Rows that are shown at first. */
const ROWS_SHOWN = 100;

interface CellTableProps {
  readonly result: SweepResult;
  readonly ranges: readonly AxisRange[];
}

export function CellTable({ result: { axes, cells, input }, ranges }: CellTableProps) {
  const isLong = useSignal(false);
  const isPart = !ranges.every(isWhole);
  const chosen = isPart ? cells.filter((cell) => isWithin(ranges, cell)) : cells;
  const { columns, rows } = resultTable(axes, chosen);
  const shown = isLong.value ? rows : rows.slice(0, ROWS_SHOWN);
  const isNumber = columns.map(({ name }, index) => {
    const axis = axes[index];
    return axis === undefined ? !WORDS.has(name) : roleOf(axis) !== 'names';
  });
  const seeds = seedNote(input.seedRule, cells);
  return (
    <section aria-labelledby="cells">
      <h2 id="cells">Cells</h2>
      {isPart ? <p>The chosen part of the grid.</p> : null}
      <Scrolling label="The table of cells">
        <table>
          <TableHead
            columns={columns.map(({ name }) => wordsOf(name))}
            numbers={columns.flatMap(({ name }, index) => (isNumber[index] ? wordsOf(name) : []))}
          />
          <tbody>
            {shown.map((row) => (
              <tr key={row.join(' ')}>
                {row.map((text, index) => (
                  <td key={columns[index]?.name} class={isNumber[index] ? 'number' : undefined}>
                    {columns[index]?.name === 'verdict' ? <VerdictText text={text} /> : text}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
      {rows.length === shown.length ? null : (
        <p>
          <button
            type="button"
            onClick={() => {
              isLong.value = true;
            }}
          >
            Show all {rows.length} rows
          </button>
        </p>
      )}
      {seeds === null ? null : <p class="note">Seeds: {seeds}</p>}
      <Refusals axes={axes} cells={cells} />
    </section>
  );
}

/** Columns of text. */
const WORDS: ReadonlySet<string> = new Set(['protocol', 'verdict']);

function wordsOf(column: string): string {
  return column.replaceAll('_', ' ');
}

function VerdictText({ text }: { readonly text: string }) {
  const value = VALUES.find((each) => each === text);
  return value === undefined ? <>{text}</> : <Verdict value={value} />;
}

const VALUES: readonly VerdictValue[] = ['true', 'false', 'unknown'];

function Refusals({ axes, cells }: Pick<SweepResult, 'axes' | 'cells'>) {
  const refusals = refusalsOf(axes, cells);
  if (refusals.length === 0) return null;
  return (
    <>
      <h3>Cells that the document refuses</h3>
      <ul>
        {refusals.map((refusal) => (
          <li key={refusal.reason}>{refusalText(refusal)}</li>
        ))}
      </ul>
    </>
  );
}
