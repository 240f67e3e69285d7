/**
 * @module
 * Limits the connections to a live node, so that those that are only held open exclude no member. A new one above a
 * limit closes the one that has sent nothing for the longest time, and never that of another member. A connection is
 * anonymous until it has shown that it is a member's: by its certificate, or without TLS by a message that only the
 * member can have signed.
 */

import type { Server } from 'node:http';
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

interface Connection {
  readonly socket: Socket;
  readonly address: string;
  member: Rank | null;
}

export class Connections {
  readonly #identityOf: Transport['identityOf'];
  readonly #new: Buckets;
  #isClosed = false;
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

  #assign(connection: Connection, member: Rank): void {
    connection.member = member;
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

/** Remote address and port, which no two connections share. */
function nameOf(socket: Duplex): string {
  // Sockets of TCP and TLS have both.
  const { remoteAddress = '', remotePort = 0 } = socket as Socket;
  return `${remoteAddress} ${remotePort}`;
}
