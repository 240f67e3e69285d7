/**
 * @module
 * Limits the connections to a live node, so that those that are only held open exclude no member. A new one above a
 * limit closes the one that has sent nothing for the longest time, and never that of another member. A connection is
 * anonymous until it has shown that it is a member's: by its certificate, or without TLS by a message that only the
 * member can have signed.
 */

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import type { Rank } from '../../election/machine.ts';
import type { InTurn } from './handshake.ts';
import { Handshake } from './handshake.ts';
import type { Transport } from './transport.ts';
import { HANDSHAKE_MS_MAX } from './transport.ts';
import type { Payer } from './work-budget.ts';
import { Buckets, payingAddress } from './work-budget.ts';

/** Connections of one node at the same time. */
export const CONNECTIONS_MAX = 1_024;
/** Anonymous connections of one address: all peers can be on one machine. */
export const ANONYMOUS_MAX = 320;
/** Connections of one member, which uses one. */
export const MEMBER_CONNECTIONS_MAX = 4;
/** New connections of one address. */
export const NEW_CONNECTIONS = { most: 256, perSecond: 64 };
/** New connections of all addresses together that are no member's. */
export const NEW_STRANGERS = { most: 512, perSecond: 128 };
/**
 * CPU time of a usual handshake of TLS, in ms. One that takes longer uses up as much as several connections, and so does what
 * is read after it.
 */
const HANDSHAKE_CPU_MS = 4;
/** How long the handshake of a stranger takes. */
const STRANGER_MS_MAX = 2_000;
/** What a request with a body in chunks from a stranger uses up of the new connections of all strangers. */
const CHUNKS_COST = 16;
/** What a burst of requests uses up: the next connection is accepted after some seconds. */
const BURST_COST = 2 * NEW_CONNECTIONS.most;

/** Bytes of a body that is read although the request was answered. */
const UNREAD_MAX = 4_096;
/** Time for the answer to arrive before the connection is closed. */
const CLOSING_MS = 100;

interface ConnectionHooks {
  /** In ms. */
  readonly now: () => number;
  /** The CPU time that this thread has used, in ms. */
  readonly cpuMs: () => number;
  /** The addresses of members as far as they are known, as addresses that pay. */
  readonly membersAt: () => ReadonlySet<string>;
}

interface Connection {
  readonly socket: Socket;
  readonly address: string;
  member: Rank | null;
}

export class Connections {
  readonly #transport: Pick<Transport, 'identityOf' | 'secure'>;
  readonly #membersAt: ConnectionHooks['membersAt'];
  readonly #cpuMs: ConnectionHooks['cpuMs'];
  readonly #new: Buckets;
  readonly #strangers: Buckets;
  readonly #turns: HandshakeTurns;
  /** From where members have shown their identities last. */
  readonly #shownAt = new Map<Rank, string>();
  #isClosed = false;
  /** The last request of each connection. */
  readonly #answers = new WeakMap<Duplex, ServerResponse>();
  /** The last used last. */
  readonly #open = new Set<Connection>();
  /** By their sockets: with TLS, requests have another socket than the connection. */
  readonly #connections = new WeakMap<Duplex, Connection>();

  constructor(
    transport: Pick<Transport, 'identityOf' | 'secure'>,
    { now, cpuMs, membersAt }: ConnectionHooks,
  ) {
    this.#transport = transport;
    this.#membersAt = membersAt;
    this.#cpuMs = cpuMs;
    this.#new = new Buckets(NEW_CONNECTIONS, now);
    this.#strangers = new Buckets(NEW_STRANGERS, now);
    this.#turns = new HandshakeTurns({
      now,
      cpuMs,
      isMemberAt: (address) => this.#isMemberAt(address),
    });
  }

  /** Limits the connections of a server that does not listen yet, and secures them. */
  limit(server: Server): void {
    const listeners = server.listeners('connection');
    const serve = (socket: Duplex) => {
      for (const listener of listeners) listener.call(server, socket);
    };
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      const connection = this.#accept(socket);
      if (connection === null) return;
      const { secure } = this.#transport;
      if (secure === null) serve(socket);
      else this.#secure(connection, secure, serve);
    });
  }

  /**
   * A listener that passes on a request if the one before it on the connection was answered. Node reads all requests that
   * arrive together, and no peer sends one before the answer to the last. Others are dropped, with their
   * connection and the anonymous ones of their address.
   */
  oneByOne(listener: RequestListener): RequestListener {
    return (incoming, outgoing) => {
      const { socket } = incoming;
      // The rest of what was read arrives although the connection is closed.
      if (socket.destroyed) return;
      if (this.#answers.get(socket)?.writableEnded === false) {
        this.#punish(socket);
        return;
      }
      this.#answers.set(socket, outgoing);
      if ('transfer-encoding' in incoming.headers) this.#refuseChunks(socket);
      outgoing.once('finish', () => closeIfUnread(incoming));
      listener(incoming, outgoing);
    };
  }

  /** Who pays for a request over this connection. */
  payerOf(socket: Duplex): Payer {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return { address: '' };
    if (this.#open.delete(connection)) this.#open.add(connection);
    const shown = connection.member ?? this.#transport.identityOf(socket) ?? null;
    if (shown === null) return { address: connection.address };
    if (connection.member === null) this.#assign(connection, shown);
    return { member: shown };
  }

  /** Notes that a connection without TLS has brought a message that only this member can have signed. */
  prove(socket: Duplex, member: Rank): void {
    const connection = this.#connections.get(socket);
    const isAnonymous =
      connection?.member === null && this.#transport.identityOf(socket) === undefined;
    if (connection !== undefined && isAnonymous) this.#assign(connection, member);
  }

  /** Closes all, also those whose handshake is not over, and every new one. */
  close(): void {
    this.#isClosed = true;
    for (const { socket } of this.#open) socket.destroy();
  }

  /** Null if the connection is closed at once. */
  #accept(socket: Socket): Connection | null {
    const { remoteAddress } = socket;
    // It can be over already.
    const address = remoteAddress === undefined ? null : payingAddress(remoteAddress);
    const isWelcome = address !== null && !this.#isClosed && this.#takes(address);
    if (!isWelcome || !this.#hasRoomFor(address)) {
      socket.destroy();
      return null;
    }
    const connection = { socket, address, member: null };
    this.#open.add(connection);
    this.#connections.set(socket, connection);
    socket.once('close', () => this.#open.delete(connection));
    return connection;
  }

  /** Whether an address can open one more connection now. */
  #takes(address: string): boolean {
    if (!this.#new.take(address, 1)) return false;
    return this.#isMemberAt(address) || this.#strangers.take('all', 1);
  }

  #isMemberAt(address: string): boolean {
    if (this.#membersAt().has(address)) return true;
    for (const known of this.#shownAt.values()) if (known === address) return true;
    return false;
  }

  /** Serves the connection when its handshake is over. */
  #secure(
    connection: Connection,
    secure: (below: Duplex) => Duplex,
    serve: (socket: Duplex) => void,
  ): void {
    const { socket } = connection;
    const below = new Handshake(socket, this.#turnsOf(connection));
    const secured = secure(below);
    this.#connections.set(secured, connection);
    const waitMs = this.#isMemberAt(connection.address) ? HANDSHAKE_MS_MAX : STRANGER_MS_MAX;
    const deadline = setTimeout(() => socket.destroy(), waitMs);
    socket.once('close', () => clearTimeout(deadline));
    secured.on('error', () => socket.destroy());
    secured.once('secure', () => {
      clearTimeout(deadline);
      below.complete(this.#turnsAfter(connection));
      this.payerOf(secured);
      if (!socket.destroyed) serve(secured);
    });
  }

  /** The turns in which a handshake is read. */
  #turnsOf({ socket, address }: Connection): InTurn {
    const isOver = () => socket.destroyed;
    const took = (ms: number) => this.#new.owe(address, Math.floor(ms / HANDSHAKE_CPU_MS));
    return (next) => {
      const read = () => (this.#new.take(address, 0) ? next() : void socket.destroy());
      this.#turns.push({ address, isOver, read, took });
    };
  }

  /** The turns in which a connection is read after its handshake. A member does not wait. */
  #turnsAfter(connection: Connection): InTurn {
    const { socket, address } = connection;
    const isOver = () => socket.destroyed;
    let leftMs = HANDSHAKE_CPU_MS;
    const took = (ms: number) => {
      leftMs -= ms;
      if (leftMs > 0) return;
      const times = 1 + Math.floor(-leftMs / HANDSHAKE_CPU_MS);
      leftMs += times * HANDSHAKE_CPU_MS;
      this.#new.owe(nameOf(connection), times);
    };
    return (next) => {
      const read = () => (this.#new.take(nameOf(connection), 0) ? next() : void socket.destroy());
      if (connection.member === null) {
        this.#turns.push({ address, isOver, read, took });
        return;
      }
      const before = this.#cpuMs();
      read();
      took(this.#cpuMs() - before);
    };
  }

  /**
   * Reads no more of a body in chunks. Peers send none. Node parses all that it has read of it: ten thousand chunks can be in
   * 64 kB, and take 40 ms. With TLS, this time is counted. Without, the request is taken for a burst that is answered.
   */
  #refuseChunks(socket: Duplex): void {
    socket.pause();
    const connection = this.#connections.get(socket);
    if (connection === undefined || this.#transport.secure !== null) return;
    this.#new.owe(nameOf(connection), BURST_COST);
    this.#keep(0, (each) => each !== connection && nameOf(each) === nameOf(connection));
    if (!this.#isMemberAt(connection.address)) this.#strangers.owe('all', CHUNKS_COST);
  }

  /** Closes anonymous connections that are one too many. False if only members are connected. */
  #hasRoomFor(address: string): boolean {
    const isAnonymous = ({ member }: Connection) => member === null;
    this.#keep(ANONYMOUS_MAX - 1, (each) => isAnonymous(each) && each.address === address);
    if (this.#open.size >= CONNECTIONS_MAX) {
      const anonymous = [...this.#open].filter(isAnonymous).length;
      this.#keep(anonymous - 1, isAnonymous);
    }
    return this.#open.size < CONNECTIONS_MAX;
  }

  /** Closes a connection that has sent a burst of requests. Its member or its address can open none for some time. */
  #punish(socket: Duplex): void {
    const payer = this.payerOf(socket);
    socket.destroy();
    if ('member' in payer) {
      this.#new.owe(memberName(payer.member), BURST_COST);
      this.#keep(0, (each) => each.member === payer.member);
      return;
    }
    this.#new.owe(payer.address, BURST_COST);
    this.#keep(0, (each) => each.member === null && each.address === payer.address);
  }

  #assign(connection: Connection, member: Rank): void {
    connection.member = member;
    this.#shownAt.set(member, connection.address);
    if (!this.#new.take(memberName(member), 1)) connection.socket.destroy();
    this.#keep(MEMBER_CONNECTIONS_MAX, (each) => each.member === member);
  }

  /** Closes the longest unused of these connections, until `most` are left. */
  #keep(most: number, isOne: (connection: Connection) => boolean): void {
    const all = [...this.#open].filter(isOne);
    for (const connection of all.slice(0, Math.max(0, all.length - most))) {
      this.#open.delete(connection);
      connection.socket.destroy();
    }
  }
}

/** Closes the connection of a request that was answered before a long body arrived. Node would read all of it. */
function closeIfUnread(incoming: IncomingMessage): void {
  const { socket, headers } = incoming;
  const isShort = Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) <= UNREAD_MAX;
  if (incoming.complete || isShort) return;
  // Node resumes the connection when the answer is over.
  setImmediate(() => socket.pause());
  setTimeout(() => socket.destroy(), CLOSING_MS).unref();
}

/** Who pays for what is read from a connection. */
function nameOf({ member, address }: Connection): string {
  return member === null ? address : memberName(member);
}

/** No address has a name like this. */
function memberName(member: Rank): string {
  return `member ${member}`;
}

/**
 * CPU time of what is read from addresses that are no member's, in ms. The order in which parts of handshakes are
 * read, and what strangers send after them: one part in each turn of the event loop, so that what members send is
 * read between them. Parts from the addresses of members come first. Those of all other addresses together have a
 * bounded CPU time, in which the addresses take turns.
 */
export const STRANGER_CPU_MS = { most: 250, perSecond: 250 };

/** A part of what was sent that waits to be read. */
interface Part {
  readonly address: string;
  readonly isOver: () => boolean;
  readonly read: () => void;
  /** Receives the CPU time that it took, in ms. */
  readonly took: (cpuMs: number) => void;
}

interface HandshakeHooks {
  readonly isMemberAt: (address: string) => boolean;
  /** In ms. */
  readonly now: () => number;
  /** The CPU time that this thread has used, in ms. */
  readonly cpuMs: () => number;
}

const ALL = 'strangers';

export class HandshakeTurns {
  readonly #hooks: HandshakeHooks;
  readonly #time: Buckets;
  readonly #ofMembers: Part[] = [];
  /** By address, in the order of their turns. None is empty. */
  readonly #ofStrangers = new Map<string, Part[]>();
  #isScheduled = false;
  /** Whether parts of strangers wait for CPU time. */
  #isWaiting = false;

  constructor(hooks: HandshakeHooks) {
    this.#hooks = hooks;
    this.#time = new Buckets(STRANGER_CPU_MS, hooks.now);
  }

  /** Reads the part when it is its turn, unless its connection is over by then. */
  push(part: Part): void {
    const { address } = part;
    if (this.#hooks.isMemberAt(address)) this.#ofMembers.push(part);
    else {
      const parts = this.#ofStrangers.get(address) ?? [];
      parts.push(part);
      this.#ofStrangers.set(address, parts);
    }
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#readOne();
    });
  }

  /** A part of a member that comes meanwhile does not wait. */
  #scheduleIn(waitMs: number): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    setTimeout(() => {
      this.#isWaiting = false;
      this.#schedule();
    }, waitMs).unref();
  }

  #readOne(): void {
    const mayRead = this.#time.waitMs(ALL) === 0;
    const part = taken(this.#ofMembers) ?? (mayRead ? this.#ofNextStranger() : undefined);
    if (part !== undefined) this.#read(part);
    const waitMs = this.#time.waitMs(ALL);
    if (this.#ofMembers.length > 0) this.#schedule();
    else if (this.#ofStrangers.size > 0 && waitMs > 0) this.#scheduleIn(waitMs);
    else if (this.#ofStrangers.size > 0) this.#schedule();
  }

  #read({ address, read, took }: Part): void {
    const { cpuMs, isMemberAt } = this.#hooks;
    const before = cpuMs();
    read();
    const used = cpuMs() - before;
    took(used);
    if (!isMemberAt(address)) this.#time.owe(ALL, used);
  }

  #ofNextStranger(): Part | undefined {
    for (const [address, parts] of this.#ofStrangers) {
      const part = taken(parts);
      this.#ofStrangers.delete(address);
      if (parts.length > 0) this.#ofStrangers.set(address, parts);
      if (part !== undefined) return part;
    }
    return undefined;
  }
}

/** Takes the first part whose connection is not over. */
function taken(parts: Part[]): Part | undefined {
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    if (!part.isOver()) return part;
  }
  return undefined;
}
