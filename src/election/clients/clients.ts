/**
 * @module
 * This folder contains the clients of leaders, and what serves them.
 * Clients as a machine at the rank of the store. A client makes one operation at a time. Client k begins with the k-th of
 * write, read, compare-and-set, and goes through these in turn. All values that are written differ. A compare-and-set
 * expects what the client has read or written last.
 */

import type { Answered, ClientMessage, Content, RegisterInput } from '../client-operations.ts';
import { answeredIn } from '../client-operations.ts';
import type { Step } from '../handlers.ts';
import { createMachine } from '../handlers.ts';
import type { Machine, Message, Rank } from '../machine.ts';
import { countOf, memberOf } from '../message-members.ts';

/** The types of messages that clients receive. */
export const CLIENT_MESSAGES: readonly string[] = ['ANSWER', 'REDIRECT', 'FOLLOWS'];

export interface ClientsOptions {
  readonly clients: number;
  /** Operations of all clients together, those that are refused not included. */
  readonly operationsMax: number;
  /** Ticks from the end of an operation to the next. With 0 a refused one is repeated when its node follows a leader. */
  readonly everyTicks: number;
  /** Ticks until a client gives up an operation. Null for never. */
  readonly patienceTicks: number | null;
}

type Client = {
  /** The node that it has asked. Null while it waits for nothing. */
  asked: Rank | null;
  /** Number of the question, and whether it was redirected. */
  serial: number;
  redirected: boolean;
  /** Operations that are over, and what it saw last. */
  operations: number;
  seen: Content;
};

export type ClientsState = { clients: Client[]; operations: number };

type Own = Step<ClientsState, Message, ClientsOptions>;

export function createClients(options: ClientsOptions): Machine<ClientsState, Message> {
  return createMachine<ClientsState, Message, ClientsOptions>({
    settings: options,
    init: () => ({
      operations: 0,
      clients: Array.from({ length: options.clients }, () => {
        return { asked: null, serial: 0, redirected: false, operations: 0, seen: null };
      }),
    }),
    on: {
      deliver: {
        FOLLOWS(step, _message, from) {
          for (const number of step.state.clients.keys()) {
            if (homeOf(step, number) === from) begin(step, number);
          }
        },
        ANSWER(step, message, from) {
          const answer = answeredIn(message);
          const awaited = answer && awaitedBy(step, answer, from);
          if (answer === null || awaited === null) return;
          if (answer.output !== null) finish(step, awaited, answer.output);
          rest(step, answer.client);
          if (answer.output !== null && step.settings.everyTicks === 0) begin(step, answer.client);
        },
        REDIRECT(step, message, from) {
          const refused = answeredIn({ ...message, output: null });
          const awaited = refused && awaitedBy(step, refused, from);
          if (refused === null || awaited === null) return;
          const named = memberOf(message, 'leader');
          const leader = step.self.members.find((member) => member === named);
          if (leader === undefined || leader === from || awaited.redirected) {
            rest(step, refused.client);
          } else {
            awaited.redirected = true;
            ask(step, refused.client, leader);
          }
        },
      },
      timeout: {
        next(step, timer) {
          begin(step, numberIn(timer));
        },
        patience(step, timer) {
          const number = numberIn(timer);
          const client = step.state.clients[number];
          if (client === undefined || client.asked === null) return;
          finish(step, client, null);
          rest(step, number);
        },
      },
    },
  });
}

/** The client of a number, if it waits for this answer of this node. */
function awaitedBy({ state }: Own, { client, serial }: Answered, from: Rank): Client | null {
  const waiting = state.clients[client];
  return waiting !== undefined && waiting.asked === from && waiting.serial === serial
    ? waiting
    : null;
}

/** The node that a client asks first. */
function homeOf({ self }: Own, number: number): Rank | undefined {
  return self.members[number % self.members.length];
}

/** Begins an operation, unless one is under way or there were enough. */
function begin(step: Own, number: number): void {
  const { state, settings } = step;
  const client = state.clients[number];
  const home = homeOf(step, number);
  if (client === undefined || home === undefined || client.asked !== null) return;
  const underWay = state.clients.filter(({ asked }) => asked !== null).length;
  if (state.operations + underWay >= settings.operationsMax) return;
  client.serial += 1;
  client.redirected = false;
  if (settings.everyTicks > 0) step.effects.cancelTimer(`next:${number}`);
  if (settings.patienceTicks !== null) {
    step.effects.setTimer(`patience:${number}`, settings.patienceTicks, false);
  }
  ask(step, number, home);
}

function ask({ state, settings, effects }: Own, number: number, node: Rank): void {
  const client = state.clients[number];
  if (client === undefined) return;
  client.asked = node;
  const input = inputOf(client, number, settings.clients);
  const message: ClientMessage = { type: 'ASK', client: number, serial: client.serial, input };
  effects.send(node, message);
}

/** The operation that a client makes next. */
function inputOf({ operations, seen }: Client, number: number, clients: number): RegisterInput {
  const value = operations * clients + number + 1;
  switch ((operations + number) % 3) {
    case 0:
      return { type: 'write', value };
    case 1:
      return { type: 'read' };
    default:
      return { type: 'compare-and-set', expected: seen, value };
  }
}

/** The operation is over. Without an output its outcome is unknown. */
function finish({ state, settings }: Own, client: Client, output: Answered['output']): void {
  const input = inputOf(client, state.clients.indexOf(client), settings.clients);
  if (output !== null && 'value' in output) client.seen = output.value;
  else if (output?.done === true && input.type !== 'read') client.seen = input.value;
  client.operations += 1;
  state.operations += 1;
}

/** The client waits for nothing until its next operation. */
function rest({ state, settings, effects }: Own, number: number): void {
  const client = state.clients[number];
  if (client === undefined) return;
  client.asked = null;
  if (settings.patienceTicks !== null) effects.cancelTimer(`patience:${number}`);
  if (settings.everyTicks > 0) effects.setTimer(`next:${number}`, settings.everyTicks, false);
}

function numberIn(timer: string): number {
  return countOf(Number(timer.slice(timer.indexOf(':') + 1))) ?? -1;
}
