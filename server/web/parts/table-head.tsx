/**
 * @module
 * The head of a table: one row with the names of its columns.
 */

interface TableHeadProps {
  readonly columns: readonly string[];
  /** Columns of numbers, which are aligned to the right. */
  readonly numbers?: readonly string[];
}

export function TableHead({ columns, numbers = [] }: TableHeadProps) {
  return (
    <thead>
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
