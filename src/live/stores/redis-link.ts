/**
 * @module
 * One connection to Redis, with the client ioredis. The client trusts the server: it keeps an answer of any length, and makes
 * room for as many members as an answer says it has. So its socket looks at the answers first. Scripts of the store answer
 * with a value, or with a flat list of few.
 */

import { Socket } from 'node:net';
import { AbstractConnector, Redis, ReplyError } from 'ioredis';
import { ANSWER_BYTES_MAX, malformedAnswer, StoreAway, StoreMalformed } from './live-store.ts';

/** The server has refused a command. */
export class RedisRefusal extends Error {}

/** The first bytes of a list of 100 members and more. Scripts return five. */
const LONG_LIST = /\*(\d{3,})\r/;
/** Two pieces can have parts of it. */
const TAIL_CHARACTERS = 16;

/** A socket that ends the connection when an answer is too long. */
class AnswerSocket extends Socket {
  readonly #store: string;
  #left = ANSWER_BYTES_MAX;
  #tail = '';

  constructor(store: string) {
    super();
    this.#store = store;
  }

  /** One more answer may come. */
  expect(): void {
    this.#left = ANSWER_BYTES_MAX;
  }

  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    const problem = chunk === null ? null : this.#problemOf(chunk);
    if (problem === null) return super.push(chunk, encoding);
    this.destroy(problem);
    return false;
  }

  #problemOf(chunk: Buffer): StoreMalformed | null {
    this.#left -= chunk.length;
    if (this.#left < 0)
      return malformedAnswer(this.#store, `an answer of more than ${ANSWER_BYTES_MAX} bytes`);
    const text = this.#tail + chunk.toString('latin1');
    this.#tail = text.slice(-TAIL_CHARACTERS);
    const [, length] = LONG_LIST.exec(text) ?? [];
    return length === undefined ? null : malformedAnswer(this.#store, `a list of ${length}`);
  }
}

export class RedisLink {
  readonly #client: Redis;
  readonly #socket: AnswerSocket;
  #problem: StoreMalformed | null = null;
  #isLost = false;

  /** Connects. Throws `StoreAway`. */
  static async open(url: string, store: string, answerMs: number): Promise<RedisLink> {
    const link = new RedisLink(url, store, answerMs);
    try {
      await link.#client.connect();
      await link.#client.ping();
      return link;
    } catch (error) {
      link.close();
      throw link.#problem ?? new StoreAway(textOf(error));
    }
  }

  private constructor(url: string, store: string, answerMs: number) {
    const socket = new AnswerSocket(store);
    this.#socket = socket;
    this.#client = new Redis(url, {
      ...{ lazyConnect: true, connectTimeout: answerMs, commandTimeout: answerMs },
      // What cannot be sent now is lost, and the machine sends again. A lost connection is made anew by the store.
      ...{ enableOfflineQueue: false, autoResendUnfulfilledCommands: false },
      ...{ maxRetriesPerRequest: 0, retryStrategy: () => null },
      // A server that will answer later refuses commands.
      ...{ enableReadyCheck: false, disableClientInfo: true, protocol: 2 },
      Connector: connectorOf(socket),
    });
    this.#client.on('error', (error) => {
      if (error instanceof StoreMalformed) this.#problem ??= error;
      // The client has no class for it.
      if (error.message.startsWith('Unknown RESP type'))
        this.#problem ??= malformedAnswer(store, 'no reply of its protocol');
    });
  }

  get isOpen(): boolean {
    return !this.#isLost && this.#client.status === 'ready';
  }

  /** Throws `RedisRefusal` if the server refuses the command, or `StoreAway`, after which the connection is of no use. */
  async ask([name, ...args]: readonly [string, ...(string | number)[]]): Promise<unknown> {
    this.#socket.expect();
    try {
      return await this.#client.call(name, ...args);
    } catch (error) {
      if (error instanceof ReplyError) throw new RedisRefusal(textOf(error));
      this.close();
      throw this.#problem ?? new StoreAway(textOf(error));
    }
  }

  close(): void {
    this.#isLost = true;
    this.#client.disconnect();
  }
}

function connectorOf(socket: AnswerSocket) {
  return class extends AbstractConnector {
    readonly #address: { readonly host: string; readonly port: number };

    constructor(options: unknown) {
      super(0);
      // The client gives what it has read from the URL.
      this.#address = options as { host: string; port: number };
    }

    override async connect(): Promise<Socket> {
      const { host, port } = this.#address;
      this.connecting = true;
      this.stream = socket.connect({ host, port });
      return socket;
    }
  };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
