/**
 * @module
 * The facts in the source of a definition, each with the edits of its file that remove it. A fact is a
 * property of the object that a `define…` function receives, or of an object inside that one. Objects are
 * followed through constants, calls and spreads, also into other files.
 */

import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import type { AnyNode, ObjectExpression, Property } from 'acorn';
import { parse } from 'acorn';

import { isNode, ROOT } from '../tidy/sources.ts';

/** Replaces the text from `start` to `end`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** One fact of one definition. */
export interface Fact {
  /** For example `messages.RANK.members.rank`. */
  readonly path: string;
  /** Removes it from the definition. */
  readonly edits: readonly Edit[];
  /** Removes it where it is stated, if that is another file. */
  readonly elsewhere: { readonly path: string; readonly edits: readonly Edit[] } | null;
}

export interface DefinitionSource {
  /** The function that receives the facts, for example `defineProtocol`. */
  readonly by: string;
  /** Line of the call. */
  readonly line: number;
  readonly facts: readonly Fact[];
}

interface Imported {
  readonly path: string;
  /** In that file. */
  readonly name: string;
  readonly specifier: AnyNode;
}

/** A source and what its names stand for: values, functions and names of other modules. */
interface Module {
  readonly path: string;
  readonly text: string;
  readonly program: AnyNode;
  readonly named: ReadonlyMap<string, AnyNode>;
  readonly imports: ReadonlyMap<string, Imported>;
  /** Where the last import ends. */
  readonly importsEnd: number;
}

/** The edits in the definition's file that remove the fact to which the names lead. */
type Reference = (names: readonly string[]) => readonly Edit[];

/** An object in the source of a definition. */
interface FactObject {
  readonly module: Module;
  readonly object: ObjectExpression;
  /** What stands for the object in the definition's file, if the object is in another file. */
  readonly reference: Reference | null;
  /** Names that lead from what is referred to to the object. */
  readonly within: readonly string[];
}

const modules = new Map<string, Module>();

/** The definitions in a file that functions with a matching name receive. */
export function definitionsIn(path: string, functionName: RegExp): DefinitionSource[] {
  const module = readModule(path);
  const definitions: DefinitionSource[] = [];
  visit(module.program, (node) => {
    if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier') return;
    const by = node.callee.name;
    const [given] = node.arguments;
    if (!functionName.test(by) || given === undefined) return;
    const object = objectOf(given, { module, reference: null, within: [] });
    if (object === null) return;
    const line = module.text.slice(0, node.start).split('\n').length;
    definitions.push({ by, line, facts: factsOf(object, '') });
  });
  return definitions;
}

/** The text after the edits. */
export function edited(path: string, edits: readonly Edit[]): string {
  const unique = new Map(edits.map((edit) => [`${edit.start} ${edit.text}`, edit]));
  return [...unique.values()]
    .toSorted((one, other) => other.start - one.start)
    .reduce(
      (text, { start, end, text: by }) => text.slice(0, start) + by + text.slice(end),
      readModule(path).text,
    );
}

function factsOf(object: FactObject, prefix: string): Fact[] {
  return [...propertiesOf(object)].flatMap(([key, { edits, elsewhere, value }]) => [
    { path: prefix + key, edits, elsewhere },
    ...(value === null ? [] : factsOf(value, `${prefix}${key}.`)),
  ]);
}

interface Properties {
  /** These remove the property wherever it is set. */
  readonly edits: readonly Edit[];
  readonly elsewhere: Fact['elsewhere'];
  /** The value that holds, which is the last one, if it is an object. */
  readonly value: FactObject | null;
}

function propertiesOf(from: FactObject): Map<string, Properties> {
  const found = new Map<string, Properties>();
  const add = (key: string, { edits, elsewhere, value }: Properties) => {
    const before = found.get(key);
    // A fact that is stated twice is removed from the definition only.
    if (before === undefined) found.set(key, { edits, elsewhere, value });
    else found.set(key, { edits: [...before.edits, ...edits], elsewhere: null, value });
  };
  for (const property of from.object.properties) {
    if (property.type === 'SpreadElement') {
      const spread = objectOf(property.argument, from);
      if (spread !== null) for (const [key, inner] of propertiesOf(spread)) add(key, inner);
      continue;
    }
    const key = keyOf(property);
    if (key === null) continue;
    const inner = { ...from, within: [...from.within, key] };
    const { module, reference } = from;
    const value = isCall(property.value, module) ? null : objectOf(property.value, inner);
    const deletion = deletionOf(property, module);
    const elsewhere = reference && { path: module.path, edits: [deletion] };
    add(key, { edits: reference?.(inner.within) ?? [deletion], elsewhere, value });
  }
  return found;
}

function keyOf({ key, computed }: Property): string | null {
  if (computed) return null;
  if (key.type === 'Identifier') return key.name;
  return key.type === 'Literal' ? String(key.value) : null;
}

/** Whether a value is what a call returns, such as another definition, so that its parts are not stated here. */
function isCall(value: AnyNode, module: Module): boolean {
  if (value.type !== 'Identifier') return value.type === 'CallExpression';
  return lookUp(value.name, module)?.value.type === 'CallExpression';
}

function deletionOf({ start, end }: Property, { text }: Module): Edit {
  // The tree has no types, so that a property ends before its `as` or `satisfies`.
  const rest = /^(?: (?:as|satisfies) [^,\n]+)?,?/.exec(text.slice(end))?.[0] ?? '';
  return { start, end: end + rest.length, text: '' };
}

/** Replaces a call by one whose result lacks the fact. */
function referenceTo({ start, end }: AnyNode, { text }: Module): Reference {
  return (names) => [{ start, end, text: withoutFact(text.slice(start, end), names) }];
}

/** Imports the name as another one, and gives the name to the value without the fact. */
function importOf(name: string, { start, end }: AnyNode, { importsEnd }: Module): Reference {
  return (names) => [
    { start, end, text: `${name} as whole_${name}` },
    {
      start: importsEnd,
      end: importsEnd,
      text: `\nconst ${name} = ${withoutFact(`whole_${name}`, names)};`,
    },
  ];
}

function withoutFact(expression: string, names: readonly string[]): string {
  return `withoutFact(${[expression, ...names.map((name) => JSON.stringify(name))].join(', ')})`;
}

/** The object that an expression stands for. Null if it is no object, or is only known at run time. */
function objectOf(node: AnyNode, at: Omit<FactObject, 'object'>): FactObject | null {
  if (node.type === 'ObjectExpression') return { ...at, object: node };
  const isMade = node.type === 'CallExpression';
  const name = isMade ? node.callee : node;
  if (name.type !== 'Identifier') return null;
  // A definition contains the facts that it is made from.
  const [given] = isMade ? node.arguments : [];
  if (given !== undefined && name.name.startsWith('define')) return objectOf(given, at);
  const found = lookUp(name.name, at.module);
  if (found === null) return null;
  const value = isMade ? returnedBy(found.value) : found.value;
  if (value === null) return null;
  const { module } = found;
  if (module === at.module) return objectOf(value, at);
  if (at.reference !== null) return objectOf(value, { ...at, module });
  const specifier = at.module.imports.get(name.name)?.specifier;
  const reference =
    isMade || specifier === undefined
      ? referenceTo(node, at.module)
      : importOf(name.name, specifier, at.module);
  return objectOf(value, { module, reference, within: [] });
}

function lookUp(name: string, module: Module): { value: AnyNode; module: Module } | null {
  const local = module.named.get(name);
  if (local !== undefined) return { value: local, module };
  const imported = module.imports.get(name);
  if (imported === undefined || !imported.path.startsWith('src/')) return null;
  return lookUp(imported.name, readModule(imported.path));
}

/** What a function returns at its end. Null if the node is no function, or returns nothing there. */
function returnedBy(node: AnyNode): AnyNode | null {
  if (node.type !== 'ArrowFunctionExpression' && node.type !== 'FunctionDeclaration') return null;
  if (node.body.type !== 'BlockStatement') return node.body;
  const last = node.body.body.at(-1);
  return last?.type === 'ReturnStatement' ? (last.argument ?? null) : null;
}

function readModule(path: string): Module {
  const known = modules.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(join(ROOT, path), 'utf8');
  // Acorn describes the whole of its own tree as AnyNode.
  const program = parse(stripTypeScriptTypes(text), {
    ecmaVersion: 'latest',
    sourceType: 'module',
  }) as AnyNode;
  const named = new Map<string, AnyNode>();
  const imports = new Map<string, Imported>();
  let importsEnd = 0;
  visit(program, (node) => {
    if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.init) {
      named.set(node.id.name, node.init);
    } else if (node.type === 'FunctionDeclaration' && node.id) {
      named.set(node.id.name, node);
    } else if (node.type === 'ImportDeclaration') {
      importsEnd = node.end;
      const from = join(dirname(path), String(node.source.value));
      for (const part of node.specifiers) {
        if (part.type === 'ImportSpecifier' && part.imported.type === 'Identifier') {
          imports.set(part.local.name, { path: from, name: part.imported.name, specifier: part });
        }
      }
    }
  });
  const module = { path, text, program, named, imports, importsEnd };
  modules.set(path, module);
  return module;
}

function visit(node: AnyNode, on: (node: AnyNode) => void): void {
  on(node);
  for (const value of Object.values(node).flat()) {
    // What is a node in acorn's tree is one of AnyNode.
    if (isNode(value)) visit(value as AnyNode, on);
  }
}
