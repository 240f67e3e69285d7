/**
 * @module
 * A member of the form that is one value: its label, its control, its description and its faults.
 */

import { useSignal } from '@preact/signals';

import type { DraftFault, Path } from '../draft.ts';
import { flowOf, quantityOf, valueAt, valueOfFlow, withMember, withoutMember } from '../draft.ts';
import type { Field, JsonSchema, Member } from './form-schema.ts';
import { defaultText, fieldOf, meaningOf } from './form-schema.ts';

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

interface ListInputProps extends ControlProps {
  readonly options: readonly string[];
}

/**
 * A list of names in their order. An empty list is not the same as none: the default may be another.
 */
function ListInput({ label, value, otherwise, options, set, aria }: ListInputProps) {
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

interface TextInputProps extends ControlProps {
  readonly text: string;
  readonly commit: (text: string) => void;
  readonly isLong?: boolean;
}

/**
 * A text of the form. It changes the document when it is left, so that a half-written value is no fault.
 */
function TextInput({ text, commit, set, otherwise, aria, isLong = false }: TextInputProps) {
  /** What is typed and not in the document yet. */
  const typed = useSignal<string | null>(null);
  const shared = {
    ...aria,
    value: typed.value ?? text,
    placeholder: otherwise,
    spellcheck: isLong,
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => {
      typed.value = currentTarget.value;
    },
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => {
      const { value } = currentTarget;
      typed.value = null;
      if (value === text) return;
      if (value === '') set(undefined);
      else commit(value);
    },
  };
  return isLong ? <textarea {...shared} rows={4} /> : <input {...shared} autocomplete="off" />;
}

/** What every control of a value of the form needs. */
interface ControlProps {
  readonly label: string;
  readonly value: unknown;
  /** What it says without a value. */
  readonly otherwise: string;
  readonly isRequired: boolean;
  readonly set: (value: unknown) => void;
  readonly aria: {
    readonly id: string;
    readonly 'aria-invalid': boolean;
    readonly 'aria-describedby': string;
  };
}

/** What every part of the form needs: the document, its faults, and how a member is changed. */
export interface FormState {
  readonly schema: JsonSchema;
  readonly text: string;
  readonly data: unknown;
  readonly faults: readonly DraftFault[];
  /** Whether the text is YAML. While it is not, the form shows the last data and changes nothing. */
  readonly isReadable: boolean;
  readonly edit: (text: string) => void;
}

/** Changes a member; undefined removes it. */
export function setMember(form: FormState, path: Path, value: unknown): void {
  const { text, schema, edit } = form;
  if (value !== undefined) edit(withMember(text, path, value));
  else if (valueAt(form.data, path) !== undefined) {
    edit(withoutMember(text, path, (parent) => isKept(schema, parent)));
  }
}

/** The faults at a member or within it. */
export function faultsWithin({ faults }: FormState, path: Path): readonly DraftFault[] {
  const depth = path.length;
  const pointer = path.join('\0');
  return faults.filter((fault) => fault.path.slice(0, depth).join('\0') === pointer);
}

/** Faults at members of a group that the form does not have, and at the group itself. */
export function strayFaults(
  form: FormState,
  path: Path,
  names: readonly string[],
): readonly DraftFault[] {
  return faultsWithin(form, path).filter((fault) => {
    const [name] = fault.path.slice(path.length);
    return name === undefined || !names.includes(name);
  });
}

/** Whether an empty map remains: a required one, and one with a name that the user chose. */
function isKept(schema: JsonSchema, path: Path): boolean {
  let parent = schema;
  for (const name of path.slice(0, -1)) parent = schemaWithin(parent, name);
  const last = path.at(-1) ?? '';
  return fieldOf(parent).kind === 'map' || parent.required?.includes(last) === true;
}

function schemaWithin(schema: JsonSchema, name: string): JsonSchema {
  const { properties = {}, additionalProperties } = schema;
  const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return own ?? (typeof additionalProperties === 'object' ? additionalProperties : {});
}

/** The id of an element that belongs to a member. */
function elementId(path: Path, part: string): string {
  return `${part}-${path.map(encodeURIComponent).join('.')}`;
}
