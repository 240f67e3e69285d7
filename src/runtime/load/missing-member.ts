/**
 * @module
 * What a definition of the user lacks. Node does not check types, so that a file runs although a fact is
 * missing in it. A member is required if every definition of the lab of this kind has it. A member that is
 * always a function, a function or null, or a boolean there must be one here.
 */

import { inspect } from 'node:util';

import { AIMS } from '../../adversary/behaviours/behaviour.ts';
import { BEHAVIOURS } from '../../adversary/behaviours/registry.ts';
import { READ_PARTS, WORLD_JUDGE_KINDS } from '../../checking/properties/world-judge.ts';
import { DEFENCES } from '../../election/defences/registry.ts';
import type { DefinitionKind } from '../../election/definition/definitions.ts';
import { FAULT_KINDS } from '../../election/definition/drawn-faults.ts';
import { FAULT_NAMES } from '../../election/definition/fault-row.ts';
import { DETECTORS } from '../../election/detectors/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import { PROPERTIES } from '../../experiment/properties/registry.ts';
import { OPERATION_FACTS } from '../../operations/operation.ts';

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

const NODES = [2, 10];
const SAFETY = ['S1', 'S2', 'S3', 'S4', 'S5', 'M'];
const PROTOCOL_CHOICES = {
  elects: ['highest', 'attribute', 'any'],
  unique: ['moment', 'epoch'],
};
const FAMILY = /^[a-z][a-z0-9-]{0,31}$/;
const FORGERY_CHOICES = {
  route: ['each-node', 'successor'],
  believes: ['any-rank', 'higher-ranks'],
};
const KINDS = [
  'rank',
  'ranks',
  'integer',
  'epoch',
  'number',
  'boolean',
  'token',
  'carried',
  'table',
  'configuration',
];
const ALTERATIONS = ['highest-rank', 'own-rank', 'own-ranks', 'greatest', 'none'];

/**
 * A clause such as `"elects" must be one of highest, attribute, any, got "lowest"`. Null if all are right. Wrong
 * facts in a protocol of the user: a value that its fact cannot have, or a name of a message member that does not
 * exist. `missing-member.ts` has checked before that no fact is missing.
 */
function factProblem(protocol: Members): string | null {
  const { successors, messagesAbout, forgery, faults, unaffected, messages } = protocol;
  const carried = membersOf(membersOf(protocol.carries).messages);
  return (
    choiceProblem('', protocol, PROTOCOL_CHOICES) ??
    (FAMILY.test(String(protocol.family))
      ? null
      : `"family" must be bully, ring, quorum, lease or a word of your own in lower case, got ${text(protocol.family)}`) ??
    (typeof successors === 'number' && Number.isInteger(successors) && successors >= 1
      ? null
      : `"successors" must be an integer of at least 1, got ${text(successors)}`) ??
    first(NODES, (nodes) => boundProblem('messagesAbout', messagesAbout, nodes)) ??
    countersProblem(protocol.counters) ??
    drawnTicksProblem(protocol.drawnTicks) ??
    symmetryProblem(protocol.symmetry) ??
    tokensProblem(protocol.tokens) ??
    choiceProblem('forgery.', membersOf(forgery), FORGERY_CHOICES) ??
    first(FAULT_NAMES, (fault) => cellProblem(`faults.${fault}`, membersOf(faults)[fault])) ??
    first(FAULT_KINDS, (kind) =>
      reasonProblem(`unaffected.${kind}`, membersOf(unaffected)[kind]),
    ) ??
    first(Object.entries(membersOf(messages)), ([type, facts]) =>
      messageProblem(type, membersOf(facts), membersOf(membersOf(carried[type]).members)),
    )
  );
}

/** A value as an object, of which nothing is known. */
function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Whether each of these members has one of its possible values. */
function choiceProblem(
  path: string,
  value: Members,
  choices: Readonly<Record<string, readonly string[]>>,
): string | null {
  return first(Object.entries(choices), ([name, allowed]) =>
    allowed.some((each) => each === value[name])
      ? null
      : `"${path}${name}" must be one of ${allowed.join(', ')}, got ${text(value[name])}`,
  );
}

function symmetryProblem(given: unknown): string | null {
  if (typeof given === 'string') return null;
  const { of, store, ...others } = membersOf(given);
  if (of !== 'members' && of !== 'ring') {
    return `"symmetry" must be the reason why no nodes are exchangeable, or have of: members or ring, got ${text(given)}`;
  }
  const lists = [others.state, others.persisted];
  if (store !== null) lists.push(membersOf(store).state, membersOf(store).messages);
  return lists.every(
    (list) => Array.isArray(list) && list.every((path: unknown) => typeof path === 'string'),
  )
    ? null
    : '"symmetry" must have lists of paths: state, persisted, and in store, if there is one, state and messages';
}

function countersProblem(given: unknown): string | null {
  if (!Array.isArray(given)) return `"counters" must be a list, got ${text(given)}`;
  return first(given, (each: unknown) => {
    const counter = membersOf(each);
    if (typeof counter.name !== 'string') {
      return `"counters.name" must be a plural, such as terms, got ${text(counter.name)}`;
    }
    const wrong = ['state', 'persisted', 'messages', 'unset'].find((part) => {
      const list = counter[part];
      return !Array.isArray(list) || list.some((path) => typeof path !== 'string');
    });
    return wrong === undefined
      ? null
      : `"counters.${wrong}" must be a list of members, got ${text(counter[wrong])}`;
  });
}

function drawnTicksProblem(given: unknown): string | null {
  return Array.isArray(given) && given.every((path: unknown) => typeof path === 'string')
    ? null
    : `"drawnTicks" must be a list of members, got ${text(given)}`;
}

function tokensProblem(given: unknown): string | null {
  if (typeof given === 'string') return null;
  const { laps, isReplaced, outbidsLeaders, unowed } = membersOf(given);
  const wrong = Object.entries({ isReplaced, outbidsLeaders }).find(
    ([, value]) => typeof value !== 'boolean',
  );
  if (wrong !== undefined)
    return `"tokens.${wrong[0]}" must be true or false, got ${text(wrong[1])}`;
  if (unowed !== null && typeof unowed !== 'string') {
    return `"tokens.unowed" must be a sentence or null, got ${text(unowed)}`;
  }
  return first(NODES, (nodes) => boundProblem('tokens.laps', laps, nodes));
}

function reasonProblem(path: string, reason: unknown): string | null {
  return reason === null || (typeof reason === 'string' && reason !== '')
    ? null
    : `"${path}" must be a reason, or null if the fault can change a run, got ${text(reason)}`;
}

function boundProblem(fact: string, bound: unknown, nodes: number): string | null {
  let given: unknown;
  try {
    given = typeof bound === 'function' ? bound(nodes) : bound;
  } catch (error) {
    return `"${fact}" throws for ${nodes} nodes: ${error instanceof Error ? error.message : typeof error}`;
  }
  return typeof given === 'number' && Number.isFinite(given) && given >= 0
    ? null
    : `"${fact}" must give a number of at least 0 for ${nodes} nodes, got ${text(given)}`;
}

function cellProblem(path: string, given: unknown): string | null {
  const cell = membersOf(given);
  const lists = { breaks: SAFETY, rarely: [...SAFETY, 'L'] };
  return (
    choiceProblem(`${path}.`, cell, { expected: ['ok', 'ok/L', 'stop', 'X', '-'] }) ??
    first(Object.entries(lists), ([name, allowed]) => {
      const list = cell[name];
      return Array.isArray(list) && list.every((each) => allowed.includes(each))
        ? null
        : `"${path}.${name}" must be a list of ${allowed.join(', ')}, got ${text(list)}`;
    })
  );
}

function messageProblem(type: string, facts: Members, carried: Members): string | null {
  const path = `messages.${type}`;
  const members = membersOf(facts.members);
  const claim = membersOf(facts.claim);
  const token = membersOf(facts.token);
  const alterations = membersOf(facts.alterations);
  // Facts about a message that carries another one are about the members of that one, too.
  const names = new Set([...Object.keys(members), ...Object.keys(carried)]);
  const named: readonly (readonly [fact: string, names: unknown])[] = [
    ['candidates', facts.candidates],
    ...(facts.claim === null
      ? []
      : ([
          ['claim.within', claim.within],
          ['claim.states', claim.states === null ? [] : [claim.states]],
          ['claim.where', Object.keys(membersOf(claim.where))],
        ] as const)),
    ...(facts.token === null
      ? []
      : ([
          ['token.identifiedBy', token.identifiedBy],
          ['token.endsAt', [token.endsAt]],
        ] as const)),
    ['alterations', Object.keys(alterations)],
  ];
  return (
    choiceProblem(`${path}.`, facts, { statementOf: ['sender', 'candidate'] }) ??
    first(Object.entries(members), ([name, kind]) =>
      Array.isArray(kind) && kind.length > 0 && kind.every((each) => typeof each === 'string')
        ? null
        : choiceProblem(`${path}.members.`, { [name]: kind }, { [name]: KINDS }),
    ) ??
    first(named, ([fact, list]) => {
      if (!Array.isArray(list)) return `"${path}.${fact}" must be a list of members of ${type}`;
      const wrong = list.filter((each) => !names.has(each)).map(text);
      return wrong.length === 0
        ? null
        : `"${path}.${fact}" names no member of ${type}: ${wrong.join(', ').replaceAll('"', '')}`;
    }) ??
    first(Object.keys(alterations), (name) =>
      choiceProblem(`${path}.alterations.`, alterations, { [name]: ALTERATIONS }),
    )
  );
}

function first<T>(values: readonly T[], problemOf: (value: T) => string | null): string | null {
  for (const value of values) {
    const problem = problemOf(value);
    if (problem !== null) return problem;
  }
  return null;
}

function text(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : inspect(value, { depth: 1 });
}
