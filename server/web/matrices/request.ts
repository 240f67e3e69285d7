/**
 * @module
 * The form of a matrix as the values of an address, as the request of the API and as the arguments of the command.
 */

import type { Schema } from '../api/contract.ts';

export type MatrixRequest = Schema<'MatrixRequest'>;

/** The values that an empty form has. */
export const DEFAULTS = { matrix: 'attack', runs: '30', seed: '1' } as const;

/** The protocols that are chosen; none stands for all. */
export function chosenProtocols({ protocols = '' }: Readonly<Record<string, string>>): string[] {
  return protocols.split(',').filter((name) => name !== '');
}

/** The request that an address stands for. What the server refuses is left to it. */
export function requestOf(query: Readonly<Record<string, string>>): MatrixRequest {
  const chosen = chosenProtocols(query);
  const protocols = chosen.length > 0 && { protocols: chosen };
  const request =
    query.matrix === 'fault'
      ? { matrix: 'fault', ...protocols, runs: Number(query.runs ?? DEFAULTS.runs) }
      : {
          ...{ matrix: 'attack', ...protocols, seed: query.seed ?? DEFAULTS.seed },
          ...(query.sets === '1' && { sets: true }),
        };
  return request as MatrixRequest; // The server refuses names that it does not know.
}

/** The address of the form with a request. */
export function queryOf(
  request: MatrixRequest,
): Readonly<Record<string, string | number | undefined>> {
  const { matrix, protocols } = request;
  return {
    ...{ matrix, protocols: protocols?.join(',') },
    ...(request.matrix === 'fault'
      ? { runs: request.runs }
      : { seed: request.seed, sets: request.sets === true ? 1 : undefined }),
  };
}

/** The arguments of the command for a request. Null for a fault matrix, which no command prints. */
export function commandOf(request: MatrixRequest): string[] | null {
  if (request.matrix === 'fault') return null;
  const { protocols, sets, seed = DEFAULTS.seed } = request;
  return [
    ...[
      'attack',
      '--matrix',
      ...(protocols === undefined ? [] : ['--protocols', protocols.join()]),
    ],
    ...[...(sets === true ? ['--sets'] : []), '--seed', seed],
  ];
}
