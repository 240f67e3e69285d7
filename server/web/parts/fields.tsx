/**
 * @module
 * Fields of forms with their labels.
 */

import type { ComponentProps } from 'preact';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
}

interface TextFieldProps
  extends FieldProps,
    Pick<ComponentProps<'input'>, 'inputMode' | 'name' | 'placeholder' | 'size'> {}

export function TextField({ label, set, ...input }: TextFieldProps) {
  return (
    <label>
      {label}
      <input {...input} autocomplete="off" onInput={(event) => set(event.currentTarget.value)} />
    </label>
  );
}

interface ChoiceFieldProps
  extends FieldProps,
    Pick<ComponentProps<'select'>, 'name' | 'aria-describedby' | 'aria-invalid'> {
  /** Values, with their titles if these differ. A value that is not among them precedes them. */
  readonly options: readonly (string | readonly [value: string, title: string])[];
}

export function ChoiceField({ label, set, options, ...select }: ChoiceFieldProps) {
  const listed = options.map((option) =>
    typeof option === 'string' ? ([option, option] as const) : option,
  );
  const { value } = select;
  const isListed = value === '' || listed.some(([name]) => name === value);
  return (
    <label>
      {label}
      <select {...select} onChange={(event) => set(event.currentTarget.value)}>
        {isListed ? null : <option>{value}</option>}
        {listed.map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}
