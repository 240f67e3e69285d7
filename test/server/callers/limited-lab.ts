/**
 * @module
 * A lab with limits for its thirty callers, and a clock that the test sets.
 */

import type { CallerLimits } from '../../../server/callers/caller-budgets.ts';
import { TokenSet } from '../../../server/callers/tokens.ts';
import type { Execute } from '../../../server/jobs/job-kind.ts';
import type { OperationJob } from '../../../server/jobs/operations/operation-job.ts';
import { UNFOUND } from '../fuzz/staged-results.ts';
import { labUnderTest } from '../lab-under-test.ts';

export const NAMES = [
  'ann',
  'bob',
  ...Array.from({ length: 28 }, (_, index) => `c${index}`),
] as const;
const tokenOf = (name: string) => `token-of-${name}-`.padEnd(16, '0');
const tokens = new TokenSet(
  NAMES.map((name) => ({ name, role: 'student' as const, token: tokenOf(name) })),
);
export const bearer = (name: string) => ({ Authorization: `Bearer ${tokenOf(name)}` });
/** Resolves when all pending work is done. */
export const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A lab with callers, a clock to set, and forgeries that end when the test says so. */
export function limited(limits: Partial<CallerLimits>) {
  const clock = { ms: 0 };
  const started: { readonly seed: string | undefined; readonly end: () => void }[] = [];
  const forgery: Execute<OperationJob> = ({ body: { seed } }) => {
    const { promise, resolve } = Promise.withResolvers<OperationJob['result']>();
    started.push({ seed: seed as string | undefined, end: () => resolve(UNFOUND) });
    return promise;
  };
  const nowMs = () => clock.ms;
  const executions = { operation: forgery };
  const lab = labUnderTest({ tokens, limits, nowMs, executions, device: true });
  const forge = (name: string, seed?: string, more = {}) =>
    lab.post('/v1/forgeries', { c1: 8, wall: 60, seed, ...more }, bearer(name));
  const elect = (name: string, nodes = 5) =>
    lab.post('/v1/elections', { protocol: 'bully-oneshot', nodes, run: true }, bearer(name));
  const get = (name: string, path: string) => lab.call('GET', path, { headers: bearer(name) });
  return { ...lab, clock, started, forge, elect, get };
}
