/** The ring of the exercise, mended: a node sends its own probe in place of every lower one. */

import type { Rank, Step } from 'usurp';
import {
  createMachine,
  defineProtocol,
  live,
  naming,
  ONE_LAP,
  ok,
  PLAIN_RING,
  PLAIN_RING_FAULTS,
  RELAYED,
  RELIABLE_RING,
  RING_FORGERY,
  stop,
  successor,
} from 'usurp';

type RingMessage =
  | { readonly type: 'PROBE'; readonly candidate: Rank }
  | { readonly type: 'SELECTED'; readonly leader: Rank };

type State = { probing: boolean; leader: Rank | null };
type Own = Step<State, RingMessage>;

export const MENDED_RING = defineProtocol({
  name: 'mended-ring',
  fifo: false,
  entriesAbout: null,
  assumes: RELIABLE_RING,
  messageBound: 'n to n^2+n(n-1)/2 PROBE + n SELECTED',
  messagesAbout: (nodes) => 1.5 * nodes ** 2 + 0.5 * nodes,
  source: 'E. Chang and R. Roberts, CACM 22(5), 1979',
  tokens: { ...ONE_LAP, isReplaced: true },
  forgery: {
    ...RING_FORGERY,
    announcement: naming(({ about }) => [{ type: 'SELECTED', leader: about }]),
    candidacy: naming(({ about }) => [{ type: 'PROBE', candidate: about }]),
    numbering: null,
    answer: 'no node answers a candidate',
  },
  messages: {
    PROBE: {
      members: { candidate: 'rank' },
      candidates: ['candidate'],
      token: { identifiedBy: ['candidate'], endsAt: 'candidate', stopsAtHigher: true },
      alterations: { candidate: 'highest-rank' },
      ...RELAYED,
    },
    SELECTED: {
      members: { leader: 'rank' },
      candidates: ['leader'],
      token: { identifiedBy: ['leader'], endsAt: 'leader', stopsAtHigher: false },
      alterations: null,
      ...RELAYED,
    },
  },
  faults: {
    ...PLAIN_RING_FAULTS,
    drop: stop('A message is sent once.'),
    duplicate: ok('A node ignores a copy.'),
    reorder: ok('Only the highest probe passes every node.'),
    'swizzle-clog': stop('A ring with a gap has no lap.'),
    amnesia: live('The next message contains what was forgotten.'),
  },
  ...PLAIN_RING,
  create: () =>
    createMachine<State, RingMessage>({
      settings: null,
      init: (self) => ({ probing: false, leader: self.incumbent }),
      on: {
        start: probe,
        recover(step) {
          step.state.leader = null;
          probe(step);
        },
        suspect(step, node) {
          if (node === step.state.leader) probe(step);
        },
        trust: announce,
        deliver: {
          PROBE(step, message) {
            const { self, state, effects } = step;
            if (message.candidate > self.rank) {
              effects.send(successor(self), message);
            } else if (message.candidate < self.rank) {
              probe(step);
            } else if (state.probing && state.leader !== self.rank) {
              state.leader = self.rank;
              effects.elect(self.rank, 0);
              announce(step);
            }
          },
          SELECTED(step, message) {
            const { self, state, effects } = step;
            if (message.leader === self.rank) return;
            state.leader = message.leader;
            effects.elect(message.leader, 0);
            effects.send(successor(self), message);
          },
        },
      },
    }),
});

function probe({ self, state, effects }: Own): void {
  state.probing = true;
  effects.send(successor(self), { type: 'PROBE', candidate: self.rank });
}

function announce({ self, state, effects }: Own): void {
  if (state.leader !== self.rank) return;
  effects.send(successor(self), { type: 'SELECTED', leader: self.rank });
}
