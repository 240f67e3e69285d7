/**
 * @module
 * Servers that answer like an empty Redis, etcd or ZooKeeper until they are given another answer.
 */

import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer } from 'node:net';

import { bytesOf, FAULT, framed, OPERATION } from '../../../src/live/stores/zookeeper-link.ts';

/** The answer to a request: some bytes, also by the request, or one that does not end. */
type Given = Buffer | string | 'endless' | ((request: Buffer) => Buffer);
export const SERVED = ['redis', 'etcd', 'zookeeper'] as const;
export type Served = (typeof SERVED)[number];

export interface HostileServer {
  readonly address: string;
  /** What it answers to those who read; null for what an honest store answers. */
  answer: Given | null;
  close(): void;
}

/** Starts one on a free port of 127.0.0.1. */
export async function hostileServer(kind: Served): Promise<HostileServer> {
  const sockets = new Set<Socket>();
  const hostile: { answer: Given | null } = { answer: null };
  const server = kind === 'etcd' ? etcd(hostile) : connected(kind, hostile);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  return Object.assign(hostile, {
    address: `${kind}:127.0.0.1:${port}`,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  });
}

/** Clients send a request when they have the answer to the last one, so that each piece is one. */
function connected(
  kind: Exclude<Served, 'etcd'>,
  hostile: { readonly answer: Given | null },
): Server {
  return createServer((socket) => {
    let requests = 0;
    socket.on('data', (request) => {
      requests += 1;
      const isFirst = requests === 1;
      const honest = kind === 'redis' ? redisAnswer(isFirst) : zookeeperAnswer(request, isFirst);
      const isOther = isFirst || request.includes(':settings');
      const isRead = !isOther && (kind === 'redis' || request.readInt32BE(8) === OPERATION.getData);
      const answer = isRead ? (hostile.answer ?? honest) : honest;
      if (answer === 'endless') pour(socket, kind === 'redis' ? '$1000000000\r\n' : ZEROS);
      else socket.write(typeof answer === 'function' ? answer(request) : answer);
    });
  });
}

function etcd(hostile: { readonly answer: Given | null }): Server {
  return createHttpServer((incoming, outgoing) => {
    incoming.resume();
    outgoing.on('error', () => undefined);
    if (hostile.answer === 'endless') pour(outgoing, '{"header":"');
    else outgoing.end(typeof hostile.answer === 'string' ? hostile.answer : etcdAnswer(null));
  });
}

/** A packet of ZooKeeper without a byte. */
const ZEROS = Buffer.alloc(4);

/** Writes until the other side closes. */
function pour(to: NodeJS.WritableStream, head: Buffer | string): void {
  to.write(head);
  const more = () => {
    if ('destroyed' in to && to.destroyed === true) return;
    to.write('a'.repeat(64 * 1024), () => setImmediate(more));
  };
  more();
}

const NO_REDIS_CELL = '*3\r\n$1\r\n0\r\n$-1\r\n$1\r\n0\r\n';

function redisAnswer(isFirst: boolean): string {
  return isFirst ? '+PONG\r\n' : NO_REDIS_CELL;
}

/** What Redis answers to the script that reads a cell. */
export function redisCell(text: string): string {
  return `*3\r\n$1\r\n1\r\n$${text.length}\r\n${text}\r\n$1\r\n1\r\n`;
}

/** What etcd answers to a range; without a key for null. */
export function etcdAnswer(text: string | null): string {
  const value = text === null ? null : Buffer.from(text).toString('base64');
  const kvs = value === null ? [] : [{ mod_revision: '1', value }];
  return JSON.stringify({ header: { revision: '1' }, kvs });
}

function zookeeperAnswer(request: Buffer, isFirst: boolean): Buffer {
  if (isFirst) return framed(bytesOf(0, 60_000, 7n, Buffer.alloc(16)));
  const fault = request.readInt32BE(8) === OPERATION.create ? FAULT.none : FAULT.noNode;
  return framed(bytesOf(request.readInt32BE(4), 1n, fault));
}

/** What ZooKeeper answers to a request for data. */
export function zookeeperData(text: string): (request: Buffer) => Buffer {
  return (request) =>
    framed(bytesOf(request.readInt32BE(4), 1n, FAULT.none, text, Buffer.alloc(80)));
}
