/**
 * @module
 * The form of properties of steps: what a node may not do, given what it has done before.
 */

import type { CheckedProperty, History, NodeStep } from '../../../src/checking/property.ts';
import type { Json, Message } from '../../../src/election/machine.ts';

/** What the properties of the hunts have in common. */
export const SAFETY = {
  kind: 'always',
  claim: { unsupportedReason: () => null, matrix: [] },
  partner: 'someone-leads',
  histories: [],
  readings: [],
} as const;

/** What a step does that its property forbids, or what later steps must know of it. */
export type Note = readonly [rank: number, what: string];

/** A property of steps: `broken` is the state of the past after a forbidden step. */
export function ofSteps<State extends Json>(
  name: string,
  description: string,
  past: Omit<History<State, Note>, 'first'> & { readonly first: State },
  isBroken: (state: State) => boolean,
): CheckedProperty {
  return {
    ...SAFETY,
    ...{ name, description, histories: [past] },
    holds: (view) => !isBroken(view.pastOf(past)),
    breach: () => `it is not true that ${description}`,
  };
}

/** A property of single steps, whatever came before. */
export function ofEachStep(
  name: string,
  description: string,
  isForbidden: (step: NodeStep) => boolean,
): CheckedProperty {
  const past: History<boolean, Note> = {
    first: false,
    notesOf: (step) => (isForbidden(step) ? [[step.rank, 'forbidden']] : []),
    fold: () => true,
  };
  return ofSteps(name, description, past, (broken) => broken);
}

/** The messages of a step, and to which rank each goes. */
export function sentIn({
  effects,
}: NodeStep): readonly (readonly [to: number, message: Message])[] {
  return effects.flatMap((effect) =>
    effect.type === 'send' ? [[Number(effect.to), effect.message] as const] : [],
  );
}

/** Whether the step is the end of this timer. */
export function isFired(step: NodeStep, timer: string): boolean {
  return step.action.type === 'timeout' && step.action.timer === timer;
}

/** Whether the node ceases to follow its leader. */
export function isSteppingDown({ effects }: NodeStep): boolean {
  return effects.some(({ type }) => type === 'step-down');
}

/** Whether a timer is the end of a lease. */
export const isLease = (timer: string) => /^lease[-:]/.test(timer);

/** What is known of each node, by rank. A member `broken` if a step was forbidden. */
export type Last = { readonly [rank: string]: string };

/** A past that keeps a text for each node: by default its last note. */
export function lastOf(
  notesOf: (step: NodeStep) => readonly Note[],
  isBroken: (before: string, note: string) => boolean,
  next: (before: string, note: string) => string = (_before, note) => note,
): History<Last, Note> {
  return {
    first: {},
    notesOf,
    fold(past, [rank, what]) {
      const before = past[rank] ?? '';
      if (isBroken(before, what)) return { broken: 'yes' };
      const changed: Last = { ...past, [rank]: next(before, what) };
      return Object.fromEntries(
        Object.entries(changed).toSorted(([one], [other]) => (one < other ? -1 : 1)),
      );
    },
  };
}

/** Whether a step was forbidden. */
export const isBrokenPast = (past: Last) => past.broken !== undefined;
