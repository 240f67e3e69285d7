/**
 * @module
 * A leader that serves a register whose content is at the resource (lease/stores/resource.ts). At the beginning of its
 * epoch it fetches the content, after it has registered if the resource wants that. It answers from what it fetched and
 * wrote since, as leaders do to spare the resource, or asks the resource at every operation (`reads`). A fence keeps the
 * writes of a replaced leader off. It cannot prevent that such a leader answers reads, unless the resource is asked.
 *
 * Invariants: (1) one operation is under way, the others wait in order; (2) a write is answered when the resource has
 * confirmed it; (3) what waits when the node ceases to lead is refused, and what is under way has no answer; (4) a call
 * that is repeated has the same number, so that it takes effect once.
 */

import type { Answered, Asked, Content } from '../client-operations.ts';
import { askedIn, operated } from '../client-operations.ts';
import type { AnyMachine } from '../definition/protocol.ts';
import { intercepted, react } from '../intercepted.ts';
import type { ResourceOperation } from '../lease/stores/resource.ts';
import { isResourceReply } from '../lease/stores/resource.ts';
import type { Effects, Event, Json, Machine, Message, Self } from '../machine.ts';

/** Where a leader that is asked for the content looks it up. */
export const READS = ['leader', 'resource'] as const;
export type Reads = (typeof READS)[number];

export interface ServedOptions {
  readonly reads: Reads;
  readonly registers: boolean;
  /** Ticks until a call without an answer is repeated. 0 for never. */
  readonly everyTicks: number;
}

type Served = {
  /** The epoch in which it serves. Null while it does not lead, or after it was fenced off. */
  epoch: number | null;
  /** The call that has no answer yet. */
  open: ResourceOperation | null;
  /** Whether the content is that of this epoch. */
  isKnown: boolean;
  content: Content;
  /** Number of writes sent. */
  written: number;
  /** The first is under way. */
  waiting: Asked[];
};

export type ServedState = { inner: Json; served: Served };

interface Step {
  readonly machine: AnyMachine;
  readonly options: ServedOptions;
  readonly self: Self;
  readonly state: ServedState;
  readonly effects: Effects<Message>;
}

const TIMER = 'serve:repeat';

/** The machine of every node, around that of a protocol. */
export function createServed(
  machine: AnyMachine,
  options: ServedOptions,
): Machine<ServedState, Message> {
  return {
    init: (self) => ({
      inner: machine.init(self),
      served: {
        epoch: null,
        open: null,
        isKnown: false,
        content: null,
        written: 0,
        waiting: [],
      },
    }),
    step: (self, state, event, effects) => {
      react(REACTIONS, stepInner, { machine, options, self, state, effects }, event);
    },
  };
}

const REACTIONS = {
  timeout(step: Step, event: Event<Message> & { readonly type: 'timeout' }) {
    const { open } = step.state.served;
    if (event.timer !== TIMER) stepInner(step, event);
    else if (open !== null) step.effects.call(open);
  },
  reply(step: Step, event: Event<Message> & { readonly type: 'reply' }) {
    if (isResourceReply(event.value)) onReply(step, event.value);
    else stepInner(step, event);
  },
  request(step: Step, event: Event<Message> & { readonly type: 'request' }) {
    const asked = askedIn(event.value);
    const { served } = step.state;
    if (asked === null) stepInner(step, event);
    else if (served.epoch === null) refuse(step, asked);
    else {
      served.waiting.push(asked);
      if (served.open === null) proceed(step);
    }
  },
};

function stepInner(step: Step, event: Event<Message>): void {
  const { machine, self, state, effects } = step;
  const collector = intercepted(effects, {
    elect(leader, epoch) {
      effects.elect(leader, epoch);
      if (leader === self.rank) begin(step, epoch);
      else end(step);
    },
    stepDown() {
      effects.stepDown();
      end(step);
    },
  });
  machine.step(self, state.inner, event, collector);
}

function begin(step: Step, epoch: number): void {
  const { served } = step.state;
  if (served.epoch === epoch) return;
  end(step);
  served.epoch = epoch;
  if (step.options.everyTicks > 0) step.effects.setTimer(TIMER, step.options.everyTicks, true);
  call(step, { type: step.options.registers ? 'REGISTER' : 'FETCH', epoch });
}

function end(step: Step): void {
  const { served } = step.state;
  if (served.epoch === null) return;
  // What the resource was asked to write may be written, even if a repetition was refused.
  const isWriting = served.open?.type === 'WRITE';
  for (const asked of served.waiting.slice(isWriting ? 1 : 0)) refuse(step, asked);
  Object.assign(served, { epoch: null, open: null, isKnown: false, waiting: [] });
  step.effects.cancelTimer(TIMER);
}

function onReply(step: Step, reply: Message): void {
  const { served } = step.state;
  const { open } = served;
  if (open === null || !isResourceReply(reply) || reply.epoch !== open.epoch) return;
  if (reply.type === 'REFUSED') {
    end(step);
  } else if (reply.type === 'REGISTERED' && open.type === 'REGISTER') {
    call(step, { type: 'FETCH', epoch: open.epoch });
  } else if (reply.type === 'FETCHED' && open.type === 'FETCH') {
    served.open = null;
    served.content = reply.content;
    const [asked] = served.isKnown ? served.waiting : [];
    served.isKnown = true;
    if (asked === undefined) proceed(step);
    else operate(step, asked);
  } else if (reply.type === 'WRITTEN' && open.type === 'WRITE' && reply.value === open.value) {
    served.open = null;
    served.content = open.content ?? null;
    respond(step, { done: true });
  }
}

/** Begins with the next operation. */
function proceed(step: Step): void {
  const { state, options } = step;
  const { epoch, waiting } = state.served;
  const [asked] = waiting;
  if (asked === undefined || epoch === null) return;
  if (options.reads === 'resource') call(step, { type: 'FETCH', epoch });
  else operate(step, asked);
}

/** Does an operation on the content that it knows. */
function operate(step: Step, { input }: Asked): void {
  const { served } = step.state;
  const { output } = operated(served.content, input);
  if (input.type === 'read' || !('done' in output && output.done)) {
    respond(step, output);
    return;
  }
  if (served.epoch === null) return;
  served.written += 1;
  const { epoch, written: value } = served;
  call(step, { type: 'WRITE', epoch, value, content: input.value });
}

/** Answers the operation that is under way. */
function respond(step: Step, output: NonNullable<Answered['output']>): void {
  const asked = step.state.served.waiting.shift();
  if (asked === undefined) return;
  const { client, serial } = asked;
  step.effects.respond({ client, serial, output });
  proceed(step);
}

function refuse({ effects }: Step, { client, serial }: Asked): void {
  effects.respond({ client, serial, output: null });
}

function call({ state, effects }: Step, operation: ResourceOperation): void {
  state.served.open = operation;
  effects.call(operation);
}
