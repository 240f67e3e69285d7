/**
 * @module
 * This folder contains the stores that lease protocols call, each as a machine.
 * A coordination store as a machine: sessions that expire, ephemeral sequential znodes under one
 * parent, one-shot watches. P. Hunt, M. Konar, F. P. Junqueira, B. Reed, ZooKeeper: Wait-free
 * coordination for internet-scale systems, USENIX ATC 2010, sections 2.1 to 2.4; one server, which
 * never fails, so that every step is atomic. It must not know which election uses it.
 *
 * Invariants: (1) a znode's session lives: when the session expires, the znode goes and its watchers
 * are notified; (2) sequence numbers and session numbers rise and are never used again; (3) FIFO client
 * order: in a session an operation takes effect once and never after a later one, as over a connection,
 * which loses what it does not deliver; (4) a session lives sessionTicks after its last operation, on
 * the store's clock; (5) the list of znodes is replaced, never changed, because replies carry it.
 */

import type { Step } from '../../handlers.ts';
import { createMachine } from '../../handlers.ts';
import type { Machine, Rank } from '../../machine.ts';

/** The client numbers its requests, rising in a session. CONNECT has the first number. */
export type CoordinationOperation =
  /** `guid` identifies the client's attempt. The answer repeats it. */
  | { readonly type: 'CONNECT'; readonly request: number; readonly guid: string }
  /** Keeps the session, and renews a one-shot watch as SET_WATCHES does. Null renews none. */
  | (InSession & { readonly type: 'PING'; readonly watch: string | null })
  /** Creates the znode `guid`-n_`sequence`. */
  | (InSession & { readonly type: 'CREATE'; readonly guid: string })
  | (InSession & { readonly type: 'GET_CHILDREN' })
  /** Sets a one-shot watch if the znode exists. */
  | (InSession & { readonly type: 'EXISTS'; readonly name: string })
  /** Deletes any client's znode, as under ZooKeeper's open access list. */
  | (InSession & { readonly type: 'DELETE'; readonly name: string });

type InSession = { readonly request: number; readonly session: number };

export type CoordinationReply =
  | (InSession & { readonly type: 'CONNECTED'; readonly guid: string })
  /**
   * `gone` is the name whose watch could not be renewed. `oldest` is the first znode. It replaces a
   * getChildren of a client that needs no more.
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
  /** The session does not exist, or belongs to another client. */
  | { readonly type: 'EXPIRED'; readonly session: number };

export type Znode = {
  readonly name: string;
  /** The creator, as it wrote itself into the znode. */
  readonly owner: Rank;
};

export type CoordinationState = {
  /** Number of sessions ever opened, which is the number of the last. */
  opened: number;
  /** Number of znodes ever created, which is the sequence number of the last. */
  created: number;
  /** Live sessions, by number. */
  sessions: Record<string, Session>;
  /** In the order of their creation. */
  znodes: readonly Znode[];
  /** By name of a znode, the sessions that watch it, in the order in which they asked. */
  watches: Record<string, number[]>;
};

type Session = {
  readonly owner: Rank;
  /** The last request that took effect. */
  request: number;
  /** The names of its znodes, oldest first. */
  names: string[];
};

type Own = Step<CoordinationState, CoordinationOperation | CoordinationReply, number>;
type Operation<Type> = CoordinationOperation & { readonly type: Type };
type SessionOperation = Exclude<CoordinationOperation, Operation<'CONNECT'>>;
/** The members of an answer beside session and request, which are those of the operation. */
type Answer = CoordinationReply extends infer Reply
  ? Reply extends InSession
    ? Omit<Reply, keyof InSession>
    : never
  : never;

const SEQUENCE_DIGITS = 10;

/** The store. A session ends `sessionTicks` after the last operation of its client. */
export function createCoordinationStore(
  sessionTicks: number,
): Machine<CoordinationState, CoordinationOperation | CoordinationReply> {
  return createMachine<CoordinationState, CoordinationOperation | CoordinationReply, number>({
    settings: sessionTicks,
    init: () => ({ opened: 0, created: 0, sessions: {}, znodes: [], watches: {} }),
    on: {
      deliver: {
        CONNECT: connect,
        PING: inSession<'PING'>(
          ({ watch }) => watch === null || isName(watch),
          ({ state }, { session, watch }) => {
            const gone = watch !== null && !setWatch(state, watch, session) ? watch : null;
            return { type: 'PONG', gone, oldest: state.znodes[0] ?? null };
          },
        ),
        CREATE: inSession<'CREATE'>(
          ({ guid }) => isGuid(guid),
          ({ state }, { guid }, session) => ({
            type: 'CREATED',
            name: create(state, session, guid),
          }),
        ),
        GET_CHILDREN: inSession<'GET_CHILDREN'>(
          () => true,
          ({ state }) => ({ type: 'CHILDREN', children: state.znodes }),
        ),
        EXISTS: inSession<'EXISTS'>(
          ({ name }) => isName(name),
          ({ state }, { name, session }) => ({
            type: 'STAT',
            exists: setWatch(state, name, session),
          }),
        ),
        DELETE: inSession<'DELETE'>(
          ({ name }) => isName(name),
          (step, { name }) => ({ type: 'REMOVED', existed: remove(step, name) }),
        ),
      },
      timeout: {
        session: (step, timer) => expire(step, timer.slice(SESSION_TIMER.length)),
      },
    },
  });
}

const SESSION_TIMER = 'session:';

/** The sequence number at the end of a znode's name, whatever precedes it. */
export function sequenceOf(name: string): number {
  return Number(name.slice(name.lastIndexOf('_') + 1));
}

/** A copy opens a session too, which no client keeps alive. */
function connect(step: Own, { request, guid }: Operation<'CONNECT'>, from: Rank): void {
  const { state, effects } = step;
  if (!Number.isSafeInteger(request) || !isGuid(guid)) return;
  state.opened += 1;
  state.sessions[state.opened] = { owner: from, request, names: [] };
  keepAlive(step, state.opened);
  effects.send(from, { type: 'CONNECTED', session: state.opened, request, guid });
}

/** Handles an operation whose own members are valid, in a session of its sender, and answers it. */
function inSession<Type extends SessionOperation['type']>(
  isValid: (operation: Operation<Type>) => boolean,
  answer: (
    step: Own,
    operation: Operation<Type>,
    session: Session,
  ) => Answer & { readonly type: CoordinationReply['type'] },
) {
  return (step: Own, operation: Operation<Type> & InSession, from: Rank): void => {
    const { state, effects } = step;
    const { session: number, request } = operation;
    // A Byzantine client may send anything.
    if (!Number.isSafeInteger(request) || !Number.isSafeInteger(number)) return;
    if (!isValid(operation)) return;
    const session = sessionOf(state, number);
    if (session === undefined || session.owner !== from) {
      effects.send(from, { type: 'EXPIRED', session: number });
      return;
    }
    if (request <= session.request) return;
    session.request = request;
    keepAlive(step, number);
    effects.send(from, { session: number, request, ...answer(step, operation, session) });
  };
}

function keepAlive({ effects, settings }: Own, session: number): void {
  effects.setTimer(`${SESSION_TIMER}${session}`, settings, false);
}

function create(state: CoordinationState, session: Session, guid: string): string {
  state.created += 1;
  const name = `${guid}-n_${String(state.created).padStart(SEQUENCE_DIGITS, '0')}`;
  session.names.push(name);
  state.znodes = [...state.znodes, { name, owner: session.owner }];
  return name;
}

/** Whether the znode exists. To ask twice sets one watch. */
function setWatch(state: CoordinationState, name: string, session: number): boolean {
  if (!state.znodes.some((znode) => znode.name === name)) return false;
  const watchers = state.watches[name] ?? [];
  state.watches[name] = watchers;
  if (!watchers.includes(session)) watchers.push(session);
  return true;
}

/** Whether the znode existed. */
function remove({ state, effects }: Own, name: string): boolean {
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

function expire(step: Own, number: string): void {
  const { state } = step;
  const session = sessionOf(state, number);
  delete state.sessions[number];
  for (const name of session?.names ?? []) remove(step, name);
}

function sessionOf({ sessions }: CoordinationState, number: number | string): Session | undefined {
  return Object.hasOwn(sessions, number) ? sessions[number] : undefined;
}

function isGuid(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{1,64}$/.test(value);
}

function isName(value: unknown): boolean {
  return typeof value === 'string';
}
