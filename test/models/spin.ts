/**
 * @module
 * SPIN as an oracle: compiles a Promela model of this folder with some constants, explores all of it, and reads the
 * verdict of its assertion and the last worlds that it prints.
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface SpinVerdict {
  readonly isSafe: boolean;
  /** What each node follows when nothing is possible, in the form of the model; each once, sorted. */
  readonly last: readonly string[];
}

/** Whether SPIN and a C compiler are installed. */
export const HAS_SPIN = ['spin -V', 'gcc --version'].every((command) => {
  const [program = '', argument = ''] = command.split(' ');
  try {
    execFileSync(program, [argument], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
});

/** Explores a model. Throws Error if a queue was too short or the search was incomplete. */
export function spinVerdict(
  model: string,
  constants: Readonly<Record<string, number | string>>,
): SpinVerdict {
  const folder = mkdtempSync(join(tmpdir(), 'usurp-spin-'));
  try {
    const defines = Object.entries(constants).map(([name, value]) => `-D${name}=${value}`);
    const file = fileURLToPath(new URL(model, import.meta.url));
    const options = { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 28 } as const;
    execFileSync('spin', [...defines, '-a', file], options);
    // Compiling takes longer than exploring. Without optimisation the two together take half the CPU time.
    const flags = ['-w', '-O0', '-DNOREDUCE', '-DSAFETY', `-DNODES=${constants.NODES}`];
    execFileSync('gcc', [...flags, '-o', 'pan', 'pan.c'], options);
    return readVerdict(execFileSync(join(folder, 'pan'), ['-c0', `-m${DEPTH}`], options));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Steps of the longest path that SPIN follows. */
const DEPTH = 1_000_000;

function readVerdict(text: string): SpinVerdict {
  const errors = /errors: (\d+)/.exec(text)?.[1];
  const violated = [...text.matchAll(/assertion violated (.*) \(at/g)].map(([, what = '']) => what);
  const strange = violated.filter((what) => what.includes('nfull'));
  if (errors === undefined || strange.length > 0 || /max search depth|out of memory/.test(text)) {
    throw new Error(`SPIN did not finish:\n${text.slice(0, 2000)}`);
  }
  const last = [...text.matchAll(/^last: (.*)$/gm)].map(([, each = '']) => each);
  return { isSafe: errors === '0', last: last.toSorted() };
}
