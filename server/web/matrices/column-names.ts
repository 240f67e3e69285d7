/**
 * @module
 * The names of the columns of a matrix. An attack has the name of the glossary, a fault its words in the result.
 */

import { answerOf, api } from '../api/client.ts';
import { useAnswer } from '../shell/use-answer.ts';
import type { MatrixResult } from './cells.ts';
import { hasAttacks } from './cells.ts';

/** The attacks are the first terms of the glossary, which is in the order of the names. */
const TERMS = '100';

/** The name of each column by its code. Empty until the glossary is read. */
export function useColumnNames(result: MatrixResult): ReadonlyMap<string, string> {
  const { value } = useAnswer(async () => columnNames(result, await termsOf(result)));
  return value ?? new Map();
}

interface Term {
  readonly term: string;
  readonly meaning: string;
}

async function termsOf(result: MatrixResult): Promise<readonly Term[]> {
  if (!hasAttacks(result)) return [];
  const query = { pageSize: TERMS };
  return (await answerOf(api.GET('/v1/glossary', { params: { query } }))).items;
}

/** The names by code. A column can be two attacks, such as A8/9. */
export function columnNames(
  result: MatrixResult,
  terms: readonly Term[],
): ReadonlyMap<string, string> {
  if (!hasAttacks(result)) {
    return new Map(
      result.rows.flatMap(({ cells }) => cells.map(({ fault, drawn }) => [fault, drawn] as const)),
    );
  }
  const names = new Map(
    terms.map(({ term, meaning }) => [term, meaning.slice(0, Math.max(0, meaning.indexOf(':')))]),
  );
  return new Map(
    result.attacks.map((attack) => {
      const [first = '', second] = attack.split('/');
      const found = [first, ...(second === undefined ? [] : [`A${second}`])];
      return [attack, found.flatMap((code) => names.get(code) ?? []).join(' or ')] as const;
    }),
  );
}
