/**
 * @module
 * A failure detector beside each node's protocol. Replace these lines: when it suspects a node, and how
 * reliable that is.
 *
 * A node asks every other member once a period, and suspects those that have not answered the last question.
 */

import type { Detector, DetectorEffects, Message, Rank, Self } from 'usurp';
import { defineDetector, ticksFrom } from 'usurp';

/** The types of its messages begin with FD_, so that protocols do not receive them. */
interface Question extends Message {
  readonly type: 'FD_QUESTION';
}
interface Answer extends Message {
  readonly type: 'FD_ANSWER';
}

/** What a node remembers. It is plain JSON data. */
type State = {
  /** The members that have not answered yet. */
  silent: Rank[];
  suspected: Rank[];
};

const PERIOD_TIMER = 'period';

export const EXAMPLE_DETECTOR = defineDetector({
  name: 'example-detector',
  // One sentence: when it suspects, and how reliable that is. `usurp elect --list detectors` prints it.
  rule: 'asks once a period and suspects a member without an answer; perfect if a period is longer than a round trip',
  // In words and formulas; n is the number of members.
  messageBound: '2n(n-1) a period',
  // Where it is described.
  source: 'the skeleton of usurp new',
  // The kind of each member of its messages, by type.
  messages: { FD_QUESTION: {}, FD_ANSWER: {} },
  // As in `--detector example-detector:every=40`.
  options: {
    every: {
      ...ticksFrom(1),
      meaning: 'ticks from one question to the next',
      byDefault: (timing) => 2 * timing.latencyTicksMax + 1,
    },
  },
  // Why given options cannot be combined, in words. Null if all can.
  clash: null,
  // How many nodes may run it. Memory for the messages of one period limits it.
  nodesMax: 128,
  // About how many ticks after a crash the last live node suspects it.
  detectionTicks: (_timing, read) => 2 * read.number('every'),
  // The machine of each node. Null if it is none, but a script outside the nodes.
  create: (_timing, read) => createAsking(read.number('every')),
});

type Effects = DetectorEffects<Question | Answer>;

function createAsking(periodTicks: number): Detector<State, Question | Answer> {
  return {
    init: () => ({ silent: [], suspected: [] }),
    // The fourth argument is the clock of the node, in ticks.
    step(self, state, event, _now, effects) {
      switch (event.type) {
        case 'start':
        case 'recover':
          effects.setTimer(PERIOD_TIMER, periodTicks, true);
          ask(self, state, effects);
          break;
        case 'timeout':
          for (const member of state.silent) suspect(state, member, effects);
          ask(self, state, effects);
          break;
        case 'deliver':
          if (event.message.type === 'FD_QUESTION') effects.send(event.from, { type: 'FD_ANSWER' });
          else trust(state, event.from, effects);
          break;
        case 'chosen':
          // This detector draws no numbers.
          break;
        default:
          event satisfies never;
      }
    },
  };
}

function ask(self: Self, state: State, effects: Effects): void {
  state.silent = self.members.filter((member) => member !== self.rank);
  for (const member of state.silent) effects.send(member, { type: 'FD_QUESTION' });
}

function suspect(state: State, member: Rank, effects: Effects): void {
  if (state.suspected.includes(member)) return;
  state.suspected.push(member);
  effects.suspect(member);
}

function trust(state: State, member: Rank, effects: Effects): void {
  state.silent = state.silent.filter((each) => each !== member);
  if (!state.suspected.includes(member)) return;
  state.suspected = state.suspected.filter((each) => each !== member);
  effects.trust(member);
}
