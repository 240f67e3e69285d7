/**
 * @module
 * A program: loads files of the user once, as a process does, and then runs many command lines in this process. Standard
 * input is JSON, `{ files, commands }`. It prints what each command line printed, as JSON.
 */

import process from 'node:process';
import { json } from 'node:stream/consumers';

import { loadDefinitions } from '../../src/runtime/load/load-definitions.ts';
import type { Printed } from './shell.ts';

// The test that starts this program writes its input.
const { files, commands } = (await json(process.stdin)) as {
  readonly files: readonly string[];
  readonly commands: readonly (readonly string[])[];
};
await loadDefinitions(files);
// The command line lists the names of definitions, those of the user included.
const { usurp } = await import('./shell.ts');
const printed: Printed[] = [];
for (const command of commands) printed.push(await usurp(command));
process.stdout.write(JSON.stringify(printed));
