/**
 * @module
 * A text of the form. It changes the document when it is left, so that a half-written value is no fault.
 */

import { useSignal } from '@preact/signals';

import type { ControlProps } from './control.ts';

interface TextInputProps extends ControlProps {
  readonly text: string;
  readonly commit: (text: string) => void;
  readonly isLong?: boolean;
}

export function TextInput({ text, commit, set, otherwise, aria, isLong = false }: TextInputProps) {
  /** What is typed and not in the document yet. */
  const typed = useSignal<string | null>(null);
  const shared = {
    ...aria,
    value: typed.value ?? text,
    placeholder: otherwise,
    spellcheck: isLong,
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => {
      typed.value = currentTarget.value;
    },
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => {
      const { value } = currentTarget;
      typed.value = null;
      if (value === text) return;
      if (value === '') set(undefined);
      else commit(value);
    },
  };
  return isLong ? <textarea {...shared} rows={4} /> : <input {...shared} autocomplete="off" />;
}
