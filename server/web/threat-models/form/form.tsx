/**
 * @module
 * This folder contains the form of a threat model, made from its JSON Schema: groups that can be closed, members with their
 * descriptions, and each fault at its member.
 */

import { useSignal } from '@preact/signals';

import type { Path } from '../draft.ts';
import { flowOf, valueAt } from '../draft.ts';
import type { Field, JsonSchema, Member } from './form-schema.ts';
import { fieldOf, isRecord, membersOf } from './form-schema.ts';
import type { FormState } from './leaf-field.tsx';
import { Faults, faultsWithin, LeafField, setMember, strayFaults } from './leaf-field.tsx';

/** Groups that are open at first. */
const OPEN = ['network', 'adversaries', 'expect'];

export function Form(form: FormState) {
  return (
    <fieldset class="model-form" disabled={!form.isReadable}>
      <legend>Form</legend>
      {form.isReadable ? null : (
        <p role="status">The form waits until the YAML can be read. It shows the last state.</p>
      )}
      <GroupFields form={form} schema={form.schema} path={[]} />
    </fieldset>
  );
}

interface PartProps {
  readonly form: FormState;
  readonly schema: JsonSchema;
  readonly path: Path;
}

function GroupFields({ form, schema, path }: PartProps) {
  const members = membersOf(schema);
  const names = members.map(({ name }) => name);
  return (
    <>
      <Faults faults={strayFaults(form, path, names)} path={path} />
      {members.map((member) => (
        <MemberField key={member.name} form={form} member={member} path={[...path, member.name]} />
      ))}
    </>
  );
}

interface MemberProps {
  readonly form: FormState;
  readonly member: Member;
  readonly path: Path;
}

function MemberField({ form, member, path }: MemberProps) {
  const field = fieldOf(member.schema);
  switch (field.kind) {
    case 'group':
    case 'map':
    case 'variants':
      return (
        <Group form={form} member={member} path={path}>
          <GroupBody form={form} schema={member.schema} path={path} field={field} />
        </Group>
      );
    default:
      return <LeafField form={form} member={member} path={path} field={field} />;
  }
}

interface GroupProps extends MemberProps {
  readonly children: preact.ComponentChildren;
}

/** A group with its name, which opens and closes it. */
function Group({ form, member, path, children }: GroupProps) {
  const { name, schema, isRequired } = member;
  const count = faultsWithin(form, path).length;
  const isGiven = valueAt(form.data, path) !== undefined;
  const isOpen = count > 0 || path.length > 2 || (path.length === 1 && OPEN.includes(name));
  return (
    <details class="group" open={isOpen && (isGiven || count > 0)}>
      <summary>
        <span class="member-name">{name}</span>
        {isGiven ? null : <span class="absent"> not given</span>}
        {count === 0 ? null : (
          <span class="count"> {count === 1 ? '1 fault' : `${count} faults`}</span>
        )}
      </summary>
      {schema.description === undefined ? null : <p class="help">{schema.description}</p>}
      {children}
      {isGiven && !isRequired ? (
        <button type="button" class="remove" onClick={() => setMember(form, path, undefined)}>
          Remove {name}
        </button>
      ) : null}
    </details>
  );
}

interface BodyProps extends PartProps {
  readonly field: Field;
}

function GroupBody({ form, schema, path, field }: BodyProps) {
  if (field.kind === 'map') return <MapFields form={form} path={path} field={field} />;
  if (field.kind === 'variants') return <VariantFields form={form} path={path} field={field} />;
  return <GroupFields form={form} schema={schema} path={path} />;
}

interface MapProps {
  readonly form: FormState;
  readonly path: Path;
  readonly field: Extract<Field, { readonly kind: 'map' }>;
}

function MapFields({ form, path, field }: MapProps) {
  const value = valueAt(form.data, path);
  const names = isRecord(value) ? Object.keys(value) : [];
  return (
    <>
      <Faults faults={strayFaults(form, path, names)} path={path} />
      {names.map((name) => (
        <MemberField
          key={name}
          form={form}
          member={{ name, schema: field.of, isRequired: false }}
          path={[...path, name]}
        />
      ))}
      <NewEntry {...{ form, path, field, names }} />
    </>
  );
}

function NewEntry({ form, path, field, names }: MapProps & { readonly names: readonly string[] }) {
  const name = useSignal('');
  const label = `Name of a new entry of ${path.at(-1)}`;
  const add = () => {
    const own = name.value.trim();
    if (own === '' || names.includes(own)) return;
    const isGroup = fieldOf(field.of).kind === 'group';
    setMember(form, [...path, own], isGroup ? {} : []);
    name.value = '';
  };
  const take = ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLSelectElement }) => {
    name.value = currentTarget.value;
  };
  return (
    <div class="new-entry">
      {field.names === null ? (
        <input aria-label={label} value={name.value} onInput={take} maxLength={200} />
      ) : (
        <select aria-label={label} value={name.value} onChange={take}>
          <option value="">…</option>
          {field.names
            .filter((each) => !names.includes(each))
            .map((each) => (
              <option key={each}>{each}</option>
            ))}
        </select>
      )}
      <button type="button" onClick={add}>
        Add to {path.at(-1)}
      </button>
    </div>
  );
}

interface VariantProps {
  readonly form: FormState;
  readonly path: Path;
  readonly field: Extract<Field, { readonly kind: 'variants' }>;
}

function VariantFields({ form, path, field: { by, variants } }: VariantProps) {
  const value = valueAt(form.data, path);
  const named = isRecord(value) ? value[by] : undefined;
  const variant = variants.find(({ name }) => name === named);
  const names = variants.map(({ name }) => name);
  const schema: JsonSchema = { type: 'string', enum: names, description: `Which ${path.at(-1)}.` };
  const members = membersOf(variant?.schema ?? {}).filter(({ name }) => name !== by);
  const known = [by, ...members.map(({ name }) => name)];
  return (
    <>
      <Faults faults={strayFaults(form, path, known)} path={path} />
      <LeafField
        form={form}
        member={{ name: by, schema, isRequired: false }}
        path={[...path, by]}
        field={{ kind: 'choice', options: names }}
        change={(chosen) => setMember(form, path, chosen === undefined ? chosen : { [by]: chosen })}
      />
      {members.map((member) => (
        <MemberField key={member.name} form={form} member={member} path={[...path, member.name]} />
      ))}
      {variant === undefined && value !== undefined ? <code>{flowOf(value)}</code> : null}
    </>
  );
}
