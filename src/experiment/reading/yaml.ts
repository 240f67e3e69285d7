/**
 * @module
 * A reader for YAML 1.2 (and therefore JSON) from untrusted sources, with positions. Anchors and aliases are
 * refused, because a few of them can stand for gigabytes. Tags, several documents and duplicate keys are also
 * refused. A byte order mark and CRLF line ends are accepted.
 */

import type { Document, Node, Pair, Scalar, YAMLError, YAMLMap } from 'yaml';
import {
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  stringify,
  visit,
} from 'yaml';

import { becomesZero } from '../../quantities.ts';
import { FAULTS_MAX } from '../document/limits.ts';

/** A position in a text. Lines and columns count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A fault that YAML or this reader forbids. */
interface YamlFault {
  readonly position: Position;
  /** The member with the fault; the whole document if its syntax is broken. */
  readonly path: readonly string[];
  readonly text: string;
}

export type YamlReading =
  | {
      readonly outcome: 'read';
      readonly data: unknown;
      /** The position of a member's value or key, or of the nearest parent that exists. */
      readonly positionOf: (path: readonly string[], at: 'key' | 'value') => Position;
    }
  | { readonly outcome: 'refused'; readonly faults: readonly YamlFault[] };

/** Reads one document. It never throws. */
export function readYaml(source: string): YamlReading {
  const lines = new LineCounter();
  const document = withoutStackTraces(() =>
    parseDocument(source, {
      lineCounter: lines,
      prettyErrors: false,
      resolveKnownTags: false,
      schema: 'core',
      stringKeys: true,
    }),
  );
  const positionAt = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const repeated = repeatedKeys(document);
  const errors = worthReading([...document.errors, ...document.warnings]).map((error) => {
    const offset = error.pos[0];
    return { offset, path: repeated.get(offset) ?? [], text: sentence(error) };
  });
  const found = errors.length > 0 ? errors : forbiddenNodes(document);
  if (found.length > 0) {
    const faults = found.map(({ offset, ...fault }) => ({
      position: positionAt(offset),
      ...fault,
    }));
    return { outcome: 'refused', faults };
  }
  const offsetOf = offsetsIn(document);
  const positionOf = (path: readonly string[], at: 'key' | 'value') =>
    positionAt(offsetOf(path, at));
  return { outcome: 'read', data: document.toJS(), positionOf };
}

/** A text can have thousands of faults. The stack traces of their errors would cost four fifths of the time. */
function withoutStackTraces<T>(work: () => T): T {
  // Not every browser has it.
  const limited: { readonly name: string; stackTraceLimit?: number | undefined } = Error;
  const before = limited.stackTraceLimit;
  limited.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    limited.stackTraceLimit = before;
  }
}

/** All duplicate keys. Of a broken syntax only the first fault, because the others may follow from it. */
function worthReading(errors: readonly YAMLError[]): readonly YAMLError[] {
  const broken = errors.filter((error) => error.code !== 'DUPLICATE_KEY');
  const exhausted = broken.filter((error) => error.code === 'RESOURCE_EXHAUSTION');
  if (broken.length === 0) return errors;
  return (exhausted.length > 0 ? exhausted : broken).slice(0, 1);
}

function sentence(error: YAMLError): string {
  switch (error.code) {
    case 'DUPLICATE_KEY':
      return 'this key was already given; write it once';
    case 'RESOURCE_EXHAUSTION':
      return 'this is nested too deeply; a threat model needs four levels';
    case 'MULTIPLE_DOCS':
      return 'a second document begins here; write one document in a file';
    case 'TAG_RESOLVE_FAILED':
      return `${error.message}; write the value without a tag`;
    default:
      return `this is not YAML: ${error.message}`;
  }
}

interface Found {
  readonly offset: number;
  readonly path: readonly string[];
  readonly text: string;
}

/** The paths of the keys that were given before, by their offset. */
function repeatedKeys(document: Document): ReadonlyMap<number, readonly string[]> {
  const offsets = document.errors.flatMap(({ code, pos }) =>
    code === 'DUPLICATE_KEY' ? [pos[0]] : [],
  );
  const wanted = new Set(offsets.slice(0, FAULTS_MAX));
  const paths = new Map<number, readonly string[]>();
  if (wanted.size === 0) return paths;
  visit(document, {
    Pair(_, pair, parents) {
      const offset = isScalar(pair.key) ? pair.key.range?.[0] : undefined;
      if (offset === undefined || !wanted.has(offset)) return;
      const nodes = [...parents, pair];
      const path = nodes.flatMap((node, at) => {
        if (isPair(node)) return isScalar(node.key) ? [String(node.key.value)] : [];
        return isSeq(node) ? [String(node.items.indexOf(nodes[at + 1]))] : [];
      });
      paths.set(offset, path);
    },
  });
  return paths;
}

function forbiddenNodes(document: Document): readonly Found[] {
  const found: Found[] = [];
  visit(document, (_, node) => {
    if (!isNode(node)) return;
    const offset = node.range?.[0] ?? 0;
    if (isAlias(node) || node.anchor !== undefined) {
      found.push({
        offset,
        path: [],
        text: 'anchors and aliases are not accepted; write the value itself',
      });
    }
    const number = isScalar(node) ? numberFault(node) : null;
    if (number !== null) found.push({ offset, path: [], text: number });
    if (isScalar(node) && node.value === '__proto__') {
      found.push({
        offset,
        path: [],
        text: '__proto__ is not accepted, neither as a key nor as a value',
      });
    }
  });
  return found;
}

/** Why a number is refused that YAML reads, and the command line and requests do not. Null for other values. */
function numberFault({ value, source = '' }: Scalar): string | null {
  if (typeof value !== 'number') return null;
  if (/^[-+]?0[ox]/i.test(source)) {
    return `${source}: write the number in decimal digits, or a text in quotes`;
  }
  return becomesZero(source, value) ? `${source} is too small: it would become 0` : null;
}

/** Finds the offset of a member's value or key, or of the nearest parent that exists. */
function offsetsIn(document: Document): (path: readonly string[], at: 'key' | 'value') => number {
  /** The pairs of each map by key, made once: a document can have hundreds of wrong members. */
  const pairsOf = new Map<YAMLMap, ReadonlyMap<string, Pair>>();
  const pairIn = (map: YAMLMap, name: string) => {
    const pairs = pairsOf.get(map) ?? pairsByKey(map);
    pairsOf.set(map, pairs);
    return pairs.get(name);
  };
  return (path, at) => {
    let node: Node | null = document.contents;
    let offset = node?.range?.[0] ?? 0;
    for (const [depth, name] of path.entries()) {
      const child = childOf(node, name, pairIn);
      if (child === null) return offset;
      const isTarget = at === 'key' && depth === path.length - 1;
      const found = isTarget ? child.key : (child.value ?? child.key);
      offset = found?.range?.[0] ?? offset;
      node = child.value;
    }
    return offset;
  };
}

function pairsByKey({ items }: YAMLMap): ReadonlyMap<string, Pair> {
  const pairs = new Map<string, Pair>();
  for (const pair of items) if (isScalar(pair.key)) pairs.set(String(pair.key.value), pair);
  return pairs;
}

function childOf(
  node: Node | null,
  name: string,
  pairIn: (map: YAMLMap, name: string) => Pair | undefined,
): { key: Node | null; value: Node | null } | null {
  if (isMap(node)) {
    const pair = pairIn(node, name);
    if (pair === undefined) return null;
    return {
      key: isNode(pair.key) ? pair.key : null,
      value: isNode(pair.value) ? pair.value : null,
    };
  }
  const item = isSeq(node) ? node.items[Number(name)] : null;
  return isNode(item) ? { key: null, value: item } : null;
}

/**
 * The value on one line of YAML. Writes a value on one line of YAML, quoted only if it would be read as another
 * value. Grids have thousands of values, for each of which the library's writer would take longer than all checks
 * together.
 */
export function flowText(value: unknown): string {
  switch (typeof value) {
    case 'number':
    case 'boolean':
      return String(value);
    case 'string':
      return PLAIN_TEXT.test(value) && !RESERVED.test(value) ? value : JSON.stringify(value);
    default:
      if (value === null) return 'null';
      if (Array.isArray(value)) return `[${value.map(flowText).join(', ')}]`;
      return stringify(value, FLOW).trimEnd();
  }
}

const FLOW = { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 } as const;

/** Words, and numbers with a unit. */
const PLAIN_TEXT =
  /^(?:[A-Za-z](?:[\w.%-]|:(?=\w))*(?: [A-Za-z][\w.%-]*)*|(?!0[ox])\d+(?:\.\d+)?(?:%|[A-Za-z]+))$/;
const RESERVED = /^(?:true|false|null)$/i;
