/** Chang and Roberts: a node sends a probe of its own only in place of a lower one. */

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

type State = { marked: boolean; probing: boolean; leader: Rank | null };
type Own = Step<State, RingMessage>;

export const MY_RING = defineProtocol({
  name: 'my-ring',
  fifo: false,
  entriesAbout: null,
  assumes: RELIABLE_RING,
  messageBound: 'n to n(n+1)/2 PROBE + n SELECTED',
  messagesAbout: (nodes) => nodes * (Math.log(nodes) + 2),
  source: 'E. Chang and R. Roberts, CACM 22(5), 1979',
  tokens: ONE_LAP,
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
      init: (self) => ({ marked: false, probing: false, leader: self.incumbent }),
      on: {
        start(step) {
          if (!step.state.marked) mark(step);
        },
        recover(step) {
          step.state.leader = null;
          mark(step);
        },
        suspect(step, node) {
          if (node === step.state.leader) mark(step);
        },
        trust(step) {
          step.state.marked = false;
          if (step.state.probing) mark(step);
          else announce(step);
        },
        deliver: {
          PROBE(step, message) {
            const { self, state, effects } = step;
            if (message.candidate > self.rank) {
              state.marked = true;
              effects.send(successor(self), message);
            } else if (message.candidate < self.rank) {
              if (!state.marked) mark(step);
            } else if (state.probing) {
              state.probing = false;
              state.marked = false;
              state.leader = self.rank;
              effects.elect(self.rank, 0);
              announce(step);
            }
          },
          SELECTED(step, message) {
            const { self, state, effects } = step;
            if (message.leader === self.rank) return;
            state.marked = false;
            if (message.leader > self.rank) state.probing = false;
            state.leader = message.leader;
            effects.elect(message.leader, 0);
            effects.send(successor(self), message);
          },
        },
      },
    }),
});

function mark({ self, state, effects }: Own): void {
  state.marked = true;
  state.probing = true;
  effects.send(successor(self), { type: 'PROBE', candidate: self.rank });
}

function announce({ self, state, effects }: Own): void {
  if (state.leader !== self.rank) return;
  effects.send(successor(self), { type: 'SELECTED', leader: self.rank });
}
