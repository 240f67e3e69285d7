/**
 * @module
 * The turns of short work, and reading in pieces: the work of one client does not wait for all work of another.
 */

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, Socket } from 'node:net';

import { afterAll, describe, expect, it } from 'vitest';

import { FairTurns, TURN_MS } from '../../../server/callers/address-budgets.ts';
import { HEAD_CHUNKS_MAX, Reading, UNREAD_CHUNKS_MAX } from '../../../server/socket/reading.ts';

/** Turns whose work takes as long as it says. */
function turnsUnderTest() {
  const clock = { now: 0 };
  const turns = new FairTurns(() => clock.now);
  const done: string[] = [];
  const work = (name: string, ms = 0, isPreferred = false) =>
    turns.run({ name, isPreferred }, () => {
      clock.now += ms;
      done.push(name);
    });
  return { turns, done, work };
}

describe('work', () => {
  it('is done at once while its turn has time', () => {
    const { done, work } = turnsUnderTest();

    work('a');
    work('b', TURN_MS);
    work('c');

    expect(done).toEqual(['a', 'b']);
  });

  it('of one client waits for one piece of each other client, however much these have', async () => {
    const { turns, done, work } = turnsUnderTest();
    for (let piece = 0; piece < 50; piece += 1) {
      work('flood', TURN_MS);
      work('other flood', TURN_MS);
    }
    work('operator', TURN_MS);
    const before = done.length;

    while (!done.includes('operator')) await new Promise(setImmediate);

    expect(done.slice(before).length).toBeLessThanOrEqual(3);
    while (turns.waiting > 0) await new Promise(setImmediate);
    expect(done).toHaveLength(101);
  });
});

describe('work of a preferred line', () => {
  it('waits for one piece of all others, however many lines these are, and alternates with them', async () => {
    const { turns, done, work } = turnsUnderTest();
    for (let line = 0; line < 20; line += 1) work(`stranger ${line}`, TURN_MS);
    for (let piece = 0; piece < 3; piece += 1) work('operator', TURN_MS, true);
    const before = done.length;

    while (turns.waiting > 0) await new Promise(setImmediate);

    const first = done.slice(before, before + 6);
    expect(first.filter((name) => name === 'operator')).toHaveLength(3);
    expect(first[0] === 'operator' || first[1] === 'operator').toBe(true);
  });
});

describe('a connection', () => {
  const servers: ReturnType<typeof createServer>[] = [];
  afterAll(() => {
    for (const server of servers) server.close();
  });

  /** A connection that is read in pieces, and its other end. */
  async function reading() {
    const turns = new FairTurns();
    const reader = new Reading(turns);
    const server = createServer((socket) => reader.start(socket, '127.0.0.1'));
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    // A TCP server has an address with a port.
    const { port } = server.address() as AddressInfo;
    const accepted = once(server, 'connection');
    const client = connect(port, '127.0.0.1');
    const [socket]: Socket[] = await accepted;
    if (socket === undefined) throw new Error('none');
    return { client, socket, reader };
  }

  it('is read in small pieces while it begins requests, and whole', async () => {
    const { client, socket, reader } = await reading();
    const pieces: Buffer[] = [];
    socket.on('data', (piece: Buffer) => {
      reader.note(socket, { complete: false });
      pieces.push(piece);
    });
    const sent = Buffer.from('0123456789'.repeat(20_000));

    client.end(sent);
    await once(socket, 'end');

    expect(Buffer.concat(pieces).equals(sent)).toBe(true);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(256);
  });

  it('is not read while it is paused, and whole afterwards', async () => {
    const { client, socket } = await reading();
    let received = 0;
    socket.on('data', ({ length }: Buffer) => {
      received += length;
      if (received < 5_000) socket.pause();
    });

    client.end(Buffer.alloc(300_000));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const before = received;
    while (received < 5_000) {
      socket.resume();
      await new Promise(setImmediate);
    }
    await once(socket, 'end');

    expect(before).toBeLessThan(5_000);
    expect(received).toBe(300_000);
  });
});

/** Connections that receive chunks at once, as those of TLS do, before any of them has its turn. */
function chunksUnderTest() {
  const clock = { now: 0 };
  const turns = new FairTurns(() => clock.now);
  const reader = new Reading(turns);
  const connection = () => {
    const socket = new Socket();
    const parsed: string[] = [];
    reader.start(socket, '10.0.0.1');
    socket.on('data', (piece: Buffer) => parsed.push(String(piece)));
    /** Returns how many chunks have arrived before the connection was closed. */
    const receive = (chunks: number): number => {
      for (let count = 0; count < chunks; count += 1) {
        if (socket.destroyed) return count;
        socket.push(Buffer.from('a'));
      }
      return chunks;
    };
    return { socket, parsed, receive };
  };
  /** Uses up the turn, so that everything waits for the next one. */
  const spend = () => turns.run({ name: 'work', isPreferred: false }, () => (clock.now += TURN_MS));
  return { turns, reader, connection, spend };
}

describe('chunks that arrive at once', () => {
  it('are parsed in pieces that join them', async () => {
    const { turns, connection, spend } = chunksUnderTest();
    const { parsed, receive } = connection();
    spend();

    expect(receive(50)).toBe(50);
    while (turns.waiting > 0) await new Promise(setImmediate);

    expect(parsed).toEqual(['a'.repeat(50)]);
  });

  it('close the connection of a stranger if they are many, and nothing is kept', () => {
    const { reader, connection, spend } = chunksUnderTest();
    const { socket, receive } = connection();
    spend();

    expect(receive(3_000)).toBe(UNREAD_CHUNKS_MAX.stranger + 1);
    expect(socket.destroyed).toBe(true);
    expect(reader.unread).toBe(0);
  });

  it('are examined once for a first request, which can have a known token', async () => {
    const { reader, connection, spend } = chunksUnderTest();
    const { socket, parsed, receive } = connection();
    // It flows from the next turn of the event loop on.
    await new Promise(setImmediate);
    socket.once('data', () => {
      reader.note(socket, { complete: false });
      reader.moveTo(socket, { name: 'caller owner', isPreferred: true });
    });
    spend();

    expect(receive(1_000)).toBe(1_000);
    expect(parsed).toHaveLength(1);
  });

  it('of many strangers are limited together, and those of known callers are not among them', () => {
    const { reader, connection, spend } = chunksUnderTest();
    const { stranger, together, spared } = UNREAD_CHUNKS_MAX;
    spend();
    const first = together / stranger;
    const received = Array.from({ length: first + 9 }, () => connection().receive(stranger));
    const [small, known] = [connection(), connection()];
    reader.moveTo(known.socket, { name: 'caller owner', isPreferred: true });

    expect(received.slice(0, first)).toEqual(Array(first).fill(stranger));
    expect(received.slice(first)).toEqual(Array(9).fill(spared + 1));
    expect(small.receive(spared)).toBe(spared);
    expect(known.receive(stranger * 2)).toBe(stranger * 2);
    expect(reader.unread).toBe(together + spared + stranger * 2);
  });

  it('of one known caller are limited', () => {
    const { reader, connection, spend } = chunksUnderTest();
    spend();
    const { socket, receive } = connection();
    reader.moveTo(socket, { name: 'caller student', isPreferred: true });

    expect(receive(10_000)).toBe(UNREAD_CHUNKS_MAX.together + 1);
  });
});

describe('the head of a request', () => {
  /** Sends single bytes, each after the one before it was parsed. Returns how many were taken. */
  function trickled(begin: (reader: Reading, socket: Socket) => void): number {
    const { reader, connection } = chunksUnderTest();
    const { socket, receive } = connection();
    begin(reader, socket);
    let count = 0;
    while (count < 200 && receive(1) === 1) count += 1;
    return count;
  }

  it('that a stranger sends in many chunks closes the connection', () => {
    expect(trickled(() => undefined)).toBe(HEAD_CHUNKS_MAX + 1);
    expect(trickled((reader, socket) => reader.note(socket, { complete: true }))).toBe(
      HEAD_CHUNKS_MAX + 1,
    );
  });

  it('may come in any number of chunks from a known caller, and so may a body', () => {
    const line = { name: 'caller owner', isPreferred: true };

    expect(trickled((reader, socket) => reader.moveTo(socket, line))).toBe(200);
    expect(trickled((reader, socket) => reader.note(socket, { complete: false }))).toBe(200);
  });
});
