/**
 * @module
 * What the registries of definitions have in common. A registry is a list of imports. Definitions that the
 * user loads from files (`--load`) are added to it at the start of the process, before any other code
 * reads it; `sealDefinitions` ends that time, so that no list changes while it is in use.
 */

import { LabError } from '../../errors.ts';

export const DEFINITION_KINDS = [
  'protocol',
  'behaviour',
  'defence',
  'detector',
  'property',
  'operation',
] as const;

export type DefinitionKind = (typeof DEFINITION_KINDS)[number];

/** The registries: one for each kind, and the properties of worlds, which definitions of properties contain. */
export type RegistryKind = DefinitionKind | 'property of worlds';

/** What all definitions have. */
export interface Definition {
  readonly name: string;
}

interface Registry {
  readonly byName: Record<string, Definition>;
  readonly names: string[];
}

/** Which `define…` function made a value, and the calls that led there. */
const MADE = new WeakMap<object, { readonly kind: DefinitionKind; readonly at: Error }>();
const REGISTRIES = new Map<RegistryKind, Registry>();
const LOADED: { readonly kind: RegistryKind; readonly value: Definition }[] = [];
let isSealed = false;

/** Marks a value as a definition of this kind. */
export function definition<T extends Definition>(kind: DefinitionKind, value: T): T {
  MADE.set(value, { kind, at: new Error(kind) });
  return value;
}

/** How a definition was made. Null if no `define…` function made the value. */
export function definitionOrigin(
  value: unknown,
): { readonly kind: DefinitionKind; readonly at: Error } | null {
  return typeof value === 'object' && value !== null ? (MADE.get(value) ?? null) : null;
}

/**
 * Adds a definition of the user to its registry. Throws LabError `arguments` for a name that exists, and
 * TypeError once the definitions are sealed.
 */
export function addDefinition(kind: RegistryKind, value: Definition): void {
  if (isSealed) throw new TypeError('definitions are added at the start of a process only');
  const registered = REGISTRIES.get(kind);
  if (registered === undefined)
    refuseTwice(
      kind,
      value,
      LOADED.filter((each) => each.kind === kind).map((each) => each.value.name),
    );
  else enter(kind, registered, value);
  LOADED.push({ kind, value });
}

/** From now on no definition can be added. */
export function sealDefinitions(): void {
  isSealed = true;
}

/** The registry of these definitions, followed by those of the user, by name. */
export function registry<const T extends readonly Definition[], D extends Definition>(
  kind: RegistryKind,
  listed: T & readonly D[],
): Readonly<Record<T[number]['name'], D & { readonly name: T[number]['name'] }>> {
  const own: Registry = { byName: {}, names: [] };
  for (const each of listed) enter(kind, own, each);
  for (const each of LOADED) if (each.kind === kind) enter(kind, own, each.value);
  REGISTRIES.set(kind, own);
  // Names that the user has added are not known to the compiler.
  return own.byName as ReturnType<typeof registry<T, D>>;
}

/** The names of a registry, in its order. */
export function namesOf<Name extends string>(
  definitions: Readonly<Record<Name, Definition>>,
): readonly Name[] {
  const found = [...REGISTRIES.values()].find(({ byName }) => byName === definitions);
  if (found === undefined) throw new TypeError('"definitions" expected a registry');
  // The registry enters each name with its definition.
  return found.names as readonly string[] as readonly Name[];
}

function enter(kind: RegistryKind, { byName, names }: Registry, value: Definition): void {
  refuseTwice(kind, value, names);
  byName[value.name] = value;
  names.push(value.name);
}

function refuseTwice(kind: RegistryKind, { name }: Definition, names: readonly string[]): void {
  if (!names.includes(name)) return;
  const detail = `a ${kind} named ${JSON.stringify(name)} exists already; choose another name`;
  throw new LabError('arguments', detail);
}
