/**
 * @module
 * The YAML text of a threat model, which is what is edited. The form changes single members of it and leaves the
 * comments and the order of the others alone.
 */

import type { Node } from 'yaml';
import { Document, isCollection, isMap, isScalar, isSeq, parseDocument, visit } from 'yaml';

import { readYaml } from '../../../src/experiment/reading/yaml.ts';
import type { JsonSchema } from './form/form-schema.ts';
import { withoutDefaults } from './form/form-schema.ts';

/** From the root: names of members, and indexes of lists. */
export type Path = readonly string[];

/** Something wrong at a member and at a line, which counts from 1. */
export interface DraftFault {
  readonly path: Path;
  readonly line: number;
  readonly text: string;
}

export type Draft =
  | { readonly isRead: true; readonly data: unknown; readonly lineOf: (path: Path) => number }
  | { readonly isRead: false; readonly faults: readonly DraftFault[] };

/** Reads the text by the rules of the server, without its schema. */
export function readDraft(text: string): Draft {
  const reading = readYaml(text);
  if (reading.outcome === 'refused') {
    const faults = reading.faults.map(({ position, text: problem }): DraftFault => {
      return { path: [], line: position.line, text: problem };
    });
    return { isRead: false, faults };
  }
  const { data, positionOf } = reading;
  return { isRead: true, data, lineOf: (path) => positionOf(path, 'key').line };
}

/** A document of the catalogue as it would be written by hand: without the members that are defaults. */
export function textOf(model: unknown, schema: JsonSchema): string {
  const document = new Document(withoutDefaults(model, schema));
  visit(document, {
    Scalar(key, node) {
      const isLong = typeof node.value === 'string' && node.value.length > LINE_WIDTH - 12;
      if (key === 'value' && isLong) node.type = 'BLOCK_FOLDED';
    },
    Seq(_, node) {
      node.flow = node.items.every(isScalar);
    },
  });
  return document.toString(STYLE);
}

/** The text with another value of a member. Members around it are made if they are missing. */
export function withMember(text: string, path: Path, value: unknown): string {
  const document = parseDocument(text, READING);
  openPath(document, path);
  document.setIn(indexed(document, path), isPlain(value) ? value : nodeOf(document, value));
  return document.toString(STYLE);
}

/** The text without a member, and without the members around it that are then empty and not in `kept`. */
export function withoutMember(text: string, path: Path, kept: (path: Path) => boolean): string {
  const document = parseDocument(text, READING);
  document.deleteIn(indexed(document, path));
  for (let depth = path.length - 1; depth > 0; depth -= 1) {
    const parent = path.slice(0, depth);
    const node = document.getIn(indexed(document, parent), true);
    if (!isMap(node) || node.items.length > 0 || kept(parent)) break;
    document.deleteIn(indexed(document, parent));
  }
  return document.toString(STYLE);
}

/** The value at a path of plain data; undefined if there is none. */
export function valueAt(data: unknown, path: Path): unknown {
  let value = data;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) {
      return undefined;
    }
    // It has this member.
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

/** A value in one line of YAML, such as `[4, 8]`. */
export function flowOf(value: unknown): string {
  const node = new Document(value, { toStringDefaults: {} });
  visit(node, {
    Collection(_, each) {
      each.flow = true;
    },
  });
  return node.toString({ lineWidth: 0, flowCollectionPadding: false }).trimEnd();
}

/** The value of a line of YAML. A text that is not YAML is taken as it is. */
export function valueOfFlow(text: string): unknown {
  const reading = readYaml(text);
  return reading.outcome === 'read' ? reading.data : text;
}

/** The value of a quantity as it is written: a number in decimal digits, otherwise its text. */
export function quantityOf(text: string): number | string {
  const plain = text.trim();
  const number = Number(plain);
  return /^-?\d+(\.\d+)?$/.test(plain) && String(number) === plain ? number : plain;
}

/** Parts of a JSON pointer in fragment form, such as `#/threatModel/network`. */
export function pathOfPointer(pointer: string): Path {
  const parts = pointer.replace(/^#\/?/, '').split('/');
  return parts.map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'));
}

const LINE_WIDTH = 72;
const STYLE = { lineWidth: LINE_WIDTH, flowCollectionPadding: false };
const READING = { schema: 'core', stringKeys: true, resolveKnownTags: false } as const;

/** Maps in place of everything on the way to a member that cannot have members. */
function openPath(document: Document, path: Path): void {
  for (let depth = 0; depth < path.length; depth += 1) {
    const parent = indexed(document, path.slice(0, depth));
    const node = depth === 0 ? document.contents : document.getIn(parent, true);
    if (isMap(node) && node.items.length === 0) node.flow = false;
    if (isCollection(node)) continue;
    if (depth === 0) document.contents = document.createNode({});
    else document.setIn(parent, document.createNode({}));
  }
}

/** Indexes of lists as numbers. */
function indexed(document: Document, path: Path): (string | number)[] {
  let node: unknown = document.contents;
  return path.map((name) => {
    const key = isSeq(node) ? Number(name) : name;
    node = isCollection(node) ? node.get(key, true) : undefined;
    return key;
  });
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function nodeOf(document: Document, value: unknown): Node {
  const node = document.createNode(value);
  if (isSeq(node)) node.flow = node.items.every(isScalar);
  return node;
}

/** Characters of an unpacked text. A longer one is not taken from an address. */
const TEXT_MAX = 100_000;

/** Packs a text for the address: compressed, in base64url. */
export async function packed(text: string): Promise<string> {
  const bytes = await bytesOf(new Blob([text]).stream().pipeThrough(new CompressionStream(FORM)));
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The text, or null if it was damaged. */
export async function unpacked(code: string): Promise<string | null> {
  try {
    const binary = atob(code.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(FORM));
    return new TextDecoder('utf-8', { fatal: true }).decode(await bytesOf(stream));
  } catch {
    return null;
  }
}

const FORM = 'deflate-raw';

/** Throws RangeError for more than TEXT_MAX bytes. */
async function bytesOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<Uint8Array> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const reader = stream.getReader();
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    length += value.length;
    if (length > TEXT_MAX) throw new RangeError(`"text" expected at most ${TEXT_MAX} bytes`);
    parts.push(value);
  }
}
