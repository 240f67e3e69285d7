/**
 * @module
 * The name of a row of a table, with which the row is chosen. One row of a table is chosen at a time.
 */

interface RowChoiceProps {
  /** What is chosen; the same for all rows of a table. */
  readonly of: string;
  readonly name: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

export function RowChoice({ of, name, isChosen, onChoose }: RowChoiceProps) {
  return (
    <th scope="row">
      <label class="row-choice">
        <input type="radio" name={of} checked={isChosen} onChange={onChoose} />
        {name}
      </label>
    </th>
  );
}
