/**
 * @module
 * Connections that are only held open, or that are opened in large numbers: they exclude no member.
 */

import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Rank } from '../../../../src/election/machine.ts';
import {
  ANONYMOUS_MAX,
  CONNECTIONS_MAX,
  Connections,
  MEMBER_CONNECTIONS_MAX,
  NEW_CONNECTIONS,
} from '../../../../src/runtime/live/transport/connections.ts';

const rank = (name: string) => name as string as Rank;

/** A connection as far as it is looked at. */
class PlayedSocket extends EventEmitter {
  readonly remoteAddress: string;
  readonly remotePort: number;
  isClosed = false;

  constructor(address: string, port: number) {
    super();
    this.remoteAddress = address;
    this.remotePort = port;
  }

  destroy() {
    this.isClosed = true;
  }
}

/** A server to which sockets connect, and members that certificates show. `now` rises by a second per connection. */
function served({ isTls = true } = {}) {
  const clock = { now: 0 };
  const server = new EventEmitter();
  const shown = new Map<unknown, Rank>();
  const identityOf = (socket: Duplex) => (isTls ? (shown.get(socket) ?? null) : undefined);
  const connections = new Connections({ identityOf }, () => clock.now);
  // It uses only the events of the server.
  connections.limit(server as Server);
  let port = 0;
  const connect = (address: string, { member = null as Rank | null, waitMs = 1_000 } = {}) => {
    clock.now += waitMs;
    port += 1;
    const socket = new PlayedSocket(address, port);
    server.emit('connection', socket);
    if (member !== null) shown.set(socket, member);
    if (isTls && !socket.isClosed) server.emit('secureConnection', socket);
    return socket;
  };
  // It looks at the address and the port alone.
  const of = (socket: PlayedSocket) => socket as unknown as Duplex;
  return { connections, connect, of };
}

describe('the connections of a node', () => {
  it('of an address are bounded; a new one closes the anonymous one that was unused longest', () => {
    const { connections, connect, of } = served();
    const member = connect('a', { member: rank('aa') });
    const first = connect('a');
    const second = connect('a');
    const elsewhere = connect('b');
    for (let more = 2; more < ANONYMOUS_MAX; more += 1) connect('a');
    connections.payerOf(of(first));

    connect('a');

    expect([member, first, second, elsewhere].map(({ isClosed }) => isClosed)).toEqual([
      ...[false, false, true, false],
    ]);
  });

  it('are bounded together, and leave a place for every member', () => {
    const { connect } = served();
    const members = Array.from({ length: 100 }, (_, index) =>
      connect('a', { member: rank(`member ${index}`) }),
    );
    const idle = Array.from({ length: 2 * CONNECTIONS_MAX }, (_, index) =>
      connect(`host ${index}`),
    );

    const late = connect('a', { member: rank('late') });

    expect([...members, late].some(({ isClosed }) => isClosed)).toBe(false);
    expect(idle.filter(({ isClosed }) => !isClosed)).toHaveLength(CONNECTIONS_MAX - 101);
  });

  it('of a member are bounded; a new one closes the one that it has not used for the longest time', () => {
    const { connect } = served();
    const own = Array.from({ length: MEMBER_CONNECTIONS_MAX + 1 }, () =>
      connect('a', { member: rank('aa') }),
    );
    const other = connect('a', { member: rank('bb') });

    expect(own.map(({ isClosed }) => isClosed)).toEqual([
      true,
      ...Array.from({ length: MEMBER_CONNECTIONS_MAX }, () => false),
    ]);
    expect(other.isClosed).toBe(false);
  });

  it('of an address are refused if there are many new ones at once', () => {
    const { connect } = served();
    const at = (waitMs: number) => connect('a', { waitMs }).isClosed;
    const many = Array.from({ length: NEW_CONNECTIONS.most + 1 }, () => at(0));

    expect(many.indexOf(true)).toBe(NEW_CONNECTIONS.most);
    expect(connect('b', { waitMs: 0 }).isClosed).toBe(false);
    expect(at(1_000)).toBe(false);
  });
});

describe('who pays', () => {
  it('is the member that a certificate shows, and otherwise the address', () => {
    const { connections, connect, of } = served();
    const member = connect('a', { member: rank('aa') });
    const anonymous = connect('a');
    connections.prove(of(anonymous), rank('aa'));

    expect(connections.payerOf(of(member))).toEqual({ member: 'aa' });
    expect(connections.payerOf(of(anonymous))).toEqual({ address: 'a' });
  });

  it('is without TLS the member whose signed message a connection has brought', () => {
    const { connections, connect, of } = served({ isTls: false });
    const [one, other] = [connect('a'), connect('a')];
    connections.prove(of(one), rank('aa'));
    connections.prove(of(one), rank('bb'));

    expect(connections.payerOf(of(one))).toEqual({ member: 'aa' });
    expect(connections.payerOf(of(other))).toEqual({ address: 'a' });
  });
});
