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
    Pick<ComponentProps<'input'>, 'inputMode' | 'name' | 'placeholder' | 'size'> {
  readonly type?: 'text' | 'search' | 'number' | 'datetime-local';
}

export function TextField({ label, set, type = 'text', ...input }: TextFieldProps) {
  const take = (event: { readonly currentTarget: HTMLInputElement }) =>
    set(event.currentTarget.value);
  const shared = { ...input, autocomplete: 'off', onInput: take } as const;
  // The types of the elements know one type of input at a time.
  const inputs = {
    text: <input {...shared} />,
    search: <input type="search" {...shared} />,
    number: <input type="number" {...shared} />,
    'datetime-local': <input type="datetime-local" {...shared} />,
  };
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: each of them is an input
    <label>
      {label}
      {inputs[type]}
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
