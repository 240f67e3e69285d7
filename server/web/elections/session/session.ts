/**
 * @module
 * What the reader does in the view of one election: chooses a moment, a node or a message, and acts. The choices are
 * in the address.
 */

import type { Signal } from '@preact/signals';
import { signal } from '@preact/signals';

import { answerOf, api } from '../../api/client.ts';
import type { Schema } from '../../api/contract.ts';
import { once } from '../../api/jobs.ts';
import { keepInAddress } from '../../shell/router.ts';
import { attemptsOf } from '../../shell/use-attempt.ts';
import type { Watch } from './watch.ts';

export type ElectionAction = Schema<'ElectionAction'>;

/** The choices, as the address has them. */
export interface Choices {
  /** Number of events that are shown; null shows all and follows new ones. */
  readonly at: number | null;
  readonly node: number | null;
  /** A message by its number in the API. */
  readonly message: number | null;
  /** The nodes on one side of the next partition. */
  readonly side: readonly number[];
}

/** Reads the choices from the values of the address; what is not a number is left out. */
export function choicesOf(query: Readonly<Record<string, string>>): Choices {
  const numberOf = (name: string) => {
    const value = query[name];
    return value !== undefined && /^-?\d{1,9}$/.test(value) ? Number(value) : null;
  };
  const side = (query['side'] ?? '').split('-').filter((part) => /^\d{1,4}$/.test(part));
  return {
    at: numberOf('at'),
    node: numberOf('node'),
    message: numberOf('message'),
    side: side.map(Number),
  };
}

/** Acts on one election, and keeps what was refused. */
export class Session {
  readonly watch: Watch;
  readonly error: Signal<unknown> = signal(null);
  readonly isBusy = signal(false);
  readonly lastAction: Signal<ElectionAction | null> = signal(null);
  /** What the last action did, if it says so. */
  readonly outcome: Signal<string | null> = signal(null);

  readonly #attempt = attemptsOf(this.isBusy, this.error).attempt;

  constructor(watch: Watch) {
    this.watch = watch;
  }

  /** Carries out an action, and shows the newest moment. Returns whether it was done. */
  readonly act = async (action: ElectionAction): Promise<boolean> => {
    if (this.isBusy.value) return false;
    this.outcome.value = null;
    return this.#attempt(async () => {
      const params = { path: { id: this.watch.id }, ...once() };
      const answer = await answerOf(
        api.POST('/v1/elections/{id}/actions', { params, body: action }),
      );
      this.lastAction.value = action;
      this.outcome.value = injectionText(answer);
      this.watch.accept(answer);
      keepInAddress({ at: null });
    });
  };
}

const OBSTACLES: Readonly<Record<string, string>> = {
  absent: 'no node has that rank',
  down: 'the node is down',
  cut: 'a partition separates the nodes',
  type: 'the protocol has no such message',
  sender: 'the level does not admit the stated sender',
  malformed: 'it has not the form of its type, or lacks its proof',
  replay: 'its number was used before',
  signature: 'the signature is not one of the stated sender',
  candidacy: 'a node that it names has not signed its candidacy',
};

/** Whether the recipients can process an injected message. */
function injectionText({ injection }: Schema<'ElectionAfterAction'>): string | null {
  if (injection === undefined) return null;
  const sentences = injection.recipients.map(({ rank, obstacle }) =>
    obstacle === null
      ? `Node ${rank} can process the message.`
      : `Node ${rank} will not process the message: ${OBSTACLES[obstacle] ?? obstacle}.`,
  );
  return sentences.slice(0, 5).join(' ');
}

/** The cut of the links between some nodes and all others. */
export function cutBetween(side: readonly number[], all: readonly number[]): string {
  const others = all.filter((rank) => !side.includes(rank));
  const [only] = side;
  if (side.length === 1 && only !== undefined) return `isolate:${only}`;
  const links = side.flatMap((one) => others.map((other) => `${one}-${other}`));
  return `links:${links.join()}`;
}
