/**
 * @module
 * Two Byzantine nodes of five, and what they send that an honest node must not accept: altered messages of
 * others, and their own messages about nodes that have signed nothing.
 */

import type { ByzantineNode } from '../../../src/adversary/behaviours/behaviour.ts';
import { passOn } from '../../../src/adversary/behaviours/sender.ts';
import { forge, nothingObserved } from '../../../src/adversary/forging.ts';
import type {
  Authentication,
  Seal,
  SealedMessage,
} from '../../../src/election/authentication/authenticated.ts';
import { candidacyText } from '../../../src/election/authentication/authenticated.ts';
import type { AnyMachine } from '../../../src/election/definition/protocol.ts';
import { intercepted } from '../../../src/election/intercepted.ts';
import type { Message, Rank, Self } from '../../../src/election/machine.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { toRank } from '../../../src/election/world/cast.ts';

/** And the phantom. */
export const BYZANTINE_RANKS = [1, 3];
export const PHANTOM = 5;

export function isByzantine(rank: Rank): boolean {
  return BYZANTINE_RANKS.includes(Number(rank));
}

/** Sends to everybody what honest nodes have sent to it, mangled in each way. */
export function mangling(machine: AnyMachine): AnyMachine {
  return {
    init: (self) => machine.init(self),
    step(self, state, event, effects) {
      if (event.type === 'deliver' && !isByzantine(event.from)) {
        for (const to of self.members) {
          if (isByzantine(to)) continue;
          for (const message of mangled(event.from, to, event.message)) effects.send(to, message);
        }
      }
      machine.step(self, state, event, effects);
    },
  };
}

function mangled(from: Rank, to: Rank, { seal, ...body }: SealedMessage): SealedMessage[] {
  const number = (seal?.number ?? 0) + 1;
  const longer = { ...body, more: 1 };
  return [
    ...[
      { ...body, seal: { by: from, ...seal } },
      { ...body, seal: { ...seal, by: to } },
    ],
    ...[
      { ...longer, seal: { by: from, ...seal } },
      { ...body, seal: { ...seal, number } },
    ],
    ...[body, { ...body, seal: { by: from } }],
  ];
}

/** As it starts it names each listener to itself, and the phantom to everybody, in words sealed as its own. */
export function naming(
  machine: AnyMachine,
  authentication: Authentication,
  position: number,
): AnyMachine {
  const observed = nothingObserved();
  const rank = toRank(position);
  const { protocol } = authentication;
  const byzantineNode: ByzantineNode = {
    ...{ protocol, authentication, rank, timing: { latencyTicksMax: 1 } },
    ...{ phantom: toRank(PHANTOM), accomplices: BYZANTINE_RANKS.map(toRank) },
  };
  return {
    init: (self) => machine.init(self),
    step(self, state, event, effects) {
      const send = (to: Rank, message: Message) => {
        passOn({ byzantineNode, observed, effects }, to, message);
      };
      if (event.type === 'start') {
        for (const { to, body, candidacies } of falseWords(authentication, rank, self)) {
          const { seal, ...word }: SealedMessage = forge(observed, byzantineNode, {
            by: rank,
            to,
            body,
          });
          const message: SealedMessage = { ...word, seal: { ...seal, ...candidacies } };
          effects.send(to, message);
        }
      }
      machine.step(self, state, event, intercepted(effects, { send }));
    },
  };
}

function falseWords(authentication: Authentication, byzantine: Rank, { members, ringNodes }: Self) {
  const listeners = members.filter((member) => !isByzantine(member));
  return listeners.flatMap((to) =>
    [to, toRank(PHANTOM)].flatMap((about) =>
      falseProofs(authentication, { about, byzantine }).flatMap((candidacies) =>
        namesOf(authentication.protocol, about, ringNodes).map((body) => {
          return { to, body, candidacies };
        }),
      ),
    ),
  );
}

/** Everything in which a node is named. */
function namesOf(protocol: ProtocolName, about: Rank, ringNodes: number): readonly Message[] {
  const { candidacy, announcement, answer } = PROTOCOLS[protocol].forgery;
  const matter = { about, home: about, epoch: 1, serial: 1, ringNodes };
  const words = [candidacy, announcement, answer].flatMap((word) =>
    typeof word === 'string' ? [] : word.messages(matter),
  );
  return [...words, ...(OTHERS[protocol]?.(about) ?? [])];
}

/** Those that no forger of the lab has a use for. */
const OTHERS: Partial<Record<ProtocolName, (about: Rank) => readonly Message[]>> = {
  'bully-2phase': (leader) => [{ type: 'READY', leader, election: 1 }],
  'bully-improved': (next) => [{ type: 'NEXT', next, round: 1 }],
};

/** What a Byzantine node can show instead of a candidacy. At L3 also one for an earlier election. */
function falseProofs(
  authentication: Authentication,
  { about, byzantine }: { readonly about: Rank; readonly byzantine: Rank },
): readonly Pick<Seal, 'candidacies'>[] {
  const { keysOf, level } = authentication;
  const own = keysOf(byzantine).sign(candidacyText(authentication, about));
  const before = { ...authentication, election: '0' };
  const hasOld = level === 'L3' && about !== toRank(PHANTOM);
  return [
    {},
    { candidacies: { [about]: own } },
    ...(hasOld
      ? [{ candidacies: { [about]: keysOf(about).sign(candidacyText(before, about)) } }]
      : []),
  ];
}
