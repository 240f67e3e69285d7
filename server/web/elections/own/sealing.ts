/**
 * @module
 * Seals the messages of the reader's node at L2 and L3: a signature for each recipient, and the candidacies of the
 * nodes that the message names. Its own candidacy it signs; those of others come from messages that it received.
 */

import { candidacyText, messageText } from '../../../../src/election/authentication/signed-text.ts';
import type { Rank } from '../../../../src/election/machine.ts';
import type { Schema } from '../../api/contract.ts';

type OutsideEffect = Schema<'OutsideEffect'>;
type SendEffect = Extract<OutsideEffect, { type: 'send' }>;

/** What a message is sealed with. */
export interface Sealer {
  readonly level: 'L2' | 'L3';
  readonly protocol: Schema<'Election'>['protocol'];
  /** Name of the election in signatures. */
  readonly election: string;
  readonly rank: number;
  /** The ranks of all other nodes. */
  readonly others: readonly number[];
  readonly forms: readonly Pick<
    Schema<'Protocol'>['messages'][number],
    'type' | 'names' | 'stands'
  >[];
  /** Signatures of other nodes by rank. */
  readonly candidacies: Readonly<Record<string, string>>;
  readonly sign: (text: string) => string;
  /** The next number of a message to this rank. */
  readonly nextNumber: (to: number) => number;
}

/** The effects with a sealed message for each recipient. */
export function sealed(effects: readonly OutsideEffect[], sealer: Sealer): OutsideEffect[] {
  return effects.flatMap((effect): OutsideEffect[] => {
    if (effect.type !== 'send') return [effect];
    const recipients = effect.to === 'all' ? sealer.others : [effect.to].flat();
    return recipients.map((to) => sealedFor(effect, to, sealer));
  });
}

function sealedFor({ message }: SendEffect, to: number, sealer: Sealer): SendEffect {
  const { level, protocol, election, rank: by, sign } = sealer;
  const named = namedIn(message, sealer);
  const number = sealer.nextNumber(to);
  const { seal: _, ...body } = message;
  const under = { level, protocol, election };
  const shown = named.flatMap((rank) => {
    const own = () => sign(candidacyText(under, toRank(rank)));
    const signature = rank === by ? own() : sealer.candidacies[rank];
    return signature === undefined ? [] : [[String(rank), signature] as const];
  });
  const seal = {
    by,
    ...(level === 'L3' ? { number } : {}),
    signature: sign(messageText(under, { by: toRank(by), to: toRank(to), number, body })),
    candidacies: Object.fromEntries(shown),
  };
  return { type: 'send', to, message: { ...body, seal } };
}

/** Works like `toRank` of the product, whose module contains all protocols, which the lab does not load. */
function toRank(rank: number): Rank {
  return rank as unknown as Rank; // In elections of a server ranks are numbers.
}

/** The nodes whose candidacies a message needs. */
function namedIn(message: SendEffect['message'], { forms, rank }: Sealer): readonly number[] {
  const form = forms.find(({ type }) => type === message.type);
  const members: Readonly<Record<string, unknown>> = { ...message };
  const named = (form?.names ?? []).flatMap((name) => members[name] ?? []);
  const own = form?.stands === true ? [rank] : [];
  return [...new Set([...own, ...named.filter((value) => typeof value === 'number')])];
}

/** The candidacies in the seals of received messages. */
export function candidaciesIn(events: readonly Schema<'InboxEvent'>[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { event } of events) {
    const seal = memberOf(memberOf(event, 'message'), 'seal');
    for (const [rank, signature] of Object.entries(Object(memberOf(seal, 'candidacies')))) {
      if (typeof signature === 'string') found[rank] = signature;
    }
  }
  return found;
}

function memberOf(value: unknown, name: string): unknown {
  return Object.getOwnPropertyDescriptor(Object(value), name)?.value;
}
