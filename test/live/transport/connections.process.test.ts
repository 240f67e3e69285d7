/**
 * @module
 * Connections that are only held open, or that are opened in large numbers: they exclude no member.
 */

import { EventEmitter } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';

import { describe, expect, it } from 'vitest';

import type { Rank } from '../../../src/election/machine.ts';
import {
  ANONYMOUS_MAX,
  CONNECTIONS_MAX,
  Connections,
  HandshakeTurns,
  MEMBER_CONNECTIONS_MAX,
  NEW_CONNECTIONS,
  NEW_STRANGERS,
  STRANGER_CPU_MS,
} from '../../../src/live/transport/connections.ts';
import { until } from '../network.ts';

const rank = (name: string) => name as string as Rank;

/** Addresses of members. All others are of strangers. */
const MEMBERS_AT: ReadonlySet<string> = new Set(['a', 'b']);

/** A connection as far as it is looked at. */
class PlayedSocket extends EventEmitter {
  readonly remoteAddress: string;
  isClosed = false;

  constructor(address: string) {
    super();
    this.remoteAddress = address;
  }

  destroy() {
    this.isClosed = true;
    this.emit('close');
  }

  pause() {}

  resume() {}
}

/** A server to which sockets connect, and members that certificates show. `now` rises by a second per connection. */
function served({ isTls = true } = {}) {
  const clock = { now: 0, cpuMs: 0 };
  const server = new EventEmitter();
  const shown = new Map<unknown, Rank>();
  const identityOf = (socket: Duplex) => (isTls ? (shown.get(socket) ?? null) : undefined);
  /** What TLS reads, and what it is below of. */
  const secured: { readonly below: Duplex; readonly above: EventEmitter }[] = [];
  const secure = (below: Duplex) => {
    const above = Object.assign(new EventEmitter(), { destroy: () => below.destroy() });
    secured.push({ below, above });
    return above as unknown as TLSSocket; // It uses nothing else.
  };
  const connections = new Connections(
    { identityOf, secure: isTls ? secure : null },
    { now: () => clock.now, cpuMs: () => clock.cpuMs, membersAt: () => MEMBERS_AT },
  );
  // It uses only the events of the server.
  connections.limit(server as Server);
  const requestsOf = new Map<PlayedSocket, unknown>();
  const connect = (address: string, { member = null as Rank | null, waitMs = 1_000 } = {}) => {
    clock.now += waitMs;
    const socket = new PlayedSocket(address);
    server.emit('connection', socket);
    const above = isTls && !socket.isClosed ? secured.at(-1)?.above : socket;
    requestsOf.set(socket, above);
    if (member !== null) shown.set(above, member);
    above?.emit('secure');
    return socket;
  };
  // It looks up what it was given.
  const of = (socket: PlayedSocket) => requestsOf.get(socket) as Duplex;
  return { clock, server, secured, connections, connect, of };
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

describe('handshakes', () => {
  /** A connection that sends an answer to the first flight. Reading it takes this CPU time. */
  async function shaken(
    { clock, server, secured }: ReturnType<typeof served>,
    address: string,
    { cpuMs = 0, isFinished = false } = {},
  ) {
    const socket = new PlayedSocket(address);
    server.emit('connection', socket);
    const { below, above } = secured.at(-1) ?? {};
    let isRead = false;
    below?.on('data', () => {
      isRead = true;
      clock.cpuMs += cpuMs;
      if (isFinished) above?.emit('secure');
    });
    socket.emit('data', Buffer.from('certificates'));
    await new Promise((resolve) => setTimeout(resolve));
    return { isRead, isClosed: socket.isClosed };
  }

  it('that take long use up what their address can open, and not that of others', async () => {
    const network = served();
    const cpuMs = 10_000;

    const first = await shaken(network, 'a', { cpuMs });
    const second = await shaken(network, 'a', { cpuMs });
    const other = await shaken(network, 'b', { cpuMs });
    const open = network.connect('a', { waitMs: 0 });

    expect(first).toEqual({ isRead: true, isClosed: false });
    expect(second).toEqual({ isRead: false, isClosed: true });
    expect(other).toEqual(first);
    expect(open.isClosed).toBe(true);
  });

  it('happen one in each turn of the event loop', async () => {
    const { server, secured } = served();
    const read: number[] = [];
    const turns = { passed: 0 };
    for (const address of ['a', 'b', 'c']) {
      const socket = new PlayedSocket(address);
      server.emit('connection', socket);
      secured.at(-1)?.below.on('data', () => read.push(turns.passed));
      socket.emit('data', Buffer.from('hello'));
    }

    for (; turns.passed < 5; turns.passed += 1) await new Promise(setImmediate);

    expect(new Set(read).size).toBe(3);
  });
});

describe('what is read after the handshake', () => {
  const turn = () => new Promise((resolve) => setTimeout(resolve));
  /** Sends some pieces over a connection, of which TLS takes this CPU time each. Returns how many it has read. */
  async function sent(network: ReturnType<typeof served>, socket: PlayedSocket, cpuMs: number) {
    const { below } = network.secured.at(-1) ?? {};
    let read = 0;
    below?.on('data', () => {
      network.clock.cpuMs += cpuMs;
      read += 1;
    });
    await turn();
    for (let piece = 0; piece < 10; piece += 1) {
      socket.emit('data', Buffer.from('a small record'));
      await turn();
    }
    return read;
  }
  /** CPU time of a quarter of what an address can open. */
  const cpuMs = NEW_CONNECTIONS.most;

  it.each([
    ['an address', 'a', null],
    ['a member', 'a', rank('aa')],
  ])('of %s is paid for with the connections that it can open', async (_who, address, member) => {
    const network = served();
    const socket = network.connect(address, { member });

    const read = await sent(network, socket, cpuMs);

    expect(read).toBe(4);
    expect(socket.isClosed).toBe(true);
    expect(network.connect(address, { member, waitMs: 0 }).isClosed).toBe(true);
    expect(network.connect('b', { waitMs: 0 }).isClosed).toBe(false);
  });

  it('costs nothing while it takes little time', async () => {
    const network = served();
    const socket = network.connect('a', { member: rank('aa') });

    expect(await sent(network, socket, 0.1)).toBe(10);
    expect(socket.isClosed).toBe(false);
  });

  it('waits its turn if it is of a stranger, and is read at once if it is of a member', async () => {
    const network = served();
    const read: string[] = [];
    const connected = (address: string, member: Rank | null) => {
      const socket = network.connect(address, { member });
      network.secured.at(-1)?.below.on('data', () => read.push(address));
      return socket;
    };
    const sockets = [connected('stranger', null), connected('a', rank('aa'))];
    await turn();

    for (const socket of sockets) socket.emit('data', Buffer.from('a small record'));

    expect(read).toEqual(['a']);
  });
});

describe('a body in chunks', () => {
  it('closes the other connections of its address without TLS, which can open none for some seconds', () => {
    const { connections, connect, of } = served({ isTls: false });
    const listener = connections.oneByOne(() => undefined);
    const [one, two, other] = [connect('a'), connect('a'), connect('b')];
    const headers = { 'transfer-encoding': 'chunked' };
    // It uses nothing else.
    const incoming = { socket: of(one), headers } as unknown as IncomingMessage;

    listener(incoming, new EventEmitter() as ServerResponse);

    expect([one, two, other].map(({ isClosed }) => isClosed)).toEqual([false, true, false]);
    expect(connect('a', { waitMs: 0 }).isClosed).toBe(true);
    expect(connect('a', { waitMs: 8_000 }).isClosed).toBe(false);
    expect(connect('b', { waitMs: 0 }).isClosed).toBe(false);
  });
});

describe('strangers', () => {
  it('of many addresses can open few new connections together, and members theirs beside them', () => {
    const { connect } = served();
    const strangers = Array.from({ length: NEW_STRANGERS.most + 1 }, (_, index) =>
      connect(`stranger ${index}`, { waitMs: 0 }),
    );

    const members = [connect('a', { waitMs: 0 }), connect('b', { waitMs: 0 })];
    const later = connect('stranger', { waitMs: 1_000 });

    expect(strangers.findIndex(({ isClosed }) => isClosed)).toBe(NEW_STRANGERS.most);
    expect([...members, later].map(({ isClosed }) => isClosed)).toEqual([false, false, false]);
  });

  it('become known by the identity of a member that they show', () => {
    const { connect } = served();
    connect('known', { member: rank('aa') });
    for (let more = 0; more < NEW_STRANGERS.most; more += 1) {
      connect(`stranger ${more}`, { waitMs: 0 });
    }

    expect(connect('stranger', { waitMs: 0 }).isClosed).toBe(true);
    expect(connect('known', { waitMs: 0 }).isClosed).toBe(false);
  });
});

describe('the turns of handshakes', () => {
  /** Reads what is pushed. Each part takes this CPU time. */
  function turnsOf(partMs: number) {
    const clock = { now: 0, cpuMs: 0 };
    const read: string[] = [];
    const turns = new HandshakeTurns({
      isMemberAt: (address) => MEMBERS_AT.has(address),
      now: () => clock.now,
      cpuMs: () => clock.cpuMs,
    });
    const push = (address: string, isOver = false) =>
      turns.push({
        ...{ address, isOver: () => isOver, took: () => undefined },
        read: () => {
          clock.cpuMs += partMs;
          read.push(address);
        },
      });
    const pass = async (times: number) => {
      for (let turn = 0; turn < times; turn += 1) await new Promise(setImmediate);
    };
    return { clock, read, push, pass };
  }

  it('are first those of members, then those of strangers by address, without what is over', async () => {
    const { read, push, pass } = turnsOf(0);
    for (const address of ['x', 'x', 'x', 'y', 'a']) push(address);
    push('z', true);

    await pass(8);

    expect(read).toEqual(['a', 'x', 'y', 'x', 'x']);
  });

  it('of strangers together have a bounded CPU time, and members do not wait for it', async () => {
    const { clock, read, push, pass } = turnsOf(STRANGER_CPU_MS.most / 4);
    for (let more = 0; more < 8; more += 1) push(`stranger ${more}`);
    await pass(8);
    const before = read.length;

    push('a');
    await pass(2);
    const after = read.slice(before);
    clock.now += 1_000;
    await until('the rest is read', () => read.length === 9);

    expect([before, after]).toEqual([4, ['a']]);
  });
});

describe('a request before the answer to the last one', () => {
  it('closes all connections of its member, which can open none for some seconds', () => {
    const { connections, connect, of } = served();
    const member = { member: rank('aa') };
    const [one, two] = [connect('a', member), connect('b', member)];
    const others = [connect('a', { member: rank('bb') }), connect('a')];
    let answered = 0;
    const listener = connections.oneByOne(() => {
      answered += 1;
    });
    const request = () => {
      const incoming = { socket: of(one), headers: {} } as unknown as IncomingMessage;
      const outgoing = Object.assign(new EventEmitter(), { writableEnded: false });
      listener(incoming, outgoing as unknown as ServerResponse); // It uses nothing else.
    };

    request();
    request();

    expect(answered).toBe(1);
    expect([one, two].map(({ isClosed }) => isClosed)).toEqual([true, true]);
    expect(others.map(({ isClosed }) => isClosed)).toEqual([false, false]);
    expect(connect('a', { ...member, waitMs: 0 }).isClosed).toBe(true);
    expect(connect('a', { ...member, waitMs: 8_000 }).isClosed).toBe(false);
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
