/**
 * @module
 * A policy as the words of a command. Browsers load it, so that it needs no schema.
 */

import { DEFAULT_RULES } from './ids/node-id.ts';
import type { Policy } from './policy.ts';

/** The flags that change the default policy to this one. */
export function policyWords(policy: Policy): string[] {
  const { checks, lowS, salted, puzzle, c1, c2, dynamic, epoch, context, idRule, hash } = policy;
  const values: readonly (readonly [flag: string, value: unknown, usual: unknown])[] = [
    ['--c1', c1, 0],
    ['--c2', c2, 0],
    ['--dynamic', dynamic, 'concat'],
    ['--puzzle', Object.values(puzzle).join(':'), DEFAULT_RULES.puzzle.function],
    ['--hash', hash, DEFAULT_RULES.hash],
    ['--id-rule', idRule, DEFAULT_RULES.idRule],
    ['--id-bits', policy.idBits, DEFAULT_RULES.idBits],
    ['--epoch', epoch, DEFAULT_RULES.epoch],
    ['--context', context, DEFAULT_RULES.context],
  ];
  const skipped = Object.entries(checks).flatMap(([name, isMade]) => (isMade ? [] : [name]));
  return [
    ...values.flatMap(([flag, value, usual]) => (value === usual ? [] : [flag, String(value)])),
    ...(salted ? ['--salted'] : []),
    ...(skipped.length === 0 ? [] : ['--skip-checks', skipped.join()]),
    ...(lowS ? [] : ['--no-low-s']),
  ];
}
