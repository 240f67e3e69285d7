/**
 * @module
 * The syntax tree of a source as mutants address it: its named functions, and the nodes of one kind
 * within such a function. Node strips the types and keeps all positions; acorn reads the rest.
 */

import { stripTypeScriptTypes } from 'node:module';
import type { AnyNode, Node } from 'acorn';
import { parse } from 'acorn';

/** Kinds of nodes that a mutant can replace. */
export type Kind =
  | 'arithmetic'
  | 'array'
  | 'assignment'
  | 'call'
  | 'comparison'
  | 'conditional'
  | 'constant'
  | 'logical'
  | 'negation'
  | 'property'
  | 'statement'
  | 'variable';

/** A function, a property or constant with a value, or a case, under the names that enclose it. */
export interface Scope {
  /** For example `machine.deliver.PROBE`. */
  readonly path: string;
  readonly node: Node;
}

/** A node that can be replaced. */
export interface Found {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Its operator, callee, value, name or first keyword. */
  readonly name: string;
  /** Text of the part with this name, or null. `left.0` is the first argument of the left part. */
  readonly partOf: (name: string) => string | null;
}

type TextOf = (node: Node) => string;

const COMPARISONS = ['===', '!==', '<', '<=', '>', '>=', 'in', 'instanceof'];

/** All named scopes of a source, outer ones first. */
export function functionsOf(source: string): Scope[] {
  const scopes: Scope[] = [];
  const visit = (node: AnyNode, path: readonly string[]): void => {
    const name = scopeName(node);
    const here = name === null ? path : [...path, name];
    if (name !== null) scopes.push({ path: here.join('.'), node });
    for (const child of childrenOf(node)) visit(child, here);
  };
  visit(parsed(source), []);
  return scopes;
}

/** All nodes of a kind within a scope, in the order of the source. */
export function nodesOf(source: string, scope: Scope, kind: Kind): Found[] {
  const textOf: TextOf = ({ start, end }) => source.slice(start, end);
  return descendantsOf(scope.node)
    .flatMap((node): Found[] => {
      const name = nameAs(kind, node, textOf);
      if (name === null) return [];
      const { start, end } = node;
      const partOf = (path: string) => {
        const part = partAt(node, path.split('.'));
        return part === null ? null : textOf(part);
      };
      return [{ start, end, text: textOf(node), name, partOf }];
    })
    .toSorted((one, other) => one.start - other.start || other.end - one.end);
}

function parsed(source: string): AnyNode {
  return parse(stripTypeScriptTypes(source), { ecmaVersion: 'latest', sourceType: 'module' });
}

function descendantsOf(node: Node): AnyNode[] {
  return childrenOf(node).flatMap((child) => [child, ...descendantsOf(child)]);
}

/** The parts of a node in which something can be replaced: a pattern of names has none. */
function childrenOf(node: Node): AnyNode[] {
  if (node.type === 'ObjectPattern') return [];
  return Object.values(node).flat().filter(isNode);
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function scopeName(node: AnyNode): string | null {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      return node.id?.name ?? null;
    case 'VariableDeclarator':
      return lastName(node.id);
    case 'Property':
      return node.shorthand ? null : lastName(node.key);
    case 'MethodDefinition':
      return lastName(node.key);
    case 'SwitchCase':
      return node.test ? lastName(node.test) : null;
    default:
      return null;
  }
}

/** The name under which a mutant finds the node as one of this kind; null if it is of another kind. */
function nameAs(kind: Kind, node: AnyNode, textOf: TextOf): string | null {
  switch (node.type) {
    case 'BinaryExpression': {
      const isComparison = COMPARISONS.includes(node.operator);
      return kind === (isComparison ? 'comparison' : 'arithmetic') ? node.operator : null;
    }
    case 'LogicalExpression':
      return kind === 'logical' ? node.operator : null;
    case 'UnaryExpression':
      return kind === 'negation' && node.operator === '!' ? node.operator : null;
    case 'ConditionalExpression':
      return kind === 'conditional' ? '?' : null;
    case 'Literal':
      return kind === 'constant' ? textOf(node) : null;
    case 'CallExpression':
      return kind === 'call' ? lastName(node.callee) : null;
    case 'AssignmentExpression':
      return kind === 'assignment' ? lastName(node.left) : null;
    case 'ArrayExpression':
      return kind === 'array' ? '[' : null;
    case 'Property':
      return kind === 'property' ? lastName(node.key) : null;
    case 'VariableDeclarator':
      return kind === 'variable' ? lastName(node.id) : null;
    default:
      return kind === 'statement' && isStatement(node) ? statementName(node, textOf) : null;
  }
}

/** A block is no statement of its own. */
function isStatement({ type }: AnyNode): boolean {
  return /(?<!Block)Statement$|^VariableDeclaration$/.test(type);
}

/** What a statement calls or assigns to, or its keyword. */
function statementName(node: AnyNode, textOf: TextOf): string {
  if (node.type !== 'ExpressionStatement') return textOf(node).match(/^\w+/)?.[0] ?? '';
  // What a generator delegates to is called like any other statement.
  const isDelegated = node.expression.type === 'YieldExpression' && node.expression.argument;
  const expression = isDelegated || node.expression;
  if (expression.type === 'CallExpression') return lastName(expression.callee) ?? '';
  if (expression.type === 'AssignmentExpression') return lastName(expression.left) ?? '';
  return expression.type;
}

/** The name of an identifier, or of the property that a member expression ends with. */
function lastName(node: AnyNode): string | null {
  if (node.type === 'MemberExpression') return lastName(node.property);
  if (node.type === 'Literal') return String(node.value);
  return node.type === 'Identifier' || node.type === 'PrivateIdentifier' ? node.name : null;
}

/** A part by the name that acorn gives it, or an argument or element by its number. */
function partAt(node: AnyNode, [name, ...others]: readonly string[]): AnyNode | null {
  if (name === undefined) return node;
  const fields = Object.entries(node);
  const list = fields.find(([key]) => key === 'arguments' || key === 'elements')?.[1];
  const part = /^\d+$/.test(name) ? list?.[name] : fields.find(([key]) => key === name)?.[1];
  return isNode(part) ? partAt(part, others) : null;
}
