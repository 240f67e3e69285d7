/**
 * @module
 * How a node that is not in the peers file is admitted: it presents itself to every member until each has answered, and
 * learns from the answers who joined before. A member that was down meanwhile refuses its messages, and is asked again.
 */

import { z } from 'zod';

import type { Rank } from '../election/machine.ts';
import { LabError } from '../errors.ts';
import type { Membership, Presentation, Refused } from './membership.ts';
import {
  ADDRESS_FAULTS,
  ADMISSION_REFUSALS,
  presentationSchema,
  refusalText,
} from './membership.ts';
import type { Peer } from './peers.ts';
import { PEERS_MAX } from './peers.ts';
import type { Links } from './transport/links.ts';
import type { Transport } from './transport/transport.ts';
import { ask } from './transport/transport.ts';
import { holdsWithin } from './waiting.ts';

const AGAIN_MS = 250;
/** How long a member that could not reach the node is not asked again. */
const REFUSED_AGAIN_MS = 1_000;
const ANSWER_MS_MAX = 2_000;

/** The answer to a node that is admitted: the nodes that joined before. */
export const admissionSchema = z.object({ peers: z.array(presentationSchema) });
export const admissionRefusalSchema = z.object({
  refusal: z.enum(ADMISSION_REFUSALS),
  /** Other programs need not state it. */
  fault: z.enum(ADDRESS_FAULTS).optional().catch(undefined),
});
/** A hostile member can list anything. Its list is therefore read up to the first entry that is wrong. */
const listSchema = z.object({ peers: z.array(z.unknown()) });
type Answer = z.output<typeof admissionSchema> | z.output<typeof admissionRefusalSchema>;

export interface EntranceOptions {
  readonly rank: Rank;
  readonly membership: Membership;
  readonly transport: Transport;
  readonly links: Links;
  /** Admits a member that an answer names, if it answers at its address. */
  readonly admit: (presentation: Presentation) => Promise<Refused | null>;
  /** Receives once why members refuse the node, when the first one does. */
  readonly onRefused: ((text: string) => void) | undefined;
  /** In ms. */
  readonly now: () => number;
}

export interface Entrance {
  /** Presents the node to all members. Returns whether one has admitted it. Throws LabError `claim.refused` if all refuse it. */
  admittedWithin(waitMs: number, signal: AbortSignal): Promise<boolean>;
  /** The member at this address has refused a message: perhaps it does not know the node. */
  askAgain(url: string): void;
  close(): void;
}

export function createEntrance(own: Presentation, options: EntranceOptions): Entrance {
  const { rank, membership, transport, links, admit, now } = options;
  const named = new NamedMembers(admit, now);
  const admitting = new Set<string>();
  const refusals = new Refusals(options);
  const others = () => membership.network.peers.filter((peer) => peer.rank !== rank);
  const asked = () => others().filter(({ url }) => !admitting.has(url) && !refusals.isFinal(url));
  const ask = async (peer: Peer) => {
    if (!links.connects(peer.rank) || refusals.isRecent(peer.url)) return;
    const answer = await present(own, peer, transport);
    if (answer === null) return;
    if ('refusal' in answer) {
      refusals.note(peer, answer);
      return;
    }
    admitting.add(peer.url);
    named.note(answer.peers);
  };
  let isAsking = false;
  const askAll = async () => {
    if (isAsking) return;
    isAsking = true;
    named.askDue();
    await Promise.all(asked().map(ask));
    isAsking = false;
  };
  const timer = setInterval(askAll, AGAIN_MS);
  return {
    async admittedWithin(waitMs, signal) {
      const haveAnswered = async () => {
        await askAll();
        return asked().length === 0 && named.areAsked;
      };
      await holdsWithin(haveAnswered, { waitMs, signal });
      const refused = refusals.first;
      if (refused === null || admitting.size > 0) return admitting.size > 0;
      throw new LabError('claim.refused', `the members refuse this node: ${refusalText(refused)}`);
    },
    askAgain(url) {
      admitting.delete(url);
    },
    close: () => clearInterval(timer),
  };
}

/** What the members refuse, by their addresses. */
class Refusals {
  readonly #options: Pick<EntranceOptions, 'onRefused' | 'now'>;
  readonly #refused = new Map<string, Refused & { readonly at: number }>();
  readonly #reported = new Set<string>();

  constructor(options: Pick<EntranceOptions, 'onRefused' | 'now'>) {
    this.#options = options;
  }

  get first(): Refused | null {
    const [first] = this.#refused.values();
    return first ?? null;
  }

  /** Whether the member at this address need not be asked again. */
  isFinal(url: string): boolean {
    const refused = this.#refused.get(url);
    return refused !== undefined && !mayChange(refused);
  }

  /** Whether it was asked a moment ago. */
  isRecent(url: string): boolean {
    const refused = this.#refused.get(url);
    return refused !== undefined && this.#options.now() - refused.at < REFUSED_AGAIN_MS;
  }

  note({ url, position }: Peer, refused: Refused): void {
    this.#refused.set(url, { ...refused, at: this.#options.now() });
    const reason = refusalText(refused);
    if (this.#reported.has(reason)) return;
    this.#reported.add(reason);
    const then = mayChange(refused) ? '. It is asked again' : '';
    this.#options.onRefused?.(`node ${position} at ${url} refuses this node: ${reason}${then}`);
  }
}

/** The node can have been too busy to answer. A program that states no fault can mean this. */
function mayChange({ refusal, fault = 'silent' }: Refused): boolean {
  return refusal === 'address' && fault === 'silent';
}

/** Who joined before, or why the member refuses; null if it did not answer. */
async function present(
  own: Presentation,
  peer: Peer,
  transport: Transport,
): Promise<Answer | null> {
  const body = JSON.stringify(own);
  const answer = await ask(transport, peer, '/peers', { body, waitMs: ANSWER_MS_MAX });
  const listed = listSchema.safeParse(answer);
  if (listed.success) return admissionIn(listed.data.peers);
  const refused = admissionRefusalSchema.safeParse(answer);
  return refused.success ? refused.data : null;
}

/** The members that an answer lists; null if one of them is none. */
function admissionIn(listed: readonly unknown[]): Answer | null {
  const peers: Presentation[] = [];
  for (const each of listed) {
    const given = presentationSchema.safeParse(each);
    if (!given.success) return null;
    peers.push(given.data);
  }
  return { peers };
}

/** Members that wait for their first answer. More are forgotten: they are named again, or present themselves. */
const WAITING_MAX = 4 * PEERS_MAX;
/** Members that are asked at the same time. */
const ASKED_MAX = 32;
const NAMED_MEMBERS_AGAIN_MS = 1_000;
const AGAIN_MS_MAX = 60_000;

interface Waiting {
  readonly presentation: Presentation;
  /** When it is asked next, in ms. */
  dueMs: number;
  waitMs: number;
  isAsked: boolean;
}

/**
 * The members that a newcomer learns of from the answers of others. A member can name nodes that do not exist, so
 * that each must answer at its address first, as the newcomer itself must. One that does not is asked again, less
 * and less often.
 */
export class NamedMembers {
  readonly #admit: (presentation: Presentation) => Promise<Refused | null>;
  readonly #nowMs: () => number;
  /** By key and address: a member can name another address of a node. */
  readonly #waiting = new Map<string, Waiting>();

  /** `admit` asks a node at its address, and admits it or says why not. */
  constructor(admit: (presentation: Presentation) => Promise<Refused | null>, nowMs: () => number) {
    this.#admit = admit;
    this.#nowMs = nowMs;
  }

  /** Whether every member that was named was asked once. */
  get areAsked(): boolean {
    return [...this.#waiting.values()].every(({ waitMs }) => waitMs > 0);
  }

  /** Notes what one member has named, and asks the new ones. */
  note(presentations: readonly Presentation[]): void {
    for (const presentation of presentations.slice(0, PEERS_MAX)) {
      const name = `${presentation.claim.publicKey} ${presentation.url}`;
      if (this.#waiting.has(name) || this.#waiting.size >= WAITING_MAX) continue;
      const dueMs = this.#nowMs();
      this.#waiting.set(name, { presentation, dueMs, waitMs: 0, isAsked: false });
    }
    this.askDue();
  }

  /** Asks those that are due, some at a time. */
  askDue(): void {
    let asked = [...this.#waiting.values()].filter(({ isAsked }) => isAsked).length;
    for (const [name, waiting] of this.#waiting) {
      if (asked >= ASKED_MAX) return;
      if (waiting.isAsked || waiting.dueMs > this.#nowMs()) continue;
      asked += 1;
      void this.#ask(name, waiting);
    }
  }

  async #ask(name: string, waiting: Waiting): Promise<void> {
    waiting.isAsked = true;
    const refused = await this.#admit(waiting.presentation);
    waiting.isAsked = false;
    if (refused?.fault === 'silent') {
      waiting.waitMs = Math.min(AGAIN_MS_MAX, Math.max(NAMED_MEMBERS_AGAIN_MS, 2 * waiting.waitMs));
      waiting.dueMs = this.#nowMs() + waiting.waitMs;
    } else this.#waiting.delete(name);
    this.askDue();
  }
}
