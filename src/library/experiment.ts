/**
 * @module
 * `usurp/experiment`: threat models that run, and say whether their expectation holds.
 */

import type { Asking } from './ask.ts';
import { ask } from './ask.ts';

export type { Asking } from './ask.ts';

/** A threat model and how it runs. The members are those of `usurp run`, in camelCase (docs/cli/run.md). */
export interface Experiment {
  /** An id of the catalogue, or a whole document as data (docs/threat-models.md). */
  readonly threatModel: string | Readonly<Record<string, unknown>>;
  /** Changes of the document, by path: `{ 'network.honest': 9 }`. */
  readonly set?: Readonly<Record<string, string | number | boolean | null>>;
  readonly runs?: number;
  /** Confidence level of the interval, between 0 and 1. */
  readonly confidence?: number;
  /** Decimal digits. By default it is drawn. */
  readonly seed?: string;
  readonly [member: string]: unknown;
}

/** The answer of a threat model. */
export interface ExperimentAnswer {
  readonly threatModel: string;
  readonly title: string;
  readonly verdict: {
    readonly value: 'true' | 'false' | 'unknown';
    /** The answer in one sentence. */
    readonly sentence: string;
    readonly reason: string;
  };
  /** One for each group of protocols that had the same runs. */
  readonly results: readonly {
    readonly protocols: readonly string[];
    readonly measured: {
      readonly runs: number;
      /** Runs with the property. */
      readonly wins: number;
      /** A share, and the ends of its interval (Clopper and Pearson). */
      readonly frequency: number;
      readonly interval: readonly [number, number];
    };
    /** The closed form. Null or absent if none is known. */
    readonly theory?: { readonly probability: number; readonly formula: string } | null;
  }[];
  readonly replay: string;
}

/**
 * Runs a threat model. Throws a Refusal, which names the wrong members of a document.
 * @example (await run({ threatModel: 'top-id', runs: 100, seed: '1' })).verdict.sentence
 */
export function run(experiment: Experiment, how: Asking = {}): Promise<ExperimentAnswer> {
  return ask('run', experiment, how);
}

/** The threat models of the catalogue, in the order of their ids. */
export async function threatModels(): Promise<
  readonly { readonly id: string; readonly title: string }[]
> {
  const { readCatalogue } = await import('../runtime/files/catalogue.ts');
  return (await readCatalogue()).map(({ id, title }) => ({ id, title }));
}
