/**
 * @module
 * What every part of the form needs: the document, its faults, and how a member is changed.
 */

import type { DraftFault, Path } from '../draft.ts';
import { valueAt, withMember, withoutMember } from '../draft.ts';
import type { JsonSchema } from './form-schema.ts';
import { fieldOf } from './form-schema.ts';

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
export function elementId(path: Path, part: string): string {
  return `${part}-${path.map(encodeURIComponent).join('.')}`;
}
