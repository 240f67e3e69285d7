/**
 * @module
 * A behaviour of a Byzantine node. Replace these lines: what the node does, and what becomes of it.
 *
 * The node follows its protocol but drops every second message that it should send.
 */

import { createByzantine, defineBehaviour } from 'usurp';

/** What the behaviour remembers beside the state of the protocol. It is plain JSON data. */
type Own = { sent: number };

export const EXAMPLE_BEHAVIOUR = defineBehaviour({
  name: 'example-behaviour',
  // Its number in the catalogue of attacks, A1 to A18, or a code of your own.
  attack: 'A3',
  // One sentence: what it does. `usurp attack --list` prints it.
  summary: 'Follows its protocol but drops every second message that it should send.',
  // What it is meant to achieve: 'lead', 'stop', 'split' or 'outlive-lease'.
  aim: 'stop',
  // Whether it has no effect below the highest rank, so that a top ID is forged for it.
  needsTopId: false,
  // Whether the node joins or returns after an election, so that a rule for newcomers affects it.
  comesLate: false,
  // The election in which it can take effect, for example { events: ['leader-dies'] }.
  stage: () => ({}),
  // Why it has no effect on a protocol, in words. Null for every protocol on which it has one.
  unsupportedReason: () => null,
  // Why no set of defences stops it, in one sentence. Null for every protocol on which one does.
  remains: () => null,
  // The Byzantine machine around the machine of the node.
  wrap: (machine, byzantineNode) =>
    createByzantine<Own>(machine, byzantineNode, {
      init: () => ({ sent: 0 }),
      // What is sent in place of a message of the node: itself, another message, or nothing (null).
      alter({ state }, message) {
        state.own.sent += 1;
        return state.own.sent % 2 === 0 ? null : message;
      },
    }),
});
