/**
 * @module
 * Nodes of five under a level of authentication, whose protocol sends what a test demands and remembers
 * what it gets; and the number of signatures that they check.
 */

import { symbolicKeys } from '../../src/adversary/keys.ts';
import type {
  Authentication,
  Keys,
  Level,
  Refusal,
  Seal,
  SealedMessage,
} from '../../src/election/authentication/authenticated.ts';
import {
  createAuthenticated,
  messageText,
} from '../../src/election/authentication/authenticated.ts';
import type { AnyMachine } from '../../src/election/definition/protocol.ts';
import type { Event, Json, Message, Rank } from '../../src/election/machine.ts';
import type { ProtocolName } from '../../src/election/registry.ts';
import { createCast, toRank } from '../../src/election/world/cast.ts';
import { parseSeed } from '../../src/random.ts';
import { recorded } from './recorded.ts';

const RING = [1, 2, 3, 4, 5];

export interface NodeSetup {
  readonly level: Level;
  readonly protocol?: ProtocolName;
  readonly election?: string;
  readonly provesSenders?: boolean;
}

export interface SealingNode {
  readonly rank: Rank;
  /** Messages and returns that its protocol got, in order. */
  readonly heard: readonly Json[];
  /** What it saved last; null before. */
  disk(): Json;
  /** Signatures checked so far. */
  checks(): number;
  /** Takes a message as it comes; answers why it is not heard, or null. */
  take(from: number, message: SealedMessage): Refusal | null;
  /** What it sends to say `body`. */
  say(to: number, body: Message): SealedMessage;
  /** Its protocol saves something. */
  save(fields: Json): void;
  /** The same node after a crash, in a new life. */
  returned(persisted: Json): SealingNode;
}

export function authenticationOf(setup: NodeSetup, keysOf = keys()): Authentication {
  const { level, protocol = 'cr-join', election = '1', provesSenders } = setup;
  return { level, protocol, election, keysOf, provesSenders };
}

export function keys(): (rank: Rank) => Keys {
  return symbolicKeys(parseSeed('1'), RING.map(toRank));
}

/** A seal as `by` can make it for `to`, whatever it says. */
export function sealed(
  setup: NodeSetup,
  parts: { readonly by: number; readonly to: number; readonly number?: number },
  body: Message,
): SealedMessage & { readonly seal: Seal } {
  const authentication = authenticationOf(setup);
  const { number = 1 } = parts;
  const [by, to] = [toRank(parts.by), toRank(parts.to)];
  const text = messageText(authentication, { by, to, number, body });
  const numbered = setup.level === 'L3' ? { number } : {};
  return { ...body, seal: { by, ...numbered, signature: authentication.keysOf(by).sign(text) } };
}

/** In its first life, or returned with what its disk holds. */
export function sealingNode(setup: NodeSetup, rank: number, persisted?: Json): SealingNode {
  let checks = 0;
  const keysOf = (signer: Rank): Keys => {
    const { sign, verify } = keys()(signer);
    const counted: Keys['verify'] = (...signed) => {
      checks += 1;
      return verify(...signed);
    };
    return { sign, verify: counted };
  };
  const ring = { protocol: 'cr-join', timing: { latencyTicksMax: 1 }, ring: RING } as const;
  const self = createCast({ ...ring, crashedBefore: [] }).selfOf(rank);
  const machine = createAuthenticated(PUPPET, authenticationOf(setup, keysOf));
  const state = machine.init(self);
  let disk: Json = null;
  const step = (event: Event<Message>) => {
    const effects = recorded((out) => machine.step(self, state, event, out));
    for (const effect of effects) if (effect.type === 'persist') disk = effect.fields;
    return effects;
  };
  if (persisted !== undefined) step({ type: 'recover', persisted });
  return {
    rank: self.rank,
    // The puppet's own state.
    heard: state.inner as Json[],
    disk: () => disk,
    checks: () => checks,
    take(from, message) {
      const before = { ...state.refused };
      step({ type: 'deliver', from: toRank(from), message });
      const refusals = Object.keys(before) as Refusal[]; // Its only members.
      return refusals.find((refusal) => state.refused[refusal] > before[refusal]) ?? null;
    },
    say(to, body) {
      // What is said is plain JSON data, which the type of all messages does not say.
      const order: Order = { to: toRank(to), body: body as Order['body'] };
      const [sent] = step({ type: 'request', value: order });
      if (sent?.type !== 'send') throw new TypeError('"sent" expected a message, got none');
      return sent.message;
    },
    save(fields) {
      step({ type: 'request', value: { save: fields } });
    },
    returned(held) {
      return sealingNode(setup, rank, held);
    },
  };
}

type Order = { readonly to: Rank; readonly body: { readonly type: string } & Json };

/** Says and saves what it is asked to. */
const PUPPET: AnyMachine = {
  init: () => [],
  step(_self, state, event, effects) {
    const heard = state as Json[]; // This machine's own.
    if (event.type === 'deliver')
      heard.push([event.from, JSON.parse(JSON.stringify(event.message))]);
    if (event.type === 'recover') heard.push(['recover', event.persisted]);
    if (event.type !== 'request') return;
    const order = event.value as Order | { readonly save: Json }; // Made above.
    if ('save' in order) effects.persist(order.save);
    else effects.send(order.to, order.body);
  },
};
