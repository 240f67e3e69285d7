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
import type { Rank } from '../../../election/machine.ts';
import type { Transport } from './transport.ts';
import type { Payer } from './work-budget.ts';
import { Buckets, payingAddress } from './work-budget.ts';

/** Connections of one node at the same time. */
export const CONNECTIONS_MAX = 1_024;
/** Anonymous connections of one address: all peers can be on one machine. */
export const ANONYMOUS_MAX = 320;
/** Connections of one member, which uses one. */
export const MEMBER_CONNECTIONS_MAX = 4;
/** New connections of one address. A handshake of TLS takes more than a millisecond. */
export const NEW_CONNECTIONS = { most: 256, perSecond: 64 };
/** What a burst of requests uses up: the next connection is accepted after some seconds. */
const BURST_COST = 2 * NEW_CONNECTIONS.most;

/** Bytes of a body that is read although the request was answered. */
const UNREAD_MAX = 4_096;
/** Time for the answer to arrive before the connection is closed. */
const CLOSING_MS = 100;

interface Connection {
  readonly socket: Socket;
  readonly address: string;
  member: Rank | null;
}

export class Connections {
  readonly #identityOf: Transport['identityOf'];
  readonly #new: Buckets;
  #isClosed = false;
  /** The last request of each connection. */
  readonly #answers = new WeakMap<Duplex, ServerResponse>();
  /** By remote address and port, the last used last. With TLS, requests have another socket than the connection. */
  readonly #open = new Map<string, Connection>();

  /** `now` is in ms. */
  constructor({ identityOf }: Pick<Transport, 'identityOf'>, now: () => number) {
    this.#identityOf = identityOf;
    this.#new = new Buckets(NEW_CONNECTIONS, now);
  }

  /** Limits the connections of a server that does not listen yet. */
  limit(server: Server): void {
    server.prependListener('connection', (socket: Socket) => this.#accept(socket));
    server.on('secureConnection', (socket: Socket) => void this.payerOf(socket));
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
      outgoing.once('finish', () => closeIfUnread(incoming));
      listener(incoming, outgoing);
    };
  }

  /** Who pays for a request over this connection. */
  payerOf(socket: Duplex): Payer {
    const name = nameOf(socket);
    const connection = this.#open.get(name);
    if (connection === undefined) return { address: '' };
    this.#open.delete(name);
    this.#open.set(name, connection);
    const shown = connection.member ?? this.#identityOf(socket) ?? null;
    if (shown === null) return { address: connection.address };
    if (connection.member === null) this.#assign(connection, shown);
    return { member: shown };
  }

  /** Notes that a connection without TLS has brought a message that only this member can have signed. */
  prove(socket: Duplex, member: Rank): void {
    const connection = this.#open.get(nameOf(socket));
    const isAnonymous = connection?.member === null && this.#identityOf(socket) === undefined;
    if (connection !== undefined && isAnonymous) this.#assign(connection, member);
  }

  /** Closes all, also those whose handshake is not over, and every new one. */
  close(): void {
    this.#isClosed = true;
    for (const { socket } of this.#open.values()) socket.destroy();
  }

  #accept(socket: Socket): void {
    const { remoteAddress } = socket;
    // It can be over already.
    const address = remoteAddress === undefined ? null : payingAddress(remoteAddress);
    const isWelcome = address !== null && !this.#isClosed && this.#new.take(address, 1);
    if (!isWelcome || !this.#hasRoomFor(address)) {
      socket.destroy();
      return;
    }
    const name = nameOf(socket);
    const connection = { socket, address, member: null };
    this.#open.set(name, connection);
    socket.once('close', () => {
      if (this.#open.get(name) === connection) this.#open.delete(name);
    });
  }

  /** Closes anonymous connections that are one too many. False if only members are connected. */
  #hasRoomFor(address: string): boolean {
    const isAnonymous = ({ member }: Connection) => member === null;
    this.#keep(ANONYMOUS_MAX - 1, (each) => isAnonymous(each) && each.address === address);
    if (this.#open.size >= CONNECTIONS_MAX) {
      const anonymous = [...this.#open.values()].filter(isAnonymous).length;
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
    if (!this.#new.take(memberName(member), 1)) connection.socket.destroy();
    this.#keep(MEMBER_CONNECTIONS_MAX, (each) => each.member === member);
  }

  /** Closes the longest unused of these connections, until `most` are left. */
  #keep(most: number, isOne: (connection: Connection) => boolean): void {
    const all = [...this.#open].filter(([, connection]) => isOne(connection));
    for (const [name, { socket }] of all.slice(0, Math.max(0, all.length - most))) {
      this.#open.delete(name);
      socket.destroy();
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

/** No address has a name like this. */
function memberName(member: Rank): string {
  return `member ${member}`;
}

/** Remote address and port, which no two connections share. */
function nameOf(socket: Duplex): string {
  // Sockets of TCP and TLS have both.
  const { remoteAddress = '', remotePort = 0 } = socket as Socket;
  return `${remoteAddress} ${remotePort}`;
}
