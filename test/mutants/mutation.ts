/**
 * @module
 * A seeded bug as data: which node of the syntax tree of which function becomes which other text, and
 * which check must find it. Identifiers of the function may be renamed, and lines may be added, without
 * any change to the mutant. If a suite does not find a seeded bug, it would not have found the real one.
 */

import type { Found, Kind } from './syntax.ts';
import { functionsOf, nodesOf } from './syntax.ts';

export interface Mutant {
  readonly name: string;
  /** What is wrong with it, in one sentence. */
  readonly bug: string;
  /** Path from the root of the repository. */
  readonly file: string;
  /**
   * Name of the function, method, property or constant that contains the node, with as many of the
   * enclosing names as make it unique: `deliver.PROBE`.
   */
  readonly inside: string;
  readonly kind: Kind;
  /** Only nodes with this operator, callee, value, name or first keyword count. */
  readonly of?: string;
  /** Which of these nodes, in the order of the source, from 1. By default there must be only one. */
  readonly nth?: number;
  /** The replacement. `{left}` stands for the text of the node's part with this name, `{node}` for all. */
  readonly becomes: string;
}

/**
 * Returns the mutated source. Throws RangeError if the node does not exist: the source has changed, and
 * the mutant must be adapted, otherwise it would be another bug than the one that it describes.
 */
export function mutate(source: string, mutant: Mutant): string {
  const node = nodeOf(source, mutant);
  const text = mutant.kind === 'statement' && mutant.becomes === '' ? ';' : filled(mutant, node);
  if (text === node.text) throw new RangeError(`mutant ${mutant.name} changes nothing`);
  return source.slice(0, node.start) + text + source.slice(node.end);
}

function nodeOf(source: string, { name, file, inside, kind, of, nth }: Mutant): Found {
  const functions = functionsOf(source);
  const exact = functions.filter(({ path }) => path === inside);
  const [scope, ...others] =
    exact.length > 0 ? exact : functions.filter(({ path }) => path.endsWith(`.${inside}`));
  if (scope === undefined || others.length > 0) {
    const names = scope === undefined ? functions : [scope, ...others];
    const fault = scope === undefined ? 'no' : 'more than one';
    throw new RangeError(
      `mutant ${name}: expected one "${inside}" in ${file}, there is ${fault}: ${names.map(({ path }) => path).join(', ')}`,
    );
  }
  const nodes = nodesOf(source, scope, kind);
  const suitable = nodes.filter(({ name: text }) => of === undefined || text === of);
  const node = suitable[(nth ?? 1) - 1];
  if (node === undefined || (nth === undefined && suitable.length > 1)) {
    const list = nodes.map(({ name: text, text: whole }) => `${text}: ${whole.slice(0, 60)}`);
    throw new RangeError(
      `mutant ${name}: expected ${nth === undefined ? 'one' : `at least ${nth}`} ${kind} ${of ?? ''} in ${inside} of ${file}, there are ${suitable.length} of these:\n${list.join('\n')}`,
    );
  }
  return node;
}

function filled({ name, becomes }: Mutant, node: Found): string {
  return becomes.replace(/\{([a-z]+[.\w]*|\d+)\}/g, (_, part: string) => {
    const text = part === 'node' ? node.text : node.partOf(part);
    if (text === null) throw new RangeError(`mutant ${name}: its node has no part ${part}`);
    return text;
  });
}
