/**
 * @module
 * A coordination store as a machine: sessions that expire, ephemeral sequential znodes under one
 * parent, one-shot watches. P. Hunt, M. Konar, F. P. Junqueira, B. Reed, ZooKeeper: Wait-free
 * coordination for internet-scale systems, USENIX ATC 2010, sections 2.1 to 2.4; one server, which
 * never fails, so that every step is atomic. It must not know which election runs over it.
 *
 * Invariants: (1) a znode's session lives: it goes when that expires, and its watchers are told; (2)
 * sequence numbers grow and are never used again, nor are session numbers; (3) FIFO client order: in a
 * session an operation takes effect once and never after a later one, as over a connection, which
 * loses what it does not deliver; (4) a session lives sessionTicks after the last operation in it, on
 * the store's clock; (5) the list of znodes is replaced, never changed, since replies carry it.
 */

import type { Effects, Event, Machine, Message, Rank } from '../machine.ts';

/** `request` is numbered by the client, growing in its session; CONNECT's number is the first. */
export type CoordinationOperation =
  /** `guid` names the client's attempt: the answer carries it. */
  | { readonly type: 'CONNECT'; readonly request: number; readonly guid: string }
  /** Keeps the session, and renews a one-shot watch as SET_WATCHES does; null for none. */
  | (InSession & { readonly type: 'PING'; readonly watch: string | null })
  /** Makes the znode `guid`-n_`sequence`. */
  | (InSession & { readonly type: 'CREATE'; readonly guid: string })
  | (InSession & { readonly type: 'GET_CHILDREN' })
  /** Sets a one-shot watch, if there is such a znode. */
  | (InSession & { readonly type: 'EXISTS'; readonly name: string })
  /** Anybody's, as under ZooKeeper's open access list. */
  | (InSession & { readonly type: 'DELETE'; readonly name: string });

type InSession = { readonly request: number; readonly session: number };

export type CoordinationReply =
  | (InSession & { readonly type: 'CONNECTED'; readonly guid: string })
  /**
   * `gone` is the name whose watch could not be renewed. `oldest` stands for a getChildren of a
   * client that only wants to know whose turn it is.
   */
  | (InSession & {
      readonly type: 'PONG';
      readonly gone: string | null;
      readonly oldest: Znode | null;
    })
  | (InSession & { readonly type: 'CREATED'; readonly name: string })
  /** In no order that a client may rely on. */
  | (InSession & { readonly type: 'CHILDREN'; readonly children: readonly Znode[] })
  | (InSession & { readonly type: 'STAT'; readonly exists: boolean })
  | (InSession & { readonly type: 'REMOVED'; readonly existed: boolean })
  /** A watch fires. */
  | { readonly type: 'DELETED'; readonly session: number; readonly name: string }
  /** There is no such session, or it is somebody else's. */
  | { readonly type: 'EXPIRED'; readonly session: number };

export type Znode = {
  readonly name: string;
  /** What the creator wrote into it: who it is. */
  readonly owner: Rank;
};

export type CoordinationState = {
  /** Sessions ever opened: the number of the last. */
  opened: number;
  /** Znodes ever created: the sequence number of the last. */
  created: number;
  /** Those that live, by number. */
  sessions: Record<string, Session>;
  /** In the order of their creation. */
  znodes: readonly Znode[];
  /** The sessions that are told when the znode of this name goes, in the order they asked. */
  watches: Record<string, number[]>;
};

type Session = {
  readonly owner: Rank;
  /** The last request taken. */
  request: number;
  /** The names of its znodes, oldest first. */
  names: string[];
};

/** Everything one step works with. */
interface Step {
  readonly sessionTicks: number;
  readonly state: CoordinationState;
  readonly effects: Effects<CoordinationReply>;
}

const SESSION_TIMER = 'session:';
const SEQUENCE_DIGITS = 10;

/** The store; a session ends `sessionTicks` after its client was last heard. */
export function createCoordinationStore(
  sessionTicks: number,
): Machine<CoordinationState, CoordinationOperation | CoordinationReply> {
  return {
    init: () => ({ opened: 0, created: 0, sessions: {}, znodes: [], watches: {} }),
    step: (_self, state, event, effects) => step({ sessionTicks, state, effects }, event),
  };
}

/** The sequence number at the end of a znode's name, whatever stands before it. */
export function sequenceOf(name: string): number {
  return Number(name.slice(name.lastIndexOf('_') + 1));
}

function step(context: Step, event: Event<CoordinationOperation | CoordinationReply>): void {
  switch (event.type) {
    case 'deliver':
      onOperation(context, event.from, event.message);
      break;
    case 'timeout':
      if (event.timer.startsWith(SESSION_TIMER)) {
        expire(context, event.timer.slice(SESSION_TIMER.length));
      }
      break;
    // It never fails, and has nobody to call.
    case 'start':
    case 'recover':
    case 'suspect':
    case 'trust':
    case 'join':
    case 'leave':
    case 'chosen':
    case 'reply':
    case 'request':
      break;
    default:
      event satisfies never;
  }
}

function onOperation(context: Step, from: Rank, operation: Message): void {
  if (!isOperation(operation)) return;
  if (operation.type === 'CONNECT') {
    connect(context, from, operation);
    return;
  }
  const { session: number, request } = operation;
  const session = sessionOf(context.state, number);
  if (session === undefined || session.owner !== from) {
    context.effects.send(from, { type: 'EXPIRED', session: number });
    return;
  }
  if (request <= session.request) return;
  session.request = request;
  hear(context, number);
  context.effects.send(from, { session: number, request, ...answer(context, session, operation) });
}

type Connect = CoordinationOperation & { readonly type: 'CONNECT' };
type SessionOperation = Exclude<CoordinationOperation, Connect>;
/** What is special to an answer; its session and request are those of the operation. */
type Answer = CoordinationReply extends infer Reply
  ? Reply extends InSession
    ? Omit<Reply, keyof InSession>
    : never
  : never;

/** A copy opens a session too, which nobody keeps alive. */
function connect(context: Step, from: Rank, { request, guid }: Connect): void {
  const { state, effects } = context;
  state.opened += 1;
  state.sessions[state.opened] = { owner: from, request, names: [] };
  hear(context, state.opened);
  effects.send(from, { type: 'CONNECTED', session: state.opened, request, guid });
}

function hear({ sessionTicks, effects }: Step, session: number): void {
  effects.setTimer(`${SESSION_TIMER}${session}`, sessionTicks, false);
}

function answer(
  context: Step,
  session: Session,
  operation: SessionOperation,
): Answer & { readonly type: CoordinationReply['type'] } {
  const { state } = context;
  switch (operation.type) {
    case 'PING': {
      const { session: number, watch } = operation;
      const gone = watch !== null && !setWatch(state, watch, number) ? watch : null;
      return { type: 'PONG', gone, oldest: state.znodes[0] ?? null };
    }
    case 'CREATE':
      return { type: 'CREATED', name: create(state, session, operation.guid) };
    case 'GET_CHILDREN':
      return { type: 'CHILDREN', children: state.znodes };
    case 'EXISTS':
      return { type: 'STAT', exists: setWatch(state, operation.name, operation.session) };
    case 'DELETE':
      return { type: 'REMOVED', existed: remove(context, operation.name) };
  }
}

function create(state: CoordinationState, session: Session, guid: string): string {
  state.created += 1;
  const name = `${guid}-n_${String(state.created).padStart(SEQUENCE_DIGITS, '0')}`;
  session.names.push(name);
  state.znodes = [...state.znodes, { name, owner: session.owner }];
  return name;
}

/** Whether there is such a znode; asking twice is one watch. */
function setWatch(state: CoordinationState, name: string, session: number): boolean {
  if (!state.znodes.some((znode) => znode.name === name)) return false;
  const watchers = state.watches[name] ?? [];
  state.watches[name] = watchers;
  if (!watchers.includes(session)) watchers.push(session);
  return true;
}

/** Whether there was such a znode. */
function remove({ state, effects }: Step, name: string): boolean {
  const rest = state.znodes.filter((znode) => znode.name !== name);
  if (rest.length === state.znodes.length) return false;
  state.znodes = rest;
  const watchers = state.watches[name] ?? [];
  delete state.watches[name];
  for (const session of watchers) {
    const owner = sessionOf(state, session)?.owner;
    if (owner !== undefined) effects.send(owner, { type: 'DELETED', session, name });
  }
  return true;
}

function expire(context: Step, number: string): void {
  const { state } = context;
  const session = sessionOf(state, number);
  delete state.sessions[number];
  for (const name of session?.names ?? []) remove(context, name);
}

function sessionOf({ sessions }: CoordinationState, number: number | string): Session | undefined {
  return Object.hasOwn(sessions, number) ? sessions[number] : undefined;
}

/** A client that cheats may send anything. */
function isOperation(message: Message): message is CoordinationOperation {
  // Any of its fields may be there, and be of any type.
  const fields = message as Message & Readonly<Record<string, unknown>>;
  if (!Number.isSafeInteger(fields.request)) return false;
  switch (message.type) {
    case 'CONNECT':
      return isGuid(fields.guid);
    case 'CREATE':
      return isGuid(fields.guid) && Number.isSafeInteger(fields.session);
    case 'PING':
      return (
        (fields.watch === null || isName(fields.watch)) && Number.isSafeInteger(fields.session)
      );
    case 'EXISTS':
    case 'DELETE':
      return isName(fields.name) && Number.isSafeInteger(fields.session);
    case 'GET_CHILDREN':
      return Number.isSafeInteger(fields.session);
    default:
      return false;
  }
}

function isGuid(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{1,64}$/.test(value);
}

function isName(value: unknown): boolean {
  return typeof value === 'string';
}
