/**
 * @module
 * What a definition of the user lacks. Node does not check types, so that a file runs although a fact is
 * missing in it. A member is required if every definition of the lab of this kind has it. A member that is
 * always a function, a function or null, or a boolean there must be one here.
 */

import { AIMS } from '../../adversary/behaviours/behaviour.ts';
import { BEHAVIOURS } from '../../adversary/behaviours/registry.ts';
import { READ_PARTS, WORLD_JUDGE_KINDS } from '../../checking/properties/world-judge.ts';
import { DEFENCES } from '../../election/defences/registry.ts';
import type { DefinitionKind } from '../../election/definition/definitions.ts';
import { DETECTORS } from '../../election/detectors/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import { PROPERTIES } from '../../experiment/properties/registry.ts';
import { OPERATION_FACTS } from '../../operations/operation.ts';
import { choiceProblem, factProblem, membersOf } from './fact-problem.ts';

type Members = Readonly<Record<string, unknown>>;

const LISTED: Readonly<Record<DefinitionKind, readonly object[]>> = {
  protocol: Object.values(PROTOCOLS),
  behaviour: Object.values(BEHAVIOURS),
  defence: Object.values(DEFENCES),
  detector: Object.values(DETECTORS),
  property: Object.values(PROPERTIES),
  // Its registry would read the names of all others before they are complete.
  operation: [],
};

/** Members that have members of their own, which must all be there. */
const PARTS: Readonly<Record<DefinitionKind, readonly string[]>> = {
  protocol: ['forgery', 'faults', 'unaffected'],
  behaviour: [],
  defence: [],
  detector: [],
  property: ['judges', 'closedForms'],
  operation: [],
};

/** A clause such as `"faults.drop" is missing`. Null if the definition has every required member. */
export function memberProblem(kind: DefinitionKind, given: object): string | null {
  const value = membersOf(given);
  if (kind === 'operation') {
    const missing = OPERATION_FACTS.find((name) => value[name] === undefined);
    return missing === undefined ? null : `"${missing}" is missing`;
  }
  const listed = LISTED[kind].map(membersOf).filter((each) => each.kind === value.kind);
  if (listed.length === 0) {
    const kinds = LISTED[kind].map((each) => String(membersOf(each).kind));
    return `"kind" must be one of ${[...new Set(kinds)].join(', ')}`;
  }
  const partsOf = (name: string) => listed.map((each) => membersOf(each[name]));
  const messages = partsOf('messages').flatMap((each) => Object.values(each).map(membersOf));
  const problems = [
    problemIn('', value, listed),
    ...PARTS[kind].map((name) => problemIn(`${name}.`, membersOf(value[name]), partsOf(name))),
    ...(kind === 'protocol' ? Object.entries(membersOf(value.messages)) : []).map(([type, each]) =>
      problemIn(`messages.${type}.`, membersOf(each), messages),
    ),
  ];
  return (
    problems.find((problem) => problem !== null) ??
    (kind === 'protocol' ? factProblem(value) : null) ??
    (kind === 'behaviour' ? choiceProblem('', value, { aim: AIMS }) : null) ??
    (kind === 'property' ? worldsProblem(value.worlds) : null)
  );
}

/** How a property judges worlds. The properties of the lab that do are not of this form. */
function worldsProblem(given: unknown): string | null {
  if (given === undefined) return null;
  if (typeof given !== 'object' || given === null) {
    return '"worlds" must be an object with kind, description, reads, holds and breach, or be left out';
  }
  const worlds = membersOf(given);
  const choice = choiceProblem('worlds.', worlds, { kind: WORLD_JUDGE_KINDS, reads: READ_PARTS });
  if (choice !== null) return choice;
  if (typeof worlds.description !== 'string' || worlds.description === '') {
    return '"worlds.description" must say what holds, as a clause';
  }
  const missing = ['holds', 'breach'].find((name) => typeof worlds[name] !== 'function');
  return missing === undefined ? null : `"worlds.${missing}" must be a function of a world`;
}

function problemIn(path: string, value: Members, listed: readonly Members[]): string | null {
  const [first = {}, ...others] = listed;
  const required = Object.keys(first).filter((name) =>
    others.every((other) => Object.hasOwn(other, name)),
  );
  const missing = required.filter((name) => value[name] === undefined);
  if (missing.length > 0) {
    const names = missing.map((name) => `"${path}${name}"`);
    return `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} missing`;
  }
  for (const name of required) {
    const problem = typeProblem(
      value[name],
      listed.map((each) => each[name]),
    );
    if (problem !== null) return `"${path}${name}" ${problem}`;
  }
  return null;
}

/** Whether a member has the type that it has in all definitions of the lab, if that is a simple one. */
function typeProblem(value: unknown, listed: readonly unknown[]): string | null {
  const types = new Set(listed.map(typeOf));
  const isNullable = types.delete('null');
  const [type] = types;
  if (types.size !== 1 || typeOf(value) === type || (isNullable && value === null)) return null;
  if (type === 'function') return `must be a function${isNullable ? ' or null' : ''}`;
  return type === 'boolean' && !isNullable ? 'must be true or false' : null;
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : typeof value;
}
