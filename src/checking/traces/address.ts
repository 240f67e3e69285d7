/**
 * @module
 * This folder turns paths of the search into traces of the reference semantics, addresses, and walks by hand.
 * The address of a world has one number for each action that leads from the first world to it: the index of the action
 * among those that were possible. Their order depends on the world alone. It does not depend on the numbers that
 * a search has given to messages and timers.
 */

import { isFault, KIND, kindOf, nodeIn, valueIn } from '../action-codes.ts';
import type { Packed } from '../layout.ts';
import type { LocalSteps } from '../local-steps.ts';
import { assertActions } from '../packed/faults.ts';
import type { Worlds } from '../worlds.ts';

/** The codes of the possible actions: those of the protocol and its network, then those of the environment. */
export function orderedCodes(worlds: Worlds, packed: Packed): number[] {
  const codes: number[] = [];
  worlds.enabled(packed, codes);
  worlds.faults(packed, codes);
  assertActions(worlds.instance, codes.length);
  const keyed = codes.map((code) => ({ code, text: subjectOf(code, worlds.steps) }));
  return keyed
    .toSorted(
      (one, other) =>
        Number(isFault(one.code)) - Number(isFault(other.code)) ||
        kindOf(one.code) - kindOf(other.code) ||
        nodeIn(one.code) - nodeIn(other.code) ||
        (one.text < other.text ? -1 : Number(one.text > other.text)),
    )
    .map(({ code }) => code);
}

/** What distinguishes actions of one kind and node, as text. */
export function subjectOf(code: number, steps: LocalSteps): string {
  const value = valueIn(code);
  switch (kindOf(code)) {
    case KIND.deliver:
    case KIND.drop:
    case KIND.duplicate:
    case KIND.lie:
      return steps.messages.textOf(value);
    case KIND.timeout:
      return steps.timers.valueOf(value);
    case KIND.name:
      return '';
    default:
      return String(value).padStart(8, '0');
  }
}

/** The index of an action among those that are possible. Throws RangeError if it is not one of them. */
export function indexOfAction(worlds: Worlds, packed: Packed, code: number): number {
  const index = orderedCodes(worlds, packed).indexOf(code);
  if (index < 0) throw new RangeError(`"path" expected possible actions, got ${code}`);
  return index;
}
