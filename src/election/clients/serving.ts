/**
 * @module
 * The machine of a node that clients ask, around one that serves them while it leads. A question is a `request` of the
 * inner machine, and what that responds is the answer. Each question is passed on once, however often it arrives. A node
 * that does not lead redirects the client.
 */

import type { Asked, ClientMessage } from '../client-operations.ts';
import { answeredIn, askedIn } from '../client-operations.ts';
import type { AnyMachine } from '../definition/protocol.ts';
import { intercepted, react } from '../intercepted.ts';
import type { Effects, Json, Machine, Message, Rank, Self } from '../machine.ts';

export type ServingState = {
  inner: Json;
  /** The leader that it follows. */
  leader: Rank | null;
  /** By client: the number of its last question. */
  asked: Record<string, number>;
};

interface Step {
  readonly machine: AnyMachine;
  readonly self: Self;
  readonly state: ServingState;
  readonly effects: Effects<Message>;
}

/** The machine around another, whose driver must have clients at the rank of its store. */
export function createServing(machine: AnyMachine): Machine<ServingState, Message> {
  return {
    init: (self) => ({ inner: machine.init(self), leader: null, asked: {} }),
    step: (self, state, event, effects) => {
      react<Step>(
        {
          reply(step, { value }) {
            const asked = value.type === 'ASK' ? askedIn(value) : null;
            if (asked === null) stepInner(step, event);
            else onAsked(step, asked);
          },
        },
        stepInner,
        { machine, self, state, effects },
        event,
      );
    },
  };
}

function onAsked(step: Step, asked: Asked): void {
  const { self, state } = step;
  const { client, serial } = asked;
  if (serial <= (state.asked[client] ?? 0)) return;
  state.asked[client] = serial;
  if (state.leader === self.rank) stepInner(step, { type: 'request', value: asked });
  else tell(step, { type: 'REDIRECT', client, serial, leader: state.leader });
}

function stepInner(step: Step, event: Parameters<AnyMachine['step']>[2]): void {
  const { machine, self, state, effects } = step;
  const collector = intercepted(effects, {
    elect(leader, epoch) {
      effects.elect(leader, epoch);
      state.leader = leader;
      tell(step, { type: 'FOLLOWS' });
    },
    stepDown() {
      effects.stepDown();
      state.leader = null;
    },
    respond(value) {
      const answer = answeredIn(value);
      if (answer === null) effects.respond(value);
      else tell(step, { type: 'ANSWER', ...answer });
    },
  });
  machine.step(self, state.inner, event, collector);
}

function tell({ effects }: Step, message: ClientMessage): void {
  effects.call(message);
}
