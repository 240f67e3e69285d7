/**
 * @module
 * Printed commands, which run as printed in the folder that usurp was started in.
 */

import { isAbsolute, join, relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { shellWord } from '../../experiment/reading/shell-word.ts';
import { IS_INSTALLED } from '../../runtime/load/builds.ts';
import { loadedFiles } from '../../runtime/load/load-definitions.ts';

/** Path of the checkout or of the installed package that runs. */
export const CHECKOUT = fileURLToPath(new URL('../../..', import.meta.url));
/** The folder of the project. The package is in its folder node_modules. */
const PROJECT = IS_INSTALLED ? join(CHECKOUT, '..', '..') : CHECKOUT;

/** The command that starts usurp from a folder. npx finds it only inside the project. */
export function programIn(folder: string): string {
  const path = relative(PROJECT, folder);
  const isInside = !isAbsolute(path) && path.split(/[/\\]/)[0] !== '..';
  if (isInside) return 'npx usurp';
  return `node ${shellWord(join(CHECKOUT, 'bin', 'usurp.js'))}`;
}

/** The command that starts usurp from the current folder. */
export const PROGRAM = programIn(process.cwd());

/** The command line with these arguments. The first is the verb. */
export function commandLine([verb = '', ...args]: readonly string[]): string {
  return [PROGRAM, verb, ...[...loadArguments(), ...args].map(shellWord)].join(' ');
}

/** Rewrites a command of a report, which begins with `usurp` and a verb, so that it runs from the current folder. */
export function runnable(command: string): string {
  const loading = loadArguments().map((word) => ` ${shellWord(word)}`);
  return command.replace(/^usurp( [a-z-]+)/, (_, verb) => `${PROGRAM}${verb}${loading.join('')}`);
}

/** The --load options for the files that this process has loaded. */
export function loadArguments(): readonly string[] {
  return loadedFiles().flatMap(({ path }) => ['--load', path]);
}
