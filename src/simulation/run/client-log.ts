/**
 * @module
 * The history of the clients of a run, from what the machine at the rank of the store sends and receives: each operation
 * with the ticks of its call and its return. An operation that a node has refused has not happened and is left out. If the
 * network copies messages, a node may have accepted one copy of the question, crashed, and refused another one. The client
 * then knows no outcome, and what it asks of another node is another operation.
 */

import type { Answered, RegisterInput, RegisterOutput } from '../../election/client-operations.ts';
import { answeredIn, askedIn } from '../../election/client-operations.ts';
import type { AnyMachine } from '../../election/definition/protocol.ts';
import { intercepted } from '../../election/intercepted.ts';
import type { Message, Rank } from '../../election/machine.ts';

/** An operation of a client. */
export interface ClientOperation {
  readonly client: number;
  readonly input: RegisterInput;
  readonly call: number;
  /** Null if the client knows no outcome. */
  readonly returned: { readonly at: number; readonly output: RegisterOutput } | null;
}

export interface ClientLog {
  /** The machine, whose steps are noted. */
  readonly watched: AnyMachine;
  operations(): readonly ClientOperation[];
}

/** A log of the clients that are in this machine. `isRefusalCertain`: whether what a node refuses has not happened. */
export function createClientLog(
  machine: AnyMachine,
  { clock, isRefusalCertain }: { readonly clock: () => number; readonly isRefusalCertain: boolean },
): ClientLog {
  const operations = new Map<string, ClientOperation>();
  /** By client: the key of the last question. */
  const questions = new Map<number, string>();
  const note = (message: Message, from: Rank) => {
    const answer = answeredIn(message.type === 'REDIRECT' ? { ...message, output: null } : message);
    const key = answer && keyOf(answer, from);
    const operation = key && operations.get(key);
    if (!answer || !operation || questions.get(answer.client) !== key) return null;
    questions.delete(answer.client);
    const { output } = answer;
    if (output !== null) operations.set(key, { ...operation, returned: { at: clock(), output } });
    if (output !== null || !isRefusalCertain) return null;
    operations.delete(key);
    return { ...answer, operation };
  };
  return {
    watched: {
      init: machine.init,
      step(self, state, event, effects) {
        const waiting = event.type === 'deliver' ? note(event.message, event.from) : null;
        const collector = intercepted(effects, {
          send(to, message) {
            effects.send(to, message);
            const asked = message.type === 'ASK' ? askedIn(message) : null;
            if (asked === null) return;
            const { client, input } = asked;
            const key = keyOf(asked, to);
            questions.set(client, key);
            // A question that goes on to another node belongs to the operation that it has refused.
            const isRefused = waiting?.client === client && waiting.serial === asked.serial;
            const begun = { client, input, call: clock(), returned: null };
            operations.set(key, isRefused ? waiting.operation : begun);
          },
        });
        machine.step(self, state, event, collector);
      },
    },
    operations: () => [...operations.values()],
  };
}

function keyOf({ client, serial }: Pick<Answered, 'client' | 'serial'>, node: Rank): string {
  return `${client}:${serial}:${String(node)}`;
}
