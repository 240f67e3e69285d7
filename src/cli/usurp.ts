#!/usr/bin/env node
/**
 * @module
 * The command `usurp`, as the shell starts it: this process's streams, signals and exit code around
 * `main`. Ctrl-C asks the verb to stop and keep what is finished; a second one ends at once.
 */

import { enableCompileCache } from 'node:module';
import { dirname } from 'node:path';
import process from 'node:process';
import { EXIT } from './shell/exit.ts';

// Half of what a short command takes is the reading of its sources: from the second time on Node
// takes what it made of them from its own cache, in the system's folder for temporary files.
const { directory } = enableCompileCache();
// Worker threads look for it in their environment.
if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= dirname(directory);
const { main } = await import('./main.ts');

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (interruption.signal.aborted) process.exit(EXIT.interrupted);
    interruption.abort();
  });
}
// A reader that has seen enough (`| head -1`) is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? EXIT.holds : EXIT.internal);
});
// Nobody listening to messages does not change the answer.
process.stderr.on('error', () => undefined);

process.exitCode = await main(process.argv.slice(2), process, interruption.signal);
