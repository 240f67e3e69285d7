/**
 * @module
 * The answer to an exercise as a form, which is made from the schema of the answer, and as JSON.
 */

import { useSignal } from '@preact/signals';
import { useId, useMemo } from 'preact/hooks';

import { ErrorNotice } from '../parts/notice.tsx';
import { wordsOf } from '../parts/values.tsx';
import type { AnswerPart, AnswerSchema } from './answer-schema.ts';
import {
  filled,
  isOptional,
  membersOf,
  partOf,
  resolved,
  skeletonOf,
  valueIn,
} from './answer-schema.ts';

interface AnswerFormProps {
  readonly schema: AnswerSchema;
  /** The item of sessionStorage with what was entered. */
  readonly draftKey: string;
  readonly onSubmit: (answer: unknown) => void;
}

export function AnswerForm({ schema: given, draftKey, onSubmit }: AnswerFormProps) {
  const schema = resolved(given);
  const { value, json, keep } = useDraft(schema, draftKey);
  const error = useSignal<unknown>(null);
  const reading = (use: () => void) => {
    try {
      use();
      error.value = null;
    } catch (fault) {
      error.value = fault;
    }
  };
  const showForm = () =>
    reading(() => {
      if (json.value !== null) value.value = JSON.parse(json.value);
      json.value = null;
    });
  const showJson = () => {
    json.value ??= JSON.stringify(value.value, null, 2);
  };
  return (
    <form
      class="answer"
      aria-label="Answer"
      onSubmit={(event) => {
        event.preventDefault();
        reading(() => {
          onSubmit(json.value === null ? filled(schema, value.value) : JSON.parse(json.value));
        });
      }}
    >
      <div class="actions">
        <button type="button" aria-pressed={json.value === null} onClick={showForm}>
          Form
        </button>
        <button type="button" aria-pressed={json.value !== null} onClick={showJson}>
          JSON
        </button>
      </div>
      {json.value === null ? (
        <Part
          {...{ schema, value: value.value, name: '' }}
          onChange={(changed) => {
            value.value = changed;
            keep();
          }}
        />
      ) : (
        <label>
          Answer (JSON)
          <textarea
            rows={Math.min(24, json.value.split('\n').length + 1)}
            spellcheck={false}
            value={json.value}
            onInput={(event) => {
              json.value = event.currentTarget.value;
              keep();
            }}
          />
        </label>
      )}
      <ErrorNotice error={error.value} />
      <button type="submit" class="primary">
        Submit
      </button>
    </form>
  );
}

/** What was entered, also before the page was loaded again. */
function useDraft(schema: AnswerSchema, key: string) {
  const [keptValue, keptJson] = useMemo<[unknown, string | null]>(() => {
    const kept = sessionStorage.getItem(key);
    // Only this form writes the item.
    return kept === null ? [skeletonOf(schema), null] : JSON.parse(kept);
  }, []);
  const value = useSignal(keptValue);
  /** The JSON that is edited; null while the form is shown. */
  const json = useSignal(keptJson);
  const keep = () => sessionStorage.setItem(key, JSON.stringify([value.value, json.value]));
  return { value, json, keep };
}

interface PartProps {
  readonly schema: AnswerSchema;
  readonly value: unknown;
  /** Name of the member; empty for the whole answer. */
  readonly name: string;
  readonly onChange: (value: unknown) => void;
}

function Part({ schema, value, name, onChange }: PartProps) {
  const part = partOf(schema);
  if (part.kind === 'group') {
    const members = membersOf(value);
    const fields = part.members.map(([key, member]) => (
      <Part
        key={key}
        {...{ schema: member, value: members[key], name: key }}
        onChange={(changed) => onChange({ ...members, [key]: changed })}
      />
    ));
    if (name !== '' && fields.length > 0) {
      return (
        <fieldset>
          <legend>{labelOf(name)}</legend>
          {fields}
        </fieldset>
      );
    }
    return fields.length > 0 ? (
      fields
    ) : (
      <p>{schema.description ?? 'This answer has no members.'}</p>
    );
  }
  if (part.kind === 'items') return <Items {...{ value, name, onChange }} of={part.of} />;
  return <Leaf {...{ schema, value, name, onChange, part }} />;
}

type ItemsProps = Omit<PartProps, 'schema'> & { readonly of: AnswerSchema };

/** A list of groups. */
function Items({ of, value, name, onChange }: ItemsProps) {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return (
    <fieldset>
      <legend>{labelOf(name)}</legend>
      {items.map((item, at) => (
        <div key={at} class="answer-item">
          <Part
            {...{ schema: of, value: item, name: `${name} ${at + 1}` }}
            onChange={(changed) => onChange(items.with(at, changed))}
          />
          <button
            type="button"
            class="beside-text"
            aria-label={`Remove ${labelOf(name)} ${at + 1}`}
            onClick={() => onChange(items.toSpliced(at, 1))}
          >
            Remove
          </button>
        </div>
      ))}
      <button
        type="button"
        class="beside-text"
        onClick={() => onChange([...items, skeletonOf(of)])}
        aria-label={`Add to ${labelOf(name)}`}
      >
        Add
      </button>
    </fieldset>
  );
}

type LeafProps = PartProps & { readonly part: AnswerPart };

function Leaf({ schema, value, name, onChange, part }: LeafProps) {
  const id = useId();
  const note = `${id}-note`;
  const described = { id, ...(schema.description !== undefined && { 'aria-describedby': note }) };
  const empty = isOptional(schema) ? ' (may be empty)' : '';
  return (
    <div class="answer-leaf">
      <label for={id}>
        {labelOf(name)}
        {part.kind === 'lines' ? ', one on each line' : empty}
      </label>
      <Input {...{ schema, value, onChange, part, described }} />
      {schema.description === undefined ? null : <small id={note}>{schema.description}</small>}
    </div>
  );
}

type InputProps = Omit<LeafProps, 'name'> & {
  readonly described: { readonly id: string; readonly 'aria-describedby'?: string };
};

function Input({ schema, value, onChange, part, described }: InputProps) {
  const shared = { ...described, autocomplete: 'off', spellcheck: false } as const;
  if (part.kind === 'choice') {
    return (
      <select
        {...described}
        value={textOf(value)}
        onChange={({ currentTarget }) => onChange(valueIn(schema, currentTarget.value))}
      >
        <option value="" />
        {part.options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    );
  }
  if (part.kind === 'lines') {
    const values = (text: string) => text.split(/[\s,]+/).filter(Boolean);
    return (
      <textarea
        {...shared}
        rows={3}
        defaultValue={Array.isArray(value) ? value.join('\n') : ''}
        onInput={({ currentTarget }) =>
          onChange(values(currentTarget.value).map((each) => valueIn(part.of, each)))
        }
      />
    );
  }
  return (
    <input
      {...shared}
      inputMode={part.kind === 'number' ? 'decimal' : undefined}
      defaultValue={textOf(value)}
      onInput={({ currentTarget }) => onChange(valueIn(schema, currentTarget.value))}
    />
  );
}

function textOf(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}

/** The name of a member with a capital letter; a dotted path stays as it is. */
function labelOf(name: string): string {
  if (name.includes('.')) return name;
  const words = wordsOf(name);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
