/**
 * @module
 * One connection to Redis, in its protocol RESP2. A general client trusts the server: it makes room for as many members as
 * an answer says it has. Scripts of the store answer with a value, or with a flat list of few.
 */

import querystring from 'node:querystring';
import { malformedAnswer, StoreAway } from './live-store.ts';
import type { ServerAddress, Taken } from './wire.ts';
import { Wire } from './wire.ts';

type Value = string | number | null | RedisError;
export type RedisReply = Value | readonly Value[];

/** An answer that refuses a command. */
export class RedisError {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** Where a Redis is, and how to use it. */
export interface RedisLocation extends ServerAddress {
  /** What AUTH takes; empty without a password. */
  readonly credentials: readonly string[];
  readonly database: string;
}

const STANDARD_PORT = 6379;
const LIST_LENGTH_MAX = 16;
const ERROR_CHARACTERS_MAX = 200;

/** Reads `redis://user:password@host:port/database`. */
export function redisLocation(url: string): RedisLocation {
  const { hostname, port, username, password, pathname } = new URL(url);
  const credentials = [username, password].filter((each) => each !== '').map(querystring.unescape);
  return {
    host: hostname.replace(/^\[|\]$/g, '') || '127.0.0.1',
    port: port === '' ? STANDARD_PORT : Number(port),
    ...{ credentials, database: pathname.replace(/^\//, '') || '0' },
  };
}

export class RedisLink {
  readonly #wire: Wire<RedisReply>;

  /** Connects. Throws `StoreAway`. */
  static async open(location: RedisLocation, store: string, answerMs: number): Promise<RedisLink> {
    const take = (received: Buffer) => takeReply(received, store);
    const wire = new Wire({ store, address: location, answerMs, take });
    const link = new RedisLink(wire);
    const { credentials, database } = location;
    const greeting = [
      ...(credentials.length > 0 ? [['AUTH', ...credentials]] : []),
      ...(database === '0' ? [] : [['SELECT', database]]),
      ['PING'],
    ];
    try {
      for (const command of greeting) {
        const reply = await link.ask(command);
        if (reply instanceof RedisError) throw new StoreAway(reply.message);
      }
      return link;
    } catch (error) {
      link.close();
      throw error;
    }
  }

  private constructor(wire: Wire<RedisReply>) {
    this.#wire = wire;
  }

  get isOpen(): boolean {
    return this.#wire.isOpen;
  }

  ask(command: readonly (string | number)[]): Promise<RedisReply> {
    const words = command.map((word) => {
      const text = String(word);
      return `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
    });
    return this.#wire.ask(Buffer.from(`*${words.length}\r\n${words.join('')}`));
  }

  close(): void {
    this.#wire.close();
  }
}

/** The reply at the beginning; null if its end is missing. Throws `StoreMalformed`. */
export function takeReply(received: Buffer, store: string): Taken<RedisReply> | null {
  const reader = new ReplyReader(received, store);
  const answer = reader.reply();
  return answer === undefined ? null : { answer, bytes: reader.at };
}

/** Each method returns undefined if the end is missing. */
class ReplyReader {
  readonly #bytes: Buffer;
  readonly #store: string;
  at = 0;

  constructor(bytes: Buffer, store: string) {
    this.#bytes = bytes;
    this.#store = store;
  }

  reply(): RedisReply | undefined {
    if (this.#bytes[this.at] !== '*'.charCodeAt(0)) return this.#value();
    const line = this.#line();
    if (line === undefined) return undefined;
    const length = this.#number(line.slice(1));
    if (length < 0) return null;
    if (length > LIST_LENGTH_MAX) throw this.#malformed(`a list of ${length}`);
    const values: Value[] = [];
    while (values.length < length) {
      const value = this.#value();
      if (value === undefined) return undefined;
      values.push(value);
    }
    return values;
  }

  #value(): Value | undefined {
    const line = this.#line();
    if (line === undefined) return undefined;
    const rest = line.slice(1);
    switch (line[0]) {
      case '+':
        return rest;
      case '-':
        return new RedisError(rest.slice(0, ERROR_CHARACTERS_MAX));
      case ':':
        return this.#number(rest);
      case '$':
        return this.#text(this.#number(rest));
      default:
        throw this.#malformed('no reply of its protocol');
    }
  }

  /** The text of this many bytes that comes next; null of a negative number. */
  #text(length: number): string | null | undefined {
    if (length < 0) return null;
    const end = this.at + length;
    if (this.#bytes.length < end + 2) return undefined;
    const text = this.#bytes.toString('utf8', this.at, end);
    this.at = end + 2;
    return text;
  }

  #line(): string | undefined {
    const end = this.#bytes.indexOf('\r\n', this.at);
    if (end === -1) return undefined;
    const line = this.#bytes.toString('utf8', this.at, end);
    this.at = end + 2;
    return line;
  }

  #number(text: string): number {
    if (!/^-?\d{1,19}$/.test(text)) throw this.#malformed('no number where it has one');
    return Number(text);
  }

  #malformed(why: string): Error {
    return malformedAnswer(this.#store, why);
  }
}
