/**
 * @module
 * A program outside that plays a node over HTTP, for tests: it mines a claim, joins with it, reads its
 * inbox and answers by the Bully protocol, with the signatures that the level requires.
 */

import { setImmediate } from 'node:timers/promises';
import { sha256 } from '@noble/hashes/sha2.js';
import { SERVER } from '../../../server/request/principal.ts';
import { bytesToHex, utf8ToBytes } from '../../../src/bytes.ts';
import { admit } from '../../../src/identity/admit.ts';
import type { Claim } from '../../../src/identity/claim.ts';
import { claimToJson, createClaim } from '../../../src/identity/claim.ts';
import { ed25519Scheme } from '../../../src/identity/keys/ed25519.ts';
import type { Secret } from '../../../src/identity/keys/scheme.ts';
import type { Policy } from '../../../src/identity/policy.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import type { Answer, LabUnderTest } from '../lab-under-test.ts';

export interface Received {
  readonly number: number;
  readonly at: number;
  readonly event: Readonly<Record<string, unknown>> & { readonly type: string };
}

type Body = { readonly type: string } & Readonly<Record<string, unknown>>;

export type Effect = Readonly<Record<string, unknown>> & { readonly type: string };

/** The policy of the lab under test. */
const POLICY: Policy = { ...STRICT_POLICY, c1: 2 };

/** The first of many keys whose claim is admitted and whose ID is above all of `ids`, or below. */
function keyBeyond(ids: readonly string[], side: 'above' | 'below'): Secret {
  for (let index = 0; ; index += 1) {
    const secret: Secret = { form: 'seed', bytes: sha256(utf8ToBytes(`player ${index}`)) };
    const id = bytesToHex(sha256(ed25519Scheme.publicKeyOf(secret)));
    const isBeyond = ids.every((other) => (side === 'above' ? other < id : other > id));
    if (isBeyond && admit(claimOf(secret), POLICY).admitted) return secret;
  }
}

function claimOf(secret: Secret): Claim {
  return createClaim({ scheme: 'ed25519', secret, policy: POLICY, solution: null });
}

export interface PlayerOptions {
  readonly lab: LabUnderTest;
  /** The path of the election. */
  readonly election: string;
  readonly waitMs?: number;
  readonly side?: 'above' | 'below';
}

/** A node that has joined. */
export class OutsidePlayer {
  readonly lab: LabUnderTest;
  readonly election: string;
  readonly nodeId: string;
  readonly token: string;
  readonly rank: number;
  readonly secret: Secret;
  #number = 0;

  private constructor(
    options: PlayerOptions,
    joined: { nodeId: string; token: string; rank: number; secret: Secret },
  ) {
    this.lab = options.lab;
    this.election = options.election;
    this.nodeId = joined.nodeId;
    this.token = joined.token;
    this.rank = joined.rank;
    this.secret = joined.secret;
  }

  static async join(options: PlayerOptions): Promise<OutsidePlayer> {
    const { lab, election, waitMs = 1_000, side = 'above' } = options;
    const id = election.split('/').at(-1) ?? '';
    const live = lab.elections.get(id, SERVER);
    const secret = keyBeyond(
      live.stage.roster.nodes.map(({ nodeId }) => nodeId),
      side,
    );
    const claim = claimToJson(claimOf(secret));
    const { status, json } = await lab.post(`${election}/nodes`, { claim, waitMs });
    if (status !== 201) throw new Error(String(json.detail));
    const { token, rank } = json as { readonly token: string; readonly rank: number }; // By the schema.
    return new OutsidePlayer(options, { nodeId: claim.nodeId, token, rank, secret });
  }

  get path(): string {
    return `${this.election}/nodes/${this.nodeId}`;
  }

  get #live() {
    return this.lab.elections.get(this.election.split('/').at(-1) ?? '', SERVER);
  }

  inbox(query = '', init: RequestInit = {}): Promise<Answer> {
    const headers = { 'Node-Token': this.token };
    return this.lab.call('GET', `${this.path}/inbox${query}`, { headers, ...init });
  }

  outbox(body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.lab.post(`${this.path}/outbox`, body, { 'Node-Token': this.token, ...headers });
  }

  /** A message with the seal that its level requires. */
  sealed(to: number, body: Body, number?: number): Body {
    const { level, protocol } = this.#live.plan;
    if (level !== 'L2' && level !== 'L3') return body;
    const election = String(this.#live.name);
    this.#number += 1;
    const given = number ?? this.#number;
    const fresh = level === 'L3' ? [election, given] : [];
    const text = ['usurp/election/v1', protocol, this.rank, to, ...fresh, sorted(body)];
    const standing = ['usurp/candidacy/v1', protocol, this.rank, ...fresh.slice(0, 1)];
    return {
      ...body,
      seal: {
        by: this.rank,
        ...(level === 'L3' && { number: given }),
        signature: this.sign(JSON.stringify(text)),
        candidacies: { [this.rank]: this.sign(JSON.stringify(standing)) },
      },
    };
  }

  /** Written from the documentation, not from the code. */
  sign(text: string): string {
    const bytes = Buffer.from(`usurp/message/v1\0${JSON.stringify(text)}`, 'ascii');
    return bytesToHex(ed25519Scheme.sign(this.secret, bytes));
  }

  send(to: number, body: Body): Effect {
    return { type: 'send', to, message: this.sealed(to, body) };
  }

  /** The answer of a Bully node that is above all others. */
  react({ event }: Received): Effect[] {
    switch (event.type) {
      case 'start':
        return this.announce();
      case 'deliver': {
        const { type } = event.message as Body; // By the schema of the inbox.
        const from = Number(event.from);
        return type === 'ELECTION' ? [this.send(from, { type: 'OK' }), ...this.announce()] : [];
      }
      default:
        return [];
    }
  }

  announce(): Effect[] {
    const others = this.#live.stage.roster.nodes.filter(({ rank }) => rank !== this.rank);
    const word = { type: 'COORDINATOR', leader: this.rank };
    return [
      ...others.map(({ rank }) => this.send(rank, word)),
      { type: 'elect', leader: this.rank, epoch: 0 },
    ];
  }

  /** Answers everything until `isOver`. */
  async play(isOver: () => boolean): Promise<void> {
    for (let after = 0; !isOver(); ) {
      const { status, json } = await this.inbox(`?after=${after}&waitMs=50`);
      // Its caller has no stream left as long as others wait, which go on in turns of the event loop.
      if (status === 429) {
        await setImmediate();
        continue;
      }
      const events = json.events as readonly Received[]; // By the schema.
      const last = events.at(-1);
      if (last === undefined) continue;
      const effects = events.flatMap((event) => this.react(event));
      await this.outbox({ through: last.number, effects });
      after = last.number;
    }
  }
}

function sorted(body: Body): object {
  const members = Object.entries(body).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members);
}
