/**
 * @module
 * A member of the form that is one value: its label, its control, its description and its faults.
 */

import type { DraftFault, Path } from '../draft.ts';
import { flowOf, quantityOf, valueAt, valueOfFlow } from '../draft.ts';
import type { ControlProps } from './control.ts';
import type { Field, Member } from './form-schema.ts';
import { defaultText, meaningOf } from './form-schema.ts';
import type { FormState } from './form-state.ts';
import { elementId, faultsWithin, setMember } from './form-state.ts';
import { ListInput } from './list-input.tsx';
import { TextInput } from './text-input.tsx';

interface LeafProps {
  readonly form: FormState;
  readonly member: Member;
  readonly path: Path;
  readonly field: Field;
  /** In place of changing the member alone. */
  readonly change?: (value: unknown) => void;
}

export function LeafField({ form, member, path, field, change }: LeafProps) {
  const { name, schema, isRequired } = member;
  const faults = faultsWithin(form, path);
  const set = change ?? ((value: unknown) => setMember(form, path, value));
  const control: ControlProps = {
    label: name,
    value: valueAt(form.data, path),
    otherwise: isRequired ? 'required' : otherwise(defaultText(schema)),
    isRequired,
    set,
    aria: {
      id: elementId(path, 'm'),
      'aria-invalid': faults.length > 0,
      'aria-describedby': elementId(path, faults.length > 0 ? 'faults' : 'help'),
    },
  };
  return (
    <div class={faults.length > 0 ? 'member wrong' : 'member'}>
      <label class="member-name" for={control.aria.id}>
        {name}
      </label>
      <Control {...control} field={field} />
      <Faults faults={faults} path={path} />
      <Help text={schema.description} id={elementId(path, 'help')} field={field} {...control} />
    </div>
  );
}

function otherwise(text: string | null): string {
  return text === null ? 'not given' : `default: ${text}`;
}

function Control({ field, ...control }: ControlProps & { readonly field: Field }) {
  const { value, set } = control;
  switch (field.kind) {
    case 'choice':
      return <ChoiceInput {...control} options={field.options} />;
    case 'flag':
      return (
        <ChoiceInput
          {...control}
          options={['true', 'false']}
          set={(text) => set(text === undefined ? text : text === 'true')}
        />
      );
    case 'choices':
      return <ListInput {...control} options={field.options} />;
    case 'quantity':
      return (
        <TextInput
          {...control}
          text={textOfValue(value)}
          commit={(text) => set(quantityOf(text))}
        />
      );
    case 'text':
      return (
        <TextInput {...control} text={textOfValue(value)} commit={set} isLong={field.isLong} />
      );
    default:
      return (
        <TextInput
          {...control}
          text={value === undefined ? '' : flowOf(value)}
          commit={(text) => set(valueOfFlow(text))}
        />
      );
  }
}

function textOfValue(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'object' ? flowOf(value) : String(value);
}

function ChoiceInput({
  value,
  otherwise: absent,
  options,
  isRequired,
  set,
  aria,
}: ControlProps & { readonly options: readonly string[] }) {
  const shown = textOfValue(value);
  const all = shown === '' || options.includes(shown) ? options : [shown, ...options];
  return (
    <select
      {...aria}
      value={shown}
      onChange={({ currentTarget }) => {
        set(currentTarget.value === '' ? undefined : currentTarget.value);
      }}
    >
      {isRequired && shown !== '' ? null : <option value="">{absent}</option>}
      {all.map((option) => (
        <option key={option} value={option}>
          {option}
        </option>
      ))}
    </select>
  );
}

/** Longest description that is shown without being asked for. */
const HELP_MAX = 150;

function Help({
  text,
  id,
  field,
  value,
}: Pick<ControlProps, 'value'> & {
  readonly text: string | undefined;
  readonly id: string;
  readonly field: Field;
}) {
  if (text === undefined) return null;
  const options = field.kind === 'choice' ? field.options : [];
  const meaning = meaningOf(String(value ?? ''), options, text);
  if (text.length <= HELP_MAX) {
    return (
      <p class="help" id={id}>
        {text}
      </p>
    );
  }
  return (
    <div class="help" id={id}>
      {meaning === null ? null : <p>{meaning}</p>}
      <details>
        <summary>{meaning === null ? `${text.slice(0, 60)}…` : 'All values'}</summary>
        {text}
      </details>
    </div>
  );
}

interface FaultsProps {
  readonly faults: readonly DraftFault[];
  readonly path: Path;
}

export function Faults({ faults, path }: FaultsProps) {
  if (faults.length === 0) return null;
  return (
    <ul class="faults" id={elementId(path, 'faults')}>
      {faults.map(({ text }) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}
