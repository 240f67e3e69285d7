/**
 * @module
 * A client's session for zk-recipe on a real ZooKeeper: it answers the operations of the modelled store
 * (src/election/lease/stores/coordination-store.ts). The connection may be lost and made again within a session, which
 * the machine sees as lost operations. Only the machine's own operations keep the session alive.
 *
 * Names and numbers are those of the model: the number of a session is that of a sequential znode, and sequence numbers
 * begin with 1. The path of a znode names its owner, so that one list of names shows both.
 */

import { z } from 'zod';
import type {
  CoordinationOperation,
  CoordinationReply,
  Znode,
} from '../../election/lease/stores/coordination-store.ts';
import type { Message, Rank } from '../../election/machine.ts';
import type { StoreAnswer, StoreService } from './live-store.ts';
import { countSchema, lostData, malformedAnswer, rankSchema, StoreAway } from './live-store.ts';
import type { ServerAddress } from './wire.ts';
import { bytesOf, createRequest, FAULT, MODE, OPERATION, ZookeeperLink } from './zookeeper-link.ts';

/** What the session is for. */
export interface SessionPlan {
  readonly address: ServerAddress;
  /** The path above the znodes of the election. It has the children `sessions` and `nodes`. */
  readonly root: string;
  readonly own: Rank;
  readonly sessionMs: number;
  /** Number of the last write that the server has carried out. Throws `StoreAway`. */
  readonly lastWrite: () => Promise<number>;
  readonly onNotice: (value: CoordinationReply) => void;
}

const connectedSchema = z.looseObject({ session: countSchema });
const NO_DATA = Buffer.alloc(0);
const SEQUENCE_DIGITS = 10;
type InSession = Exclude<CoordinationOperation, { readonly type: 'CONNECT' }>;
type Answer = { readonly value: CoordinationReply } & Pick<StoreAnswer, 'mark'>;

export class ZookeeperSession implements StoreService {
  readonly where: string;
  readonly operations = ['CONNECT', 'PING', 'CREATE', 'GET_CHILDREN', 'EXISTS', 'DELETE'];
  readonly #plan: SessionPlan;
  /** The number of the session; null before the first and after its end. */
  #number: number | null = null;
  /** The highest number that a session of the node has had. */
  #last = 0;
  #link: ZookeeperLink | null = null;
  /** The connection that is being made again. */
  #opening: Promise<ZookeeperLink | null> | null = null;
  #attempts = 0;
  /** The path of each znode that the machine knows, by name. */
  readonly #paths = new Map<string, string>();
  /** The connection on which a znode is watched, by name. */
  readonly #watched = new Map<string, ZookeeperLink>();

  constructor(plan: SessionPlan) {
    this.#plan = plan;
    const { host, port } = plan.address;
    this.where = `${plan.root} in ZooKeeper at ${host}:${port}`;
  }

  async call(operation: CoordinationOperation): Promise<StoreAnswer | null> {
    return operation.type === 'CONNECT' ? this.#connect(operation) : this.#inSession(operation);
  }

  recall({ type, ...value }: Message): void {
    const { data } = connectedSchema.safeParse(value);
    if (type === 'CONNECTED' && data !== undefined) this.#last = data.session;
  }

  /** Others can write no znode that counts but by its name, which each list checks. */
  async check(): Promise<void> {}

  close(): void {
    this.#attempts += 1;
    this.#link?.close();
  }

  /** Opens a session. An earlier one is left to end by itself, as in the model. */
  async #connect({
    request,
    guid,
  }: CoordinationOperation & { readonly type: 'CONNECT' }): Promise<Answer | null> {
    this.close();
    const attempt = this.#attempts;
    this.#number = null;
    this.#watched.clear();
    const link = await this.#open(null);
    if (link === null) throw new StoreAway('ZooKeeper gave no session');
    if (attempt !== this.#attempts) {
      link.close();
      return null;
    }
    this.#link = link;
    const { root } = this.#plan;
    const { zxid, fault, body } = await link.request(
      OPERATION.create,
      createRequest(`${root}/sessions/s_`, NO_DATA, MODE.ephemeralSequential),
    );
    // The path existed when the node started, so that the store has lost it.
    if (fault === FAULT.noNode) throw lostData(this.where);
    const session = numberIn(body.text());
    if (!Number.isSafeInteger(session))
      throw malformedAnswer('ZooKeeper', 'a session without a number');
    if (session <= this.#last) throw lostData(this.where);
    if (attempt !== this.#attempts) return null;
    this.#number = session;
    this.#last = session;
    return {
      value: { type: 'CONNECTED', session, request, guid },
      mark: { revision: zxid, wrote: true },
    };
  }

  async #inSession(operation: InSession): Promise<StoreAnswer> {
    const { session, request } = operation;
    const link = session === this.#number ? await this.#linked() : null;
    if (link === null) {
      if (session === this.#number) this.#number = null;
      const revision = await this.#plan.lastWrite();
      return { value: expired(session), mark: { revision, wrote: false } };
    }
    const { value, mark } = await this.#answer(link, operation);
    return { value: Object.assign(value, { session, request }), mark };
  }

  /** The connection of the session, made again if it was lost; null if the session has ended. */
  async #linked(): Promise<ZookeeperLink | null> {
    if (this.#link?.isOpen === true) return this.#link;
    const session = this.#link?.session ?? null;
    if (session === null) throw new StoreAway('there is no session yet');
    const attempt = this.#attempts;
    this.#opening ??= this.#open(session).finally(() => {
      this.#opening = null;
    });
    const link = await this.#opening;
    if (attempt !== this.#attempts) throw new StoreAway('there is a newer session');
    if (link !== null) this.#link = link;
    return link;
  }

  #open(session: ZookeeperLink['session'] | null): Promise<ZookeeperLink | null> {
    const { address, sessionMs, onNotice } = this.#plan;
    // Like ZooKeeper's own client, it gives up a connection that is silent for two thirds of a session.
    const times = { timeoutMs: sessionMs, answerMs: Math.ceil((sessionMs * 2) / 3) };
    return ZookeeperLink.open(address, session, times, (path) => {
      const name = nameOf(path);
      // Each watch fires once, so that ZooKeeper makes the machine do no more than it asked for.
      if (name === null || this.#number === null || !this.#watched.delete(name)) return;
      onNotice({ type: 'DELETED', session: this.#number, name });
    });
  }

  #answer(link: ZookeeperLink, operation: InSession): Promise<Answer> {
    switch (operation.type) {
      case 'PING':
        return this.#ping(link, operation.watch);
      case 'CREATE':
        return this.#create(link, operation.guid);
      case 'GET_CHILDREN':
        return this.#children(link);
      case 'EXISTS':
        return this.#exists(link, operation.name);
      case 'DELETE':
        return this.#delete(link, operation.name);
      default:
        return operation satisfies never;
    }
  }

  /** The list of znodes also keeps the session and shows whether the watched one is gone. */
  async #ping(link: ZookeeperLink, watch: string | null): Promise<Answer> {
    const isSet = watch === null || this.#watched.get(watch) === link;
    const [, list] = await Promise.all([isSet ? null : this.#watch(link, watch), this.#list(link)]);
    const isGone = watch !== null && !list.znodes.some(({ name }) => name === watch);
    const [oldest = null] = list.znodes;
    return read(list.zxid, { type: 'PONG', gone: isGone ? watch : null, oldest });
  }

  async #create(link: ZookeeperLink, guid: string): Promise<Answer> {
    const path = `${this.#plan.root}/nodes/${guid}-${String(this.#plan.own)}-n_`;
    const { zxid, body } = await link.request(
      OPERATION.create,
      createRequest(path, NO_DATA, MODE.ephemeralSequential),
    );
    const created = body.text();
    const name = nameOf(created);
    if (name === null) throw malformedAnswer('ZooKeeper', 'a znode with another name');
    this.#paths.set(name, created);
    return { ...read(zxid, { type: 'CREATED', name }), mark: { revision: zxid, wrote: true } };
  }

  async #children(link: ZookeeperLink): Promise<Answer> {
    const { znodes, zxid } = await this.#list(link);
    return read(zxid, { type: 'CHILDREN', children: znodes });
  }

  async #exists(link: ZookeeperLink, name: string): Promise<Answer> {
    const { zxid, fault } = await this.#watch(link, name);
    return read(zxid, { type: 'STAT', exists: fault === FAULT.none });
  }

  async #delete(link: ZookeeperLink, name: string): Promise<Answer> {
    const anyVersion = -1;
    const path = this.#pathOf(name);
    const { zxid, fault } = await link.request(OPERATION.delete, bytesOf(path, anyVersion));
    const existed = fault === FAULT.none;
    return {
      ...read(zxid, { type: 'REMOVED', existed }),
      mark: { revision: zxid, wrote: existed },
    };
  }

  /** Reads it with a watch. That of a znode that does not exist sets none. */
  async #watch(link: ZookeeperLink, name: string) {
    this.#watched.set(name, link);
    const reply = await link.request(OPERATION.getData, bytesOf(this.#pathOf(name), true));
    if (reply.fault !== FAULT.none) this.#watched.delete(name);
    return reply;
  }

  /** The znodes in the order of their sequence numbers. */
  async #list(link: ZookeeperLink) {
    const parent = `${this.#plan.root}/nodes`;
    const { zxid, fault, body } = await link.request(OPERATION.getChildren, bytesOf(parent, false));
    if (fault === FAULT.noNode) throw lostData(this.where);
    const names = body.texts();
    if (names.length > ZNODES_MAX)
      throw malformedAnswer('ZooKeeper', `${names.length} znodes of nodes in ${parent}`);
    const paths = names.toSorted((one, other) => numberIn(one) - numberIn(other));
    this.#paths.clear();
    const znodes = paths.flatMap((path): Znode[] => {
      const [name, owner] = [nameOf(path), this.#ownerOf(path)];
      if (name === null || owner === null) return [];
      this.#paths.set(name, `${parent}/${path}`);
      return [{ name, owner }];
    });
    return { zxid, znodes };
  }

  #ownerOf(path: string): Rank | null {
    const [, , owner] = partsOf(path);
    return rankSchema(this.#plan.own).safeParse(owner).data ?? null;
  }

  /** A name that no list contained is that of no znode. */
  #pathOf(name: string): string {
    return this.#paths.get(name) ?? `${this.#plan.root}/nodes/${name}`;
  }
}

function expired(session: number): CoordinationReply {
  return { type: 'EXPIRED', session };
}

function read(revision: number, value: object): Answer {
  // The caller adds the session and the request.
  return { value: value as CoordinationReply, mark: { revision, wrote: false } };
}

const PATH = /([0-9a-f]{1,64})-([0-9a-f]{1,64})-n_(\d{10})$/;
/** Others can write longer names, which take long to read, and more of them than there are nodes. */
const PATH_CHARACTERS_MAX = 256;
const ZNODES_MAX = 1_024;

function partsOf(path: string): readonly string[] {
  return PATH.exec(path.slice(-PATH_CHARACTERS_MAX)) ?? [];
}

/** The name of a znode in the model. */
function nameOf(path: string): string | null {
  const [, guid] = partsOf(path);
  if (guid === undefined) return null;
  return `${guid}-n_${String(numberIn(path)).padStart(SEQUENCE_DIGITS, '0')}`;
}

/** ZooKeeper counts from 0, the model from 1. */
function numberIn(path: string): number {
  return Number(path.slice(path.lastIndexOf('_') + 1)) + 1;
}
