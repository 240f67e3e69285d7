/**
 * @module
 * Three forms of the election of Chang and Roberts (1979, CACM 22(5)). A node sends its rank round the ring in a PROBE,
 * which only lower nodes pass on. Rule `join`: a node sends its own PROBE before it handles the first one of
 * another node. `replace`: a node that has sent no PROBE, its own or a higher one, replaces a lower one by its
 * own, and SELECTED unmarks it (G. Coulouris et al. 2012, "Distributed Systems: Concepts and Design", section 15.3).
 * `always`, a form of lectures: a node replaces every lower PROBE by its own.
 *
 * Invariants of all rules: (1) a PROBE passes only nodes lower than its candidate; (2) only the highest
 * member of a closed ring is elected, so that there is at most one leader, under any schedule; (3) SELECTED
 * goes round once, n hops, and ends at its leader. Of `join`: a node joins once, and a PROBE that was overtaken
 * starts nothing. Of `replace`: a marked node has sent a PROBE at least as high as itself. SELECTED clears marks,
 * so that without FIFO links a PROBE that SELECTED overtook starts others. Of `always`: every PROBE ends at the
 * highest node, as its own. Liveness needs a whole ring: what a node that is down has lost is sent again when
 * the node is trusted.
 */

import { ok, stop } from '../definition/fault-row.ts';
import { naming } from '../definition/forgery.ts';
import { RELAYED } from '../definition/message-definition.ts';
import type { ProtocolFacts } from '../definition/protocol.ts';
import { defineProtocol } from '../definition/protocol.ts';
import type { Step } from '../handlers.ts';
import { createMachine } from '../handlers.ts';
import type { Rank } from '../machine.ts';
import {
  circling,
  EPOCH,
  ONE_LAP,
  PLAIN_RING,
  plainRing,
  RELIABLE_RING,
  REPEATING_RING_FAULTS,
  successor,
  UNANSWERED,
} from './ring-facts.ts';

type ChangRobertsMessage =
  | { readonly type: 'PROBE'; readonly candidate: Rank }
  | { readonly type: 'SELECTED'; readonly leader: Rank };

type Selected = ChangRobertsMessage & { readonly type: 'SELECTED' };

type State = {
  /** Whether it has sent its own PROBE and, unless the rule is `always`, does not know the end of its candidacy. */
  probing: boolean;
  leader: Rank | null;
};
type JoinState = State & { joined: boolean };
type ReplaceState = State & { marked: boolean };

type Own<S = State> = Step<S, ChangRobertsMessage>;

const SOURCE =
  'E. Chang and R. Roberts, An improved algorithm for decentralized extrema-finding in circular configurations of processes, CACM 22(5), 1979';

const CHANG_ROBERTS = {
  fifo: false,
  assumes: RELIABLE_RING,
  entriesAbout: null,
  forgery: {
    announcement: naming(({ about }) => [{ type: 'SELECTED', leader: about }]),
    candidacy: naming(({ about }) => [{ type: 'PROBE', candidate: about }]),
    numbering: null,
    ...UNANSWERED,
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
      token: circling('leader'),
      alterations: null,
      ...RELAYED,
    },
  },
  faults: {
    drop: stop('The PROBE of the highest, or SELECTED, is sent once.'),
    duplicate: ok('A node that has led, or has passed the token on, ignores the second copy.'),
    reorder: ok('Only the highest PROBE can pass every node, in any order.'),
    ...REPEATING_RING_FAULTS,
  },
  ...PLAIN_RING,
} as const satisfies Partial<ProtocolFacts> & { readonly messages: object };

export const CR_JOIN = defineProtocol({
  name: 'cr-join',
  messageBound: '2n-1 to n(n+1)/2 PROBE (mean n*H_n over all rings) + n SELECTED',
  messagesAbout: (nodes) => nodes * (Math.log(nodes) + 2),
  source: SOURCE,
  tokens: ONE_LAP,
  create: () =>
    createMachine<JoinState, ChangRobertsMessage>({
      settings: null,
      init: (self) => ({ joined: false, probing: false, leader: self.incumbent }),
      on: {
        ...plainRing<JoinState, ChangRobertsMessage>({
          start(step) {
            if (!step.state.probing) join(step);
          },
          launch: join,
          trust: repeat(join),
        }),
        deliver: {
          PROBE(step, message) {
            const { self, state, effects } = step;
            if (!state.joined) join(step);
            if (message.candidate > self.rank) {
              effects.send(successor(self), message);
            } else if (message.candidate === self.rank && state.probing) {
              // Every other node has passed it on. A second copy finds `probing` false and ends here.
              state.probing = false;
              lead(step);
            }
          },
          SELECTED: onSelected,
        },
      },
    }),
  ...CHANG_ROBERTS,
});

export const CR_REPLACE = defineProtocol({
  name: 'cr-replace',
  messageBound:
    'one initiator: n to 2n-1 PROBE; all: 2n-1 to n(n+1)/2 (mean n*H_n over all rings); + n SELECTED',
  messagesAbout: (nodes) => nodes * (Math.log(nodes) + 2),
  source: `After ${SOURCE}, in the form of G. Coulouris, J. Dollimore, T. Kindberg and G. Blair, Distributed Systems: Concepts and Design, section 15.3, 2012, where a marked node drops what is lower`,
  tokens: ONE_LAP,
  create: () =>
    createMachine<ReplaceState, ChangRobertsMessage>({
      settings: null,
      init: (self) => ({ marked: false, probing: false, leader: self.incumbent }),
      on: {
        ...plainRing<ReplaceState, ChangRobertsMessage>({
          start(step) {
            if (!step.state.marked) mark(step);
          },
          launch: mark,
          trust(step) {
            step.state.marked = false;
            repeat(mark)(step);
          },
        }),
        deliver: {
          PROBE(step, message) {
            const { self, state, effects } = step;
            if (message.candidate > self.rank) {
              state.marked = true;
              effects.send(successor(self), message);
            } else if (message.candidate < self.rank) {
              if (!state.marked) mark(step);
            } else if (state.probing) {
              // Every other node has passed the PROBE on. A second copy finds `probing` false and ends here.
              state.probing = false;
              state.marked = false;
              lead(step);
            }
          },
          SELECTED(step, message) {
            if (message.leader !== step.self.rank) step.state.marked = false;
            onSelected(step, message);
          },
        },
      },
    }),
  ...CHANG_ROBERTS,
});

export const CR_ALWAYS = defineProtocol({
  name: 'cr-always',
  messageBound: 'one initiator: n to 2n-1 PROBE; all: n^2+n(n-1)/2 on every ring; + n SELECTED',
  messagesAbout: (nodes) => 1.5 * nodes ** 2 + 0.5 * nodes,
  source: `After ${SOURCE}, in the form of lectures, where what is lower is always replaced`,
  // A higher candidate replaces a lower one, which then never appears again.
  tokens: { ...ONE_LAP, isReplaced: true },
  create: () =>
    createMachine<State, ChangRobertsMessage>({
      settings: null,
      init: (self) => ({ probing: false, leader: self.incumbent }),
      on: {
        ...plainRing<State, ChangRobertsMessage>({
          start: probe,
          launch: probe,
          trust: selectIfLeader,
        }),
        deliver: {
          PROBE(step, message) {
            const { self, state, effects } = step;
            if (message.candidate > self.rank) effects.send(successor(self), message);
            else if (message.candidate < self.rank) probe(step);
            // Every other node has passed it on.
            else if (state.probing && state.leader !== self.rank) lead(step);
          },
          SELECTED(step, message) {
            if (message.leader !== step.self.rank) passSelected(step, message);
          },
        },
      },
    }),
  ...CHANG_ROBERTS,
});

function probe({ self, state, effects }: Own): void {
  state.probing = true;
  effects.send(successor(self), { type: 'PROBE', candidate: self.rank });
}

function join(step: Own<JoinState>): void {
  step.state.joined = true;
  probe(step);
}

function mark(step: Own<ReplaceState>): void {
  step.state.marked = true;
  probe(step);
}

/** A node has returned, and may have lost what this node has sent. */
function repeat<S extends State>(send: (step: Own<S>) => void) {
  return (step: Own<S>): void => {
    if (step.state.probing) send(step);
    else selectIfLeader(step);
  };
}

/** Leads, and announces it round the ring. */
function lead(step: Own): void {
  const { self, state, effects } = step;
  state.leader = self.rank;
  effects.elect(self.rank, EPOCH);
  selectIfLeader(step);
}

function selectIfLeader({ self, state, effects }: Own): void {
  if (state.leader !== self.rank) return;
  effects.send(successor(self), { type: 'SELECTED', leader: self.rank });
}

function onSelected(step: Own, message: Selected): void {
  const { self, state } = step;
  if (message.leader === self.rank) return;
  // The lap of a lower leader cannot have ended this node's candidacy: no lower node stops its PROBE.
  if (message.leader > self.rank) state.probing = false;
  passSelected(step, message);
}

/** Follows a leader and passes its announcement on. */
function passSelected({ self, state, effects }: Own, message: Selected): void {
  state.leader = message.leader;
  effects.elect(message.leader, EPOCH);
  effects.send(successor(self), message);
}
