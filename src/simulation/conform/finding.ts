/**
 * @module
 * This folder checks that a protocol keeps the contract of machine.ts and does what its definition states.
 * A finding is one check and its result.
 */

import type { Protocol } from '../../election/definition/protocol.ts';
import type { ProtocolName } from '../../election/registry.ts';
import type { Seed } from '../../random.ts';

/** One check and its result. */
export interface Finding {
  readonly check: string;
  readonly holds: boolean;
  /** Whether a search reached its limit, so that what it did not visit is unknown. */
  readonly isCapped?: true;
  /** What was tried, or for a check that does not hold the first counterexample. */
  readonly detail: string;
}

/** What all checks are given. */
export interface Subject {
  readonly protocol: Protocol;
  readonly seed: Seed;
  /** The file that defines the protocol, for commands that load it. None for a protocol of the lab. */
  readonly file?: string | undefined;
}

/** The name of a protocol that is checked. */
export function nameOf(name: string): ProtocolName {
  // Every protocol that is checked is registered, which the compiler cannot know.
  return name as ProtocolName;
}

/** A check that holds. */
export function held(check: string, detail: string): Finding {
  return { check, holds: true, detail };
}

/** A check without a violation as far as its search went. */
export function capped(check: string, detail: string): Finding {
  return { check, holds: true, isCapped: true, detail };
}

/** A check that does not hold. */
export function failed(check: string, detail: string): Finding {
  return { check, holds: false, detail };
}

let observer: (check: string) => void = () => undefined;

/** Calls the observer at the start of each check, so that a check that never ends is known. */
export function observeChecks(each: (check: string) => void): void {
  observer = each;
}

/** The finding of trials that return what is wrong, or null. An exception is wrong, too. */
export function tried(
  check: string,
  count: number,
  trial: (index: number) => string | null,
): Finding {
  observer(check);
  for (let index = 0; index < count; index += 1) {
    const wrong = attempt(() => trial(index));
    if (wrong !== null) return failed(check, wrong);
  }
  return held(check, `${count} trials`);
}

/** The finding of a check that runs once. An exception is a finding, too. */
export function guarded(check: string, trial: () => Finding): Finding {
  observer(check);
  try {
    return trial();
  } catch (error) {
    return failed(check, textOf(error));
  }
}

function attempt(trial: () => string | null): string | null {
  try {
    return trial();
  } catch (error) {
    return textOf(error);
  }
}

/** What a machine threw, which can be any value. */
function textOf(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  } catch {
    return `a thrown ${typeof error} without a text`;
  }
}
