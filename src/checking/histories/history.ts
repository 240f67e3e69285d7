/**
 * @module
 * This folder contains what judges the histories of clients. A history is a list of operations with the times of their
 * calls and returns. It is linearizable if each operation can be given one moment between its call and its return, so
 * that they are correct in the order of these moments (M. Herlihy and J. Wing, TOPLAS 12(3), 1990).
 */

/** One operation of a client. */
export interface Operation<Input, Output> {
  readonly client: number | string;
  readonly input: Input;
  readonly call: number;
  /** Null if the client knows no outcome. The operation may then take effect at any time after its call, or never. */
  readonly returned: { readonly at: number; readonly output: Output } | null;
}

/**
 * What operations do one by one. An operation without an output must be possible in every state: it may always come
 * last, which is as good as never.
 */
export interface Model<State, Input, Output> {
  readonly initial: State;
  /** Stands for every state: an operation is possible in it if it is possible in one of them. */
  readonly anyState: State;
  /** The state after an operation; null if it cannot have this output. */
  step(state: State, input: Input, output: Output | null): { readonly state: State } | null;
  /** Equal for equal states only. */
  key(state: State): string;
  /** Whether an operation without an output leaves every state as it is. */
  changesNothing(input: Input): boolean;
  /** An operation in words, such as `read → 3`. */
  describe(input: Input, output: Output | null): string;
}

export type History<Input, Output> = readonly Operation<Input, Output>[];

/** The time of the return, which is never without an outcome. */
export function endOf({ returned }: Operation<unknown, unknown>): number {
  return returned?.at ?? Number.POSITIVE_INFINITY;
}
