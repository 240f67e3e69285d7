/**
 * @module
 * Fields of a form whose values are in the address.
 */

import { keepInAddress } from './router.ts';

interface FieldProps {
  readonly label: string;
  /** The parameter of the address. */
  readonly name: string;
  readonly value: string;
}

interface CountProps extends FieldProps {
  readonly min: number;
  readonly max: number;
}

export function Count({ label, name, value, min, max }: CountProps) {
  return (
    <label>
      {label}
      <input
        type="number"
        {...{ name, value, min, max }}
        required
        onInput={(event) => keepInAddress({ [name]: event.currentTarget.value })}
      />
    </label>
  );
}

interface ChoiceProps extends FieldProps {
  readonly options: readonly string[];
}

/** A choice among the options. A value that is none of them stays possible. */
export function Choice({ label, name, value, options }: ChoiceProps) {
  const all = options.includes(value) ? options : [value, ...options];
  return (
    <label>
      {label}
      <select
        {...{ name, value }}
        onChange={(event) => keepInAddress({ [name]: event.currentTarget.value })}
      >
        {all.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </label>
  );
}
