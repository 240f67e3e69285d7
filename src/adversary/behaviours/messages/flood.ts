/**
 * @module
 * A node that stands for election several times a tick, in its own name and in the election under way, as
 * its protocol permits, so that every level accepts the messages and each recipient must check them.
 * Messages take no time to handle here: a flood costs messages, answers included, and the work that a
 * protocol does twice if it is asked twice. The flood ends, because a message may circle a ring for ever.
 */

import { reasonIn } from '../../../election/definition/forgery.ts';
import type { AnyMachine } from '../../../election/definition/protocol.ts';
import { PROTOCOLS } from '../../../election/registry.ts';
import { forge } from '../../forging.ts';
import type { ByzantineNode } from '../behaviour.ts';
import { defineBehaviour } from '../behaviour.ts';
import type { ByzantineStep } from '../byzantine-machine.ts';
import { createByzantine, recipientsOf } from '../byzantine-machine.ts';

/** How often it has spoken. */
type Flooded = { turns: number };

export const FLOOD_TIMER = 'byz:flood';
/** Candidacies to each listener at each turn; a turn is a tick. */
export const FLOOD_BURST = 4;
export const FLOOD_TURNS_MAX = 32;
/** Above the numbers of all tokens that the node itself makes in an election. */
const SERIALS = 2 ** 33;

export const FLOOD = defineBehaviour({
  name: 'flood',
  attack: 'A6',
  summary:
    'Stands for election several times a tick, in its own name, so that all others must check and answer its messages.',
  aim: 'stop',
  needsTopId: false,
  comesLate: false,
  stage: () => ({}),
  unsupportedReason: (protocol) => reasonIn(PROTOCOLS[protocol].forgery.candidacy),
  remains: () => null,
  wrap: createFlooding,
});

function createFlooding(machine: AnyMachine, byzantineNode: ByzantineNode): AnyMachine {
  return createByzantine<Flooded>(machine, byzantineNode, {
    init: () => ({ turns: 0 }),
    intercept(context, event) {
      const { own } = context.state;
      const isTurn = event.type === 'timeout' && event.timer === FLOOD_TIMER;
      if (own.turns === 0 && (event.type === 'start' || event.type === 'recover')) {
        context.effects.setTimer(FLOOD_TIMER, 1, true);
        stand(context);
      } else if (isTurn && own.turns > 0) {
        stand(context);
        if (own.turns >= FLOOD_TURNS_MAX) context.effects.cancelTimer(FLOOD_TIMER);
      }
      return !isTurn;
    },
  });
}

function stand(context: ByzantineStep<Flooded>): void {
  const { byzantineNode, self, state, effects } = context;
  const { candidacy } = PROTOCOLS[byzantineNode.protocol].forgery;
  state.own.turns += 1;
  if (typeof candidacy === 'string') return;
  for (let copy = 0; copy < FLOOD_BURST; copy += 1) {
    const bodies = candidacy.messages({
      about: self.rank,
      home: self.rank,
      ringNodes: self.ringNodes,
      // Not a later one: a flood does not raise the number of the election.
      epoch: state.observed.highestSeen,
      serial: SERIALS + state.own.turns * FLOOD_BURST + copy,
    });
    for (const to of recipientsOf(context)) {
      for (const body of bodies) {
        effects.send(to, forge(state.observed, byzantineNode, { by: self.rank, to, body }));
      }
    }
  }
}
