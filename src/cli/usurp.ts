/**
 * @module
 * The command `usurp` as a process: connects its streams, signals and exit code with `main`. Ctrl-C asks
 * the verb to stop and keep finished results. A second Ctrl-C stops the process at once.
 */

import process from 'node:process';
import { hasUserFiles } from '../runtime/load/module-hooks.ts';
import { exitProcess } from '../runtime/load/process-exit.ts';
import { main } from './main.ts';
import { EXIT } from './shell/exit.ts';

/** Ctrl-C reaches this process twice where a launcher forwards it: from the terminal and from there. */
const SAME_SIGNAL_MS = 200;

const interruption = new AbortController();
let interruptedMs = 0;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    const isCopy = signal === 'SIGINT' && Date.now() - interruptedMs <= SAME_SIGNAL_MS;
    const isAgain = interruption.signal.aborted && !isCopy;
    if (isAgain) exitProcess(EXIT.interrupted);
    if (!interruption.signal.aborted) interruptedMs = Date.now();
    interruption.abort();
  });
}
// A closed stdout (`| head -1`) is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') exitProcess(EXIT.holds);
  process.stderr.write(`usurp: stdout could not be written: ${error.message}\n`, () =>
    exitProcess(EXIT.internal),
  );
});
// A closed stderr does not change the result.
process.stderr.on('error', () => undefined);

const code = await main(process.argv.slice(2), process, interruption.signal);
process.exitCode = code;
// A timer of a loaded file would keep the process alive. A server stops when its connections are closed.
if (hasUserFiles() && !/^(serve|worker)$/.test(process.argv[2] ?? '')) {
  process.stdout.write('', () => process.stderr.write('', () => exitProcess(code)));
}
