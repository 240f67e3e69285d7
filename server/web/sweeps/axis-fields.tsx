/**
 * @module
 * The fields of one axis: the member that varies, and its values as steps, factors or a list.
 */

import { ChoiceField, TextField } from '../parts/fields.tsx';
import { flowOf } from '../threat-models/draft.ts';
import type { JsonSchema } from '../threat-models/form/form-schema.ts';
import type { Member } from './members.ts';
import { suggested } from './members.ts';
import type { PlannedAxis, Spacing } from './plan.ts';
import { inForm, SPACINGS, spacingOf, spacingText, valueCount } from './plan.ts';

interface AxisFieldsProps {
  readonly number: number;
  readonly axis: PlannedAxis;
  readonly members: readonly Member[];
  readonly schema: JsonSchema;
  readonly change: (axis: PlannedAxis) => void;
  /** Null for the only axis. */
  readonly remove: (() => void) | null;
}

export function AxisFields({ number, axis, members, schema, change, remove }: AxisFieldsProps) {
  const { path, values } = axis;
  const spacing = spacingOf(values);
  const count = valueCount(values);
  const own = members.find((member) => member.path === path);
  const choose = (chosen: string) => {
    const member = members.find((each) => each.path === chosen);
    change({ path: chosen, values: member === undefined ? '' : suggested(member, schema) });
  };
  return (
    <fieldset class="axis">
      <legend>Axis {number}</legend>
      <div class="controls">
        <label class="member">
          Member
          <select value={path} onChange={(event) => choose(event.currentTarget.value)}>
            <MemberOptions members={members} path={path} />
          </select>
        </label>
        <ChoiceField
          label="Values"
          value={spacing.kind}
          options={SPACINGS}
          set={(chosen) => {
            const kind = SPACINGS.find(([name]) => name === chosen)?.[0] ?? 'list';
            change({ path, values: inForm(values, kind) });
          }}
        />
        <SpacingFields
          spacing={spacing}
          change={(changed) => change({ path, values: spacingText(changed) })}
        />
        {remove === null ? null : (
          <button type="button" aria-label={`Remove axis ${number}`} onClick={remove}>
            Remove
          </button>
        )}
      </div>
      <p class="note">
        {count === null ? 'The values are not complete.' : valuesText(count)}
        {own === undefined ? null : <> The document has {shortText(own.value)}.</>}
      </p>
    </fieldset>
  );
}

function valuesText(count: number): string {
  return count === 1 ? '1 value: a setting.' : `${count} values.`;
}

interface SpacingFieldsProps {
  readonly spacing: Spacing;
  readonly change: (spacing: Spacing) => void;
}

function SpacingFields({ spacing, change }: SpacingFieldsProps) {
  if (spacing.kind === 'list') {
    return (
      <label class="list">
        List, with commas
        <input
          value={spacing.text}
          placeholder="4, 8, 16"
          onInput={({ currentTarget }) => change({ kind: 'list', text: currentTarget.value })}
        />
      </label>
    );
  }
  const by = spacing.kind === 'steps' ? 'Step' : 'Factor';
  const parts = [
    ['From', 'from'],
    ['To', 'to'],
    [by, 'by'],
  ] as const;
  return (
    <>
      {parts.map(([label, name]) => (
        <TextField
          {...{ key: name, label, size: 7, value: spacing[name] }}
          // These characters separate the parts.
          set={(text) => change({ ...spacing, [name]: text.replaceAll(/[,:|()\s]/g, '') })}
        />
      ))}
    </>
  );
}

interface MemberOptionsProps {
  readonly members: readonly Member[];
  readonly path: string;
}

function MemberOptions({ members, path }: MemberOptionsProps) {
  const groups = [
    ['Often varied', members.filter(({ isUsual }) => isUsual)],
    ['Other members', members.filter(({ isUsual }) => !isUsual)],
  ] as const;
  return (
    <>
      {members.some((member) => member.path === path) ? null : <option>{path}</option>}
      {groups.map(([label, own]) =>
        own.length === 0 ? null : (
          <optgroup key={label} label={label}>
            {own.map((member) => (
              <option key={member.path}>{member.path}</option>
            ))}
          </optgroup>
        ),
      )}
    </>
  );
}

const SHOWN_MAX = 40;

function shortText(value: unknown): string {
  const text = flowOf(value);
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}
