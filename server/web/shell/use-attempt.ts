/**
 * @module
 * Requests that a person asks for: whether they are under way, and why the last one was refused.
 */

import type { Signal } from '@preact/signals';
import { useSignal } from '@preact/signals';

import { asksForSignIn } from './sign-in.tsx';

type Work = () => Promise<void>;

interface Attempts {
  readonly isBusy: Signal<boolean>;
  /** The refusal that is shown; null without one. */
  readonly error: Signal<unknown>;
  /** Does the work and keeps its refusal, or asks for sign-in. Returns whether it was done. */
  readonly attempt: (work: Work) => Promise<boolean>;
  /** The handler of a form that does the work instead of what browsers do. */
  readonly submitting: (work: Work) => (event: Event) => void;
}

export function useAttempt(): Attempts {
  return attemptsOf(useSignal(false), useSignal<unknown>(null));
}

export function attemptsOf(isBusy: Signal<boolean>, error: Signal<unknown>): Attempts {
  const attempt = async (work: Work) => {
    isBusy.value = true;
    error.value = null;
    try {
      await work();
      return true;
    } catch (refusal) {
      if (!asksForSignIn(refusal)) error.value = refusal;
      return false;
    } finally {
      isBusy.value = false;
    }
  };
  const submitting = (work: Work) => (event: Event) => {
    event.preventDefault();
    void attempt(work);
  };
  return { isBusy, error, attempt, submitting };
}
