/**
 * @module
 * A counterexample as the text of its file.
 */

import type { Counterexample } from '../../../src/experiment/checks/counterexample.ts';
import { counterexampleText, repeat } from '../../../src/experiment/checks/counterexample.ts';

/** The text, without files of the user. */
export function savedText(example: Counterexample): string {
  return counterexampleText(example, repeat(example).run, []);
}
