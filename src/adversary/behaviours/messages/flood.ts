/**
 * @module
 * A node that stands for election several times a tick: in its own name, in the election that is on, as
 * its protocol lets it, so that every level lets it through and every listener has all of it to check.
 * Messages take no time to handle here: what a flood costs is messages, the answers included, and whatever
 * a protocol does that is asked twice. It ends, since what goes round a ring may go round for ever.
 */

import { reasonIn } from '../../../election/definition/forgery.ts';
import type { AnyMachine } from '../../../election/definition/protocol.ts';
import { PROTOCOLS } from '../../../election/registry.ts';
import { forge } from '../../forging.ts';
import type { ByzantineNode } from '../behaviour.ts';
import { defineBehaviour } from '../behaviour.ts';
import type { Forger } from '../byzantine-machine.ts';
import { audience, createByzantine } from '../byzantine-machine.ts';

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
    'Stands for election several times a tick, in its own name, so that all others have its messages to check and to answer.',
  aim: 'stop',
  needsTopId: false,
  stage: () => ({}),
  unsupportedReason: (protocol) => reasonIn(PROTOCOLS[protocol].forgery.candidacy),
  wrap: createFlooding,
});

function createFlooding(machine: AnyMachine, byzantineNode: ByzantineNode): AnyMachine {
  return createByzantine<Flooded>(machine, byzantineNode, {
    init: () => ({ turns: 0 }),
    hear(forger, event) {
      const { own } = forger.state;
      const isTurn = event.type === 'timeout' && event.timer === FLOOD_TIMER;
      if (own.turns === 0 && (event.type === 'start' || event.type === 'recover')) {
        forger.effects.setTimer(FLOOD_TIMER, 1, true);
        stand(forger);
      } else if (isTurn && own.turns > 0) {
        stand(forger);
        if (own.turns >= FLOOD_TURNS_MAX) forger.effects.cancelTimer(FLOOD_TIMER);
      }
      return !isTurn;
    },
  });
}

function stand(forger: Forger<Flooded>): void {
  const { byzantineNode, self, state, effects } = forger;
  const { candidacy } = PROTOCOLS[byzantineNode.protocol].forgery;
  state.own.turns += 1;
  if (typeof candidacy === 'string') return;
  for (let copy = 0; copy < FLOOD_BURST; copy += 1) {
    const bodies = candidacy.messages({
      ...{ about: self.rank, home: self.rank, ringNodes: self.ringNodes },
      // Not a later one: whoever raises the number of elections does more than flood.
      epoch: state.hand.heard,
      serial: SERIALS + state.own.turns * FLOOD_BURST + copy,
    });
    for (const to of audience(forger)) {
      for (const body of bodies) {
        effects.send(to, forge(state.hand, byzantineNode, { by: self.rank, to, body }));
      }
    }
  }
}
