/**
 * @module
 * What Byzantine nodes do in the fault matrix that no behaviour of the registry does by itself: speak in the names
 * of others and nothing else, show themselves to half of the members, sendForged an earlier election again.
 */

import type { Behaviour, ByzantineNode } from '../../../../src/adversary/behaviours/behaviour.ts';
import type { ByzantineStep } from '../../../../src/adversary/behaviours/byzantine-machine.ts';
import {
  createByzantine,
  recipientsOf,
  sendForged,
} from '../../../../src/adversary/behaviours/byzantine-machine.ts';
import { bodyOf, forge } from '../../../../src/adversary/forging.ts';
import type { SealedMessage } from '../../../../src/election/authentication/authenticated.ts';
import type { AnyMachine } from '../../../../src/election/definition/protocol.ts';
import { intercepted } from '../../../../src/election/intercepted.ts';
import type { Message, Rank } from '../../../../src/election/machine.ts';
import { integerIn } from '../../../../src/election/message-members.ts';
import { PROTOCOLS } from '../../../../src/election/registry.ts';
import { answerTicks } from '../../../../src/election/timing.ts';

export type Trick = Behaviour['wrap'];

const MASK_TIMER = 'byz:mask';
/** What goes round a ring may go round for ever. */
const MASK_TURNS = 8;

/**
 * Sends in the names of others only: announces the others, one after the other, each in its own name,
 * and answers each candidate in the name of every other node.
 */
export function masked(machine: AnyMachine, byzantineNode: ByzantineNode): AnyMachine {
  return createByzantine<{ turns: number }>(machine, byzantineNode, {
    init: () => ({ turns: 0 }),
    intercept(forger, event) {
      if (event.type === 'start' || event.type === 'recover') {
        forger.effects.setTimer(MASK_TIMER, answerTicks(byzantineNode.timing), true);
      }
      if (event.type === 'deliver') answerAsAll(forger, event.from, bodyOf(event.message));
      if (event.type !== 'timeout' || event.timer !== MASK_TIMER) return true;
      announceAsAnother(forger);
      return false;
    },
  });
}

function announceAsAnother(forger: ByzantineStep<{ turns: number }>): void {
  const { byzantineNode, self, state, effects } = forger;
  const { announcement } = PROTOCOLS[byzantineNode.protocol].forgery;
  state.own.turns += 1;
  if (state.own.turns >= MASK_TURNS) effects.cancelTimer(MASK_TIMER);
  const others = self.members.filter((member) => member !== self.rank);
  const about = others[state.own.turns % others.length];
  if (typeof announcement === 'string' || about === undefined) return;
  const recipients = recipientsOf(forger).filter((member) => member !== about);
  sendForged(forger, announcement, { about, by: about, recipients, home: about });
}

function answerAsAll(
  { byzantineNode, self, state, effects }: ByzantineStep<{ turns: number }>,
  from: Rank,
  question: Message,
): void {
  const { answer, candidacy, numbering } = PROTOCOLS[byzantineNode.protocol].forgery;
  if (typeof answer === 'string' || typeof candidacy === 'string') return;
  const matter = { home: self.rank, serial: 1, ringNodes: self.ringNodes };
  const epoch = numbering === null ? 0 : integerIn(question, numbering);
  const asked = candidacy.messages({ ...matter, about: from, epoch });
  if (!asked.some(({ type }) => type === question.type)) return;
  for (const by of self.members) {
    if (by === self.rank || by === from) continue;
    for (const body of answer.messages({ ...matter, about: by, epoch })) {
      effects.send(from, forge(state.observed, byzantineNode, { by, to: from, body }));
    }
  }
}

/** Takes part for every second member, and for the others is up and silent. */
export function twoFaced(machine: AnyMachine): AnyMachine {
  return {
    init: machine.init,
    step(self, state, event, effects) {
      const isShown = (to: Rank) => self.members.indexOf(to) % 2 === 0;
      const out = intercepted(effects, {
        send(to, message) {
          if (isShown(to)) effects.send(to, message);
        },
      });
      machine.step(self, state, event, out);
    },
  };
}

/** What was sent in an election, as it was sealed. */
export interface Said {
  readonly from: Rank;
  readonly to: Rank;
  readonly sealed: SealedMessage;
}

/** What is said again, and when. */
export interface Echo {
  readonly wordsOf: () => readonly Said[];
  readonly at: number;
}

/**
 * Says what others have said again, each message to its recipient. Without signatures in the name of the node that
 * said it; else as it came.
 */
export function echoing(echoes: readonly Echo[]): Trick {
  return (machine, { rank, authentication }) => ({
    init: machine.init,
    step(self, state, event, effects) {
      if (event.type === 'start') {
        for (const [index, { at }] of echoes.entries()) {
          effects.setTimer(`${ECHO_TIMER}${index}`, at, false);
        }
      }
      if (event.type !== 'timeout' || !event.timer.startsWith(ECHO_TIMER)) {
        machine.step(self, state, event, effects);
        return;
      }
      const echo = echoes[Number(event.timer.slice(ECHO_TIMER.length))];
      for (const { from, to, sealed } of echo?.wordsOf() ?? []) {
        const isMasked = authentication.level === 'L0';
        if (to !== rank) effects.send(to, isMasked ? asIf(from, sealed) : { ...sealed });
      }
    },
  });
}

const ECHO_TIMER = 'byz:echo:';

function asIf(by: Rank, sealed: SealedMessage): SealedMessage {
  return { ...sealed, seal: { by } };
}
