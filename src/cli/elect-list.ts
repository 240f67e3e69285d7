/**
 * @module
 * `usurp elect --list`: the protocols there are, as the registry has them.
 */

import type { AlgorithmName } from '../election/registry.ts';
import { ALGORITHM_NAMES, ALGORITHMS } from '../election/registry.ts';
import { columns } from './layout.ts';

/** The protocols for programs: all, or the one that is named. */
export function protocols(only: AlgorithmName | undefined) {
  const names = only === undefined ? ALGORITHM_NAMES : [only];
  const algorithms = names.map((name) => {
    const { family, fifo, messageBound, source } = ALGORITHMS[name];
    const { assumes, elects, flags, messageTypes } = ALGORITHMS[name];
    return {
      ...{ name, family, fifo, messageBound, source },
      ...{ assumes, elects, flags, messageTypes },
    };
  });
  return { algorithms };
}

/** The same for people. */
export function protocolsTable(only: AlgorithmName | undefined): string {
  const { algorithms } = protocols(only);
  const flags = algorithms.flatMap(({ name, flags: listed }) =>
    Object.entries(listed).map(([flag, values]) => [name, `${flag}=${values.join('|')}`]),
  );
  return [
    columns([
      ['algorithm', 'family', 'elects', 'links', 'messages'],
      ...algorithms.map(({ name, family, elects, fifo, messageBound }) => [
        ...[name, family, elects, fifo ? 'FIFO' : 'any', messageBound],
      ]),
    ]),
    columns([['algorithm', 'assumes'], ...algorithms.map(({ name, assumes }) => [name, assumes])]),
    columns([['algorithm', 'source'], ...algorithms.map(({ name, source }) => [name, source])]),
    ...(flags.length === 0
      ? []
      : [columns([['algorithm', '--flag, the default first'], ...flags])]),
  ].join('\n');
}
