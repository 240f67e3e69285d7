/**
 * @module
 * The closed list of election protocols: what each is called, what it assumes, what it costs at
 * most, where it comes from, and how to make its machine. Command line, API and documentation read
 * this list; nothing else names a protocol.
 */

import { createBullyOneshot } from './bully/bully-oneshot.ts';
import type { Json, Machine, Message } from './machine.ts';
import { createChangRobertsJoin } from './ring/cr-join.ts';
import type { Timing } from './timing.ts';

export const ALGORITHM_NAMES = ['bully-oneshot', 'cr-join'] as const;

export type AlgorithmName = (typeof ALGORITHM_NAMES)[number];

/** A machine whose protocol a driver does not know: its state is some JSON, its messages typed. */
export type AnyMachine = Machine<Json, Message>;

export interface Algorithm {
  readonly name: AlgorithmName;
  readonly family: 'bully' | 'ring';
  /** Whether a link that reorders can break its safety. */
  readonly fifo: boolean;
  /** In words and formulas, n the number of members. */
  readonly messageBound: string;
  /** About how many messages an election among n nodes sends at most; sizes are limited by it. */
  readonly messagesAbout: (nodes: number) => number;
  readonly source: string;
  readonly messageTypes: readonly string[];
  readonly create: (timing: Timing) => AnyMachine;
}

export const ALGORITHMS: Readonly<Record<AlgorithmName, Algorithm>> = {
  'bully-oneshot': {
    name: 'bully-oneshot',
    family: 'bully',
    fifo: false,
    messageBound:
      'n(n-1)/2 ELECTION + (n-1)(n-2)/2 OK + n-2 COORDINATOR when the highest is dead; n-1 at best',
    messagesAbout: (nodes) => nodes ** 2,
    source:
      'H. Garcia-Molina, Elections in a Distributed Computing System, IEEE Trans. Computers C-31(1), 1982; one-shot textbook form',
    messageTypes: ['ELECTION', 'OK', 'COORDINATOR'],
    create: (timing) => createBullyOneshot(timing),
  },
  'cr-join': {
    name: 'cr-join',
    family: 'ring',
    fifo: false,
    messageBound: '2n-1 to n(n+1)/2 PROBE (mean n*H_n over all rings) + n SELECTED',
    messagesAbout: (nodes) => nodes * (Math.log(nodes) + 2),
    source:
      'E. Chang and R. Roberts, An improved algorithm for decentralized extrema-finding in circular configurations of processes, CACM 22(5), 1979',
    messageTypes: ['PROBE', 'SELECTED'],
    create: () => createChangRobertsJoin(),
  },
};
