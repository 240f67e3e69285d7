/**
 * @module
 * A free Byzantine node: it follows its protocol, and beside that sends any message that it knows when it is
 * instructed to. An instruction is a message of the node to itself, so that a checker chooses the moment, the
 * recipient and the content, and the reference semantics carries it out.
 *
 * What it knows is finite. The content is a message of its protocol. Each member has a value of this list:
 * - a rank: any rank, phantoms included;
 * - an integer: 0, 1, and each integer that it has received or sent; for the number of an election also the highest
 *   of them + 1;
 * - a truth value or an enumeration: all its values;
 * - a list of ranks, a table, a token or another number: what it has received or sent; a list of one rank; a token of
 *   any rank with a known integer; an empty table;
 * - a carried message: any content of the carried type.
 *
 * At L0 it sends in any name, at L1 in its own name. From L2 on it also cannot name a candidate that has not shown it
 * its candidacy, nor make statements that only the candidate can make. A message that it received is then of no
 * further use: its signature is for this recipient.
 */

import {
  candidatesIn,
  isCandidatesOwn,
  namedIn,
} from '../../election/authentication/candidacies.ts';
import type { Kind, MessageFacts } from '../../election/definition/message-definition.ts';
import type { AnyMachine } from '../../election/definition/protocol.ts';
import { intercepted } from '../../election/intercepted.ts';
import type { Json, Machine, Message, Rank } from '../../election/machine.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import { toRank } from '../../election/world/cast.ts';
import type { Observed } from '../forging.ts';
import { bodyOf, forge, nothingObserved, observe, observeReturn, passOn } from '../forging.ts';
import type { ByzantineNode } from './behaviour.ts';

export type FreeState = {
  inner: Json;
  observed: Observed;
  /** Integers that it has received or sent, ascending. */
  integers: number[];
  /** Other values that it has received or sent, as JSON, by kind. */
  values: Record<string, string[]>;
};

/** The recipient, the stated sender and the content of a message. */
export interface Instruction extends Message {
  readonly to: number;
  readonly by: number;
  readonly body: Message;
}

/** Type of the message by which the node gets an instruction. Only the node can send it to itself. */
const INSTRUCTION = 'INSTRUCTION';

/** Contents of one message type; further ones are left out. */
const CONTENTS_MAX = 4096;

/** The machine of a free node around its own, sealed machine. */
export function createFree(
  machine: AnyMachine,
  byzantineNode: ByzantineNode,
): Machine<FreeState, Message> {
  const { rank, protocol } = byzantineNode;
  return {
    init: (self) => ({
      inner: machine.init(self),
      observed: nothingObserved(),
      integers: [0, 1],
      values: {},
    }),
    step(self, state, event, effects) {
      const { observed } = state;
      observeReturn(observed, self, event);
      if (event.type === 'deliver') {
        if (event.from === rank && isInstruction(event.message)) {
          const { to, by, body } = event.message;
          const forged = forge(observed, byzantineNode, { by: toRank(by), to: toRank(to), body });
          effects.send(toRank(to), forged);
          return;
        }
        observe(observed, byzantineNode, { from: event.from, sealed: event.message });
        learn(state, bodyOf(event.message), PROTOCOLS[protocol].messages);
      }
      const out = intercepted(effects, {
        send(to, message) {
          learn(state, bodyOf(message), PROTOCOLS[protocol].messages);
          effects.send(to, passOn(observed, byzantineNode, { to, message }));
        },
      });
      machine.step(self, state.inner, event, out);
    },
  };
}

/** Whether a message is an instruction. Only a free node sends it, to itself. */
export function isInstruction(message: Message): message is Instruction {
  return message.type === INSTRUCTION;
}

type Definitions = Readonly<Record<string, MessageFacts>>;

function learn(state: FreeState, body: Message, definitions: Definitions): void {
  const facts = Object.hasOwn(definitions, body.type) ? definitions[body.type] : undefined;
  const fields: Readonly<Record<string, unknown>> = { ...body };
  for (const [name, kind] of Object.entries(facts?.members ?? {})) {
    const value = fields[name];
    if (kind === 'integer' || kind === 'epoch') {
      if (typeof value !== 'number' || state.integers.includes(value)) continue;
      state.integers = [...state.integers, value].toSorted((left, right) => left - right);
    } else if (typeof kind === 'string' && REMEMBERED.includes(kind)) {
      const text = JSON.stringify(value);
      const known = state.values[kind] ?? [];
      if (!known.includes(text)) state.values[kind] = [...known, text].toSorted();
    }
  }
}

const REMEMBERED: readonly Kind[] = ['ranks', 'number', 'token', 'table'];

/** The instructions that a free node may get in a state. `members` are the ranks of nodes, `ranks` also phantoms. */
export function* instructionsFor(
  state: FreeState,
  { rank, protocol, authentication }: Pick<ByzantineNode, 'rank' | 'protocol' | 'authentication'>,
  { members, ranks }: { readonly members: readonly number[]; readonly ranks: readonly number[] },
): Generator<Instruction, void> {
  const { level } = authentication;
  const isSigned = level === 'L2' || level === 'L3';
  const { messages, carries } = PROTOCOLS[protocol];
  const known: Known = { state, ranks, carried: carries?.messages ?? {} };
  const mayName = (each: Rank) =>
    each === rank || Object.hasOwn(state.observed.proofs, String(each));
  const names = level === 'L0' ? ranks : [Number(rank)];
  const maySend = (body: Message, by: Rank) => {
    const isOthers = namedIn(protocol, body).some((each) => each !== by);
    if (isOthers && isCandidatesOwn(protocol, body)) return false;
    return candidatesIn(protocol, body, by).every(mayName);
  };
  for (const [type, { members: form }] of Object.entries(messages)) {
    for (const body of contentsOf(type, form, known)) {
      for (const by of names) {
        if (isSigned && !maySend(body, toRank(by))) continue;
        for (const to of members) {
          if (to !== rank) yield { type: INSTRUCTION, to, by, body };
        }
      }
    }
  }
}

interface Known {
  readonly state: FreeState;
  readonly ranks: readonly number[];
  readonly carried: Definitions;
}

function contentsOf(type: string, form: MessageFacts['members'], known: Known): Message[] {
  let contents: Message[] = [{ type }];
  for (const [name, kind] of Object.entries(form)) {
    // Free nodes lie about all but the members.
    if (kind === 'configuration') continue;
    const values = valuesOf(kind, type, known);
    contents = contents.flatMap((content) =>
      values.map((value) => ({ ...content, [name]: value })),
    );
    contents = contents.slice(0, CONTENTS_MAX);
  }
  return contents;
}

function valuesOf(
  kind: Exclude<Kind, 'configuration'>,
  type: string,
  known: Known,
): readonly unknown[] {
  const { state, ranks, carried } = known;
  const { integers } = state;
  if (typeof kind !== 'string') return kind;
  const texts = state.values[kind] ?? [];
  switch (kind) {
    case 'rank':
      return ranks;
    case 'integer':
      return integers;
    case 'epoch':
      return [...integers, Math.max(...integers) + 1];
    case 'boolean':
      return [false, true];
    case 'ranks':
      return distinct([...texts, ...ranks.map((rank) => JSON.stringify([rank]))]);
    case 'number':
      return distinct([...texts, '0', '1']);
    case 'token':
      return distinct([
        ...texts,
        ...ranks.flatMap((rank) => integers.map((count) => JSON.stringify([rank, count]))),
      ]);
    case 'table':
      return distinct([...texts, '[]']);
    case 'carried':
      return contentsOf(type, carried[type]?.members ?? {}, known);
    default:
      return kind satisfies never;
  }
}

function distinct(texts: readonly string[]): unknown[] {
  return [...new Set(texts)].map((text): unknown => JSON.parse(text));
}
