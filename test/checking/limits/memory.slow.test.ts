/**
 * @module
 * `--max-memory`: the memory of the whole process stays below the limit and what the process takes without a search,
 * with one thread and with two.
 */

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const USURP = fileURLToPath(new URL('../../../bin/usurp.js', import.meta.url));
/** Prints the largest memory of the process, in kilobytes. */
const REPORT = `process.on('exit', () => console.error('maxRSS ' + process.resourceUsage().maxRSS));`;
/** Bytes of Node with all definitions, a second thread, and what is added between two comparisons. */
const BASE = 200 * 2 ** 20;
const LIMIT = 256 * 2 ** 20;

describe('the memory of a check', () => {
  it.each([1, 2])(
    'stays below its limit (%i threads)',
    (threads) => {
      const search = ['check', 'hs-wake', '--nodes', '8', '--properties', 'one-leader'];
      const limits = ['--reduction', 'off', '--max-memory', '256MB', '--threads', String(threads)];
      const report = ['--import', `data:text/javascript,${encodeURIComponent(REPORT)}`];

      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [...report, USURP, ...search, ...limits],
        { encoding: 'utf8' },
      );

      expect(status).toBe(2);
      expect(stdout).toContain('capped: the check takes 256 MB');
      const [, kilobytes = '0'] = /maxRSS (\d+)/.exec(stderr) ?? [];
      expect(Number(kilobytes)).toBeGreaterThan(0);
      expect(1024 * Number(kilobytes)).toBeLessThan(LIMIT + BASE);
      // Each line of progress states all that a user waits for.
      expect(stderr).toMatch(/^[\d.e+]+ worlds, \d+\/s, depth \d+, [\d.e+]+ to explore, \d+ MB$/m);
    },
    600_000,
  );
});
