/**
 * @module
 * The head of a table: one row with the names of its columns. On a phone, the rows of a table that is wider than its place
 * are cards, whose cells have the names of their columns.
 */

import { useLayoutEffect, useRef } from 'preact/hooks';

interface TableHeadProps {
  readonly columns: readonly string[];
  /** Columns of numbers, which are aligned to the right. */
  readonly numbers?: readonly string[];
}

export function TableHead({ columns, numbers = [] }: TableHeadProps) {
  const head = useRef<HTMLTableSectionElement>(null);
  useLayoutEffect(() => {
    const table = head.current?.closest('table');
    return table ? cardsOnPhones(table, columns) : undefined;
  }, [columns.join()]);
  return (
    <thead ref={head}>
      <tr>
        {columns.map((name) => (
          <th key={name} scope="col" class={numbers.includes(name) ? 'number' : undefined}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** Looks whether a table fits, again after each change of its rows and of the window, until the result is called. */
function cardsOnPhones(table: HTMLTableElement, columns: readonly string[]): () => void {
  const arrange = () => {
    table.classList.remove('cards');
    if (innerWidth > PHONE_PX || table.offsetWidth <= (table.parentElement?.clientWidth ?? 0))
      return;
    table.classList.add('cards');
    for (const cell of table.querySelectorAll<HTMLTableCellElement>('tbody > tr > *')) {
      cell.dataset['column'] = columns[cell.cellIndex] ?? '';
      cell.toggleAttribute('data-empty', cell.textContent === '–');
    }
  };
  const rows = new MutationObserver(arrange);
  rows.observe(table, { childList: true, subtree: true });
  addEventListener('resize', arrange);
  arrange();
  return () => {
    rows.disconnect();
    removeEventListener('resize', arrange);
  };
}

const PHONE_PX = 480;
