/**
 * @module
 * Wrong facts in a protocol of the user: a value that its fact cannot have, or a name of a message member
 * that does not exist. `missing-member.ts` has checked before that no fact is missing.
 */

import { inspect } from 'node:util';
import { FAULT_KINDS } from '../../election/definition/drawn-faults.ts';
import { FAULT_NAMES } from '../../election/definition/fault-row.ts';

type Members = Readonly<Record<string, unknown>>;

const NODES = [2, 10];
const SAFETY = ['S1', 'S2', 'S3', 'S4', 'S5', 'M'];
const PROTOCOL_CHOICES = {
  family: ['bully', 'ring', 'quorum', 'lease'],
  elects: ['highest', 'attribute', 'any'],
  unique: ['moment', 'epoch'],
};
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
];
const ALTERATIONS = ['highest-rank', 'own-rank', 'own-ranks', 'greatest', 'none'];

/** A clause such as `"family" must be one of bully, ring, quorum, lease, got "star"`. Null if all are right. */
export function factProblem(protocol: Members): string | null {
  const { successors, messagesAbout, forgery, faults, unaffected, messages } = protocol;
  const carried = membersOf(membersOf(protocol.carries).messages);
  return (
    choiceProblem('', protocol, PROTOCOL_CHOICES) ??
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
export function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Whether each of these members has one of its possible values. */
export function choiceProblem(
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
