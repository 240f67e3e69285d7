/**
 * @module
 * A list of names in their order. An empty list is not the same as none: the default may be another.
 */

import type { ControlProps } from './control.ts';

interface ListInputProps extends ControlProps {
  readonly options: readonly string[];
}

export function ListInput({ label, value, otherwise, options, set, aria }: ListInputProps) {
  const names = Array.isArray(value) ? value.map(String) : [];
  const isGiven = value !== undefined;
  return (
    <div class="list-input">
      {isGiven ? (
        <ul class="chips" aria-label={label}>
          {names.map((name) => (
            <li key={name}>
              <code>{name}</code>
              <button
                type="button"
                aria-label={`Remove ${name}`}
                onClick={() => set(names.filter((each) => each !== name))}
              >
                ×
              </button>
            </li>
          ))}
          {names.length === 0 ? <li class="none">none</li> : null}
        </ul>
      ) : (
        <span class="absent">{otherwise}</span>
      )}
      <select
        {...aria}
        value=""
        onChange={({ currentTarget }) => {
          if (currentTarget.value !== '') set([...names, currentTarget.value]);
        }}
      >
        <option value="">Add…</option>
        {options
          .filter((option) => !names.includes(option))
          .map((option) => (
            <option key={option}>{option}</option>
          ))}
      </select>
      <button type="button" onClick={() => set(isGiven ? undefined : [])}>
        {isGiven ? 'Do not give' : 'Give none'}
      </button>
    </div>
  );
}
