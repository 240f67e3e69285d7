/**
 * @module
 * Whether the answers of leaders to clients are linearizable. The past of a world is what can have happened to the
 * register: its content, and which of the operations under way have taken effect, with which output. An answer rules out
 * what does not fit. If nothing is left, no order explains the answers. That is the same verdict as that of
 * histories/linearizability.ts, one step at a time.
 *
 * A node that refuses a question has done nothing, unless messages are repeated and nodes return: it can have accepted one
 * copy, crashed, and refused another one. The operation then stays under way for ever.
 */

import type { Asked, Content, RegisterOutput } from '../../election/client-operations.ts';
import { answeredIn, askedIn, operated } from '../../election/client-operations.ts';
import type { Clients } from '../../election/clients/client-form.ts';
import { CLIENTS_MAX } from '../../election/clients/client-form.ts';
import type { Flags } from '../../election/definition/flags.ts';
import type { Protocol } from '../../election/definition/protocol.ts';
import type { ResourceKind } from '../../election/lease/stores/resource.ts';
import { fromRank } from '../../election/world/cast.ts';
import type { Instance } from '../instance.ts';
import { ENDPOINTS_MAX } from '../instance.ts';
import type { CheckedProperty, History, NodeStep } from '../property.ts';

type Note =
  | (Asked & { readonly type: 'call'; readonly node: number })
  | {
      readonly type: 'return';
      readonly node: number;
      readonly client: number;
      readonly serial: number;
      /** Null if the operation has not happened. */
      readonly output: RegisterOutput | null;
    };

/** An operation under way, and the node that was asked. */
type Open = Asked & { readonly node: number };

/** What can have happened: the content, and the outputs of open operations that have taken effect, by `keyOf`. */
type Configuration = {
  readonly content: Content;
  readonly done: Readonly<Record<string, RegisterOutput>>;
};

type Past = {
  readonly open: readonly Open[];
  /** Sorted. Empty if no order explains the answers. */
  readonly possible: readonly Configuration[];
  readonly isAnswered: boolean;
};

const CLIENT_HISTORY: History<Past, Note> = {
  first: { open: [], possible: [{ content: null, done: {} }], isAnswered: false },
  notesOf: notesIn,
  fold(past, note) {
    const { open } = past;
    if (note.type === 'call') {
      const { client, serial, input, node } = note;
      return { ...past, open: sorted([...open, { client, serial, input, node }]) };
    }
    const asked = open.find(
      ({ client, serial, node }) =>
        client === note.client && serial === note.serial && node === note.node,
    );
    if (asked === undefined) return past;
    const possible = sorted(afterReturn(past, asked, note.output));
    const isAnswered = past.isAnswered || note.output !== null;
    return { open: open.filter((each) => each !== asked), possible, isAnswered };
  },
};

/** What the clients do in a step of the machine that contains them. */
function notesIn({ delivered, effects, bounds }: NodeStep): readonly Note[] {
  const message = delivered?.message;
  const answer =
    message?.type === 'ANSWER' || message?.type === 'REDIRECT'
      ? answeredIn(message.type === 'ANSWER' ? message : { ...message, output: null })
      : null;
  const calls = effects.flatMap((effect): Note[] => {
    if (effect.type !== 'send' || effect.message.type !== 'ASK') return [];
    const asked = askedIn(effect.message);
    return asked === null ? [] : [{ type: 'call', node: fromRank(effect.to), ...asked }];
  });
  if (answer === null || delivered === null) return calls;
  if (answer.output === null && canRepeat(bounds)) return calls;
  // A call after a redirection is the same operation, which has not happened before it either.
  return [{ type: 'return', node: delivered.from, ...answer }, ...calls];
}

/** Whether a node can pass on a question twice, because it has forgotten the first time. */
function canRepeat({ duplicate, recover, amnesia }: Instance['bounds']): boolean {
  return duplicate > 0 && recover + amnesia > 0;
}

/** What is possible after an operation has returned, or has turned out not to have happened. */
function afterReturn(
  { open, possible }: Past,
  asked: Open,
  output: RegisterOutput | null,
): Configuration[] {
  const reached = output === null ? possible : reachable(possible, open);
  return reached.flatMap(({ content, done }) => {
    const { [keyOf(asked)]: own, ...others } = done;
    const fits = JSON.stringify(own ?? null) === JSON.stringify(output);
    return fits ? [{ content, done: others }] : [];
  });
}

/** All that can have happened if any of the open operations have taken effect. */
function reachable(
  possible: readonly Configuration[],
  open: readonly Open[],
): readonly Configuration[] {
  const found = new Map(possible.map((each) => [JSON.stringify(each), each]));
  for (const { content, done } of found.values()) {
    for (const each of open) {
      const key = keyOf(each);
      if (Object.hasOwn(done, key)) continue;
      const after = operated(content, each.input);
      // The keys are integers, which objects keep in order, so that equal ones have equal texts.
      const outputs = { ...done, [key]: after.output };
      const next = { content: after.content, done: outputs };
      found.set(JSON.stringify(next), next);
    }
  }
  return [...found.values()];
}

/** A number that no other question has. */
function keyOf({ client, serial, node }: Open): number {
  return (serial * CLIENTS_MAX + client) * (ENDPOINTS_MAX + 1) + node;
}

function sorted<T>(items: readonly T[]): T[] {
  const texts = new Map(items.map((item) => [JSON.stringify(item), item]));
  return [...texts].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, item]) => item);
}

function withoutClients(
  _protocol: Protocol,
  _resource: ResourceKind | null,
  clients: Clients | undefined,
): string | null {
  return clients === undefined ? 'no clients ask its leaders' : null;
}

/** A leader that is replaced serves on, unless a fence or a majority stops it. */
function whyUnserved(
  { reads }: Clients,
  { resource, flags, bounds }: Pick<Instance, 'resource' | 'bounds'> & { readonly flags: Flags },
): string | null {
  if (canRepeat(bounds)) return 'a node that returns takes a repeated question for a new one';
  if (resource === undefined) {
    const { reads: rule = 'index', lastTerm = 'compared' } = flags;
    return rule !== 'index' || lastTerm !== 'compared'
      ? 'by these flags a leader answers that no majority confirms, or that lacks entries'
      : null;
  }
  if (resource !== 'fencing-register') {
    return 'the resource accepts writes of a replaced leader after its successor has read';
  }
  return reads === 'leader' ? 'a replaced leader answers reads from what it knows' : null;
}

export const LINEARIZABLE: CheckedProperty = {
  name: 'linearizable',
  kind: 'always',
  description: 'some order of the operations of clients explains all answers that they received',
  claim: {
    unsupportedReason: withoutClients,
    unservedReason: whyUnserved,
    matrix: ['S1'],
  },
  partner: 'client-answered',
  histories: [CLIENT_HISTORY],
  readings: [],
  holds: (view) => view.pastOf(CLIENT_HISTORY).possible.length > 0,
  breach: () => 'no order of the operations of clients explains the last answer',
};

export const CLIENT_ANSWERED: CheckedProperty = {
  name: 'client-answered',
  kind: 'sometimes',
  description: 'a client receives the answer of a leader',
  claim: { unsupportedReason: withoutClients, matrix: [] },
  partner: null,
  histories: [CLIENT_HISTORY],
  readings: [],
  holds: (view) => view.pastOf(CLIENT_HISTORY).isAnswered,
  breach: () => 'no client received an answer',
};
