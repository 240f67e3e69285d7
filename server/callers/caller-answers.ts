/**
 * @module
 * How many requests of each caller are being answered: who sends many that take long takes no more than
 * a part of the connections with them.
 */

import type { CallerBudgets } from './caller-budgets.ts';

/** Counts them. */
export class CallerAnswers {
  readonly #budgets: Pick<CallerBudgets, 'assertAnswer'>;
  /** Of each caller who has any. */
  readonly #openOf = new Map<string, number>();

  constructor(budgets: Pick<CallerBudgets, 'assertAnswer'>) {
    this.#budgets = budgets;
  }

  /** How many callers have any. */
  get callers(): number {
    return this.#openOf.size;
  }

  /** One more; the function that it returns is to be called once, when it is over. Throws OverloadError `limit.connections`. */
  begin(caller: string): () => void {
    const open = this.#openOf.get(caller) ?? 0;
    this.#budgets.assertAnswer(open);
    this.#openOf.set(caller, open + 1);
    return () => {
      const left = (this.#openOf.get(caller) ?? 0) - 1;
      if (left === 0) this.#openOf.delete(caller);
      else this.#openOf.set(caller, left);
    };
  }
}
