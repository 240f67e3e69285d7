/**
 * @module
 * A lab with limits for its thirty callers, and a clock that the test sets.
 */

import type { CallerLimits } from '../../../server/callers/caller-budgets.ts';
import { TokenSet } from '../../../server/callers/tokens.ts';
import type { ForgeryJob, ForgeryResult } from '../../../server/jobs/forgeries/forgery.ts';
import type { Execute } from '../../../server/jobs/job-kind.ts';
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
  const forgery: Execute<ForgeryJob> = ({ body: { seed } }) => {
    const { promise, resolve } = Promise.withResolvers<ForgeryResult>();
    started.push({ seed, end: () => resolve(NOTHING) });
    return promise;
  };
  const nowMs = () => clock.ms;
  const lab = labUnderTest({ tokens, limits, nowMs, executions: { forgery } });
  const forge = (name: string, seed?: string) =>
    lab.post('/v1/forgeries', { c1: 8, budget: { wallSeconds: 60 }, seed }, bearer(name));
  const elect = (name: string, nodes = 5) =>
    lab.post('/v1/elections', { protocol: 'bully-oneshot', nodes, run: true }, bearer(name));
  const get = (name: string, path: string) => lab.call('GET', path, { headers: bearer(name) });
  return { ...lab, clock, started, forge, elect, get };
}

const NOTHING: ForgeryResult = {
  ...{ found: false, ending: 'attempts', measured: null, claims: [], secrets: [] },
  ledger: {
    ...{ attempts: 0, hashes: 0, groupOperations: 0 },
    ...{ cpuSeconds: 0, wallSeconds: 0, overshoot: 0 },
  },
};
