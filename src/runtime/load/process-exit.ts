/**
 * @module
 * Files of the user must not stop the process, because a verb that has printed no result must not exit
 * with 0. Once such files are loaded, only exitProcess stops it.
 */

import { syncBuiltinESMExports } from 'node:module';
import process from 'node:process';

let isOwn = false;

/** Stops the process at once, also after refuseExit. */
export function exitProcess(code: number): never {
  isOwn = true;
  return process.exit(code);
}

/** Makes every other call of process.exit throw. */
export function refuseExit(): void {
  // process.exit calls the second one, which is not documented.
  for (const name of ['exit', 'reallyExit']) {
    const original: unknown = Reflect.get(process, name);
    if (typeof original !== 'function') continue;
    const exit = (...codes: readonly unknown[]) => {
      if (isOwn) return original.apply(process, codes);
      const error = new TypeError(
        `process.${name}(${codes.join(', ')}): a loaded file must not stop the process`,
      );
      // The first frame is the caller's.
      Error.captureStackTrace(error, exit);
      throw error;
    };
    Reflect.set(process, name, exit);
  }
  // Also for `import { exit } from 'node:process'`.
  syncBuiltinESMExports();
}
