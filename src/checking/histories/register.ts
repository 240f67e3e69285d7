/**
 * @module
 * The model of a register that clients read, write, and change if it has an expected value.
 */

import type { Content, RegisterInput, RegisterOutput } from '../../election/client-operations.ts';
import type { Model, Operation } from './history.ts';

export type RegisterOperation = Operation<RegisterInput, RegisterOutput>;

type State = { readonly content: Content } | 'any';

/** A register with this content at first. */
export function registerModel(
  initial: Content = null,
): Model<State, RegisterInput, RegisterOutput> {
  return {
    initial: { content: initial },
    anyState: 'any',
    key: (state) => (state === 'any' ? state : String(state.content)),
    changesNothing: ({ type }) => type === 'read',
    step,
    describe,
  };
}

function step(state: State, input: RegisterInput, output: RegisterOutput | null) {
  switch (input.type) {
    case 'read':
      if (output === null) return { state };
      if (!('value' in output)) return null;
      return holds(state, output.value) ? { state: { content: output.value } } : null;
    case 'write':
      return output === null || isDone(output) ? { state: { content: input.value } } : null;
    case 'compare-and-set': {
      const changed = { state: { content: input.value } };
      const matches = holds(state, input.expected);
      // In any state both may happen. What is not known to be changed may still be anything.
      if (output === null) return matches && state !== 'any' ? changed : { state };
      if (isDone(output)) return matches ? changed : null;
      return matches && state !== 'any' ? null : { state };
    }
    default:
      return input satisfies never;
  }
}

function holds(state: State, content: Content): boolean {
  return state === 'any' || state.content === content;
}

function isDone(output: RegisterOutput): boolean {
  return 'done' in output && output.done;
}

function describe(input: RegisterInput, output: RegisterOutput | null): string {
  const result =
    output === null
      ? '?'
      : 'value' in output
        ? (output.value ?? 'nothing')
        : output.done
          ? 'done'
          : 'not done';
  switch (input.type) {
    case 'read':
      return `read → ${result}`;
    case 'write':
      return result === 'done' ? `write ${input.value}` : `write ${input.value} → ${result}`;
    case 'compare-and-set':
      return `set ${input.value} if ${input.expected ?? 'nothing'} → ${result}`;
    default:
      return input satisfies never;
  }
}
