/**
 * @module
 * Something that is read from the server when a component is first shown.
 */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { readPersistently } from '../api/client.ts';
import { asksForSignIn } from './sign-in.tsx';

interface ReadAnswer<Value> {
  /** Null until it is read. */
  readonly value: Value | null;
  /** Why it cannot be read. */
  readonly error: unknown;
}

/** What `read` answers. It is read again when the key changes. */
export function useAnswer<Value>(read: () => Promise<Value>, key?: string): ReadAnswer<Value> {
  const answer = useSignal<ReadAnswer<Value>>({ value: null, error: null });
  useEffect(() => {
    let isCurrent = true;
    readPersistently(read, () => isCurrent).then(
      (value) => {
        if (isCurrent) answer.value = { value, error: null };
      },
      (error: unknown) => {
        if (isCurrent && !asksForSignIn(error)) answer.value = { ...answer.value, error };
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [key]);
  return answer.value;
}
