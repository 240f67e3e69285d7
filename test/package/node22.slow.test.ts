/**
 * @module
 * The package on Node 22, the oldest that it accepts: it prints what it prints on the Node of a checkout. npm gives that
 * Node; without a registry the tests are skipped with a notice.
 */

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';

import { masked, readDocuments } from '../documents/markdown.ts';
import type { Installed } from './package.ts';
import { inShell, installPackage, PACKING_MS_MAX } from './package.ts';

const OLDEST = '22.19.0';
const NODE = oldNode();
const NOT_GIVEN = NODE === null;
if (NOT_GIVEN) process.stderr.write(`npm gives no Node ${OLDEST}: its tests are skipped\n`);

/** Path of that Node. Null if npm does not give it for this machine. */
function oldNode(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'usurp-node-'));
  const name = `node-${process.platform}-${process.arch}`;
  const args = ['install', '--no-audit', '--no-fund', '--prefix', folder, `${name}@${OLDEST}`];
  const { status } = spawnSync('npm', args);
  return status === 0 ? join(folder, 'node_modules', name, 'bin', 'node') : null;
}

const TOUR = (readDocuments().find(({ path }) => path === 'README.md')?.steps ?? []).flatMap(
  // A model would be written first, and a picture is written once.
  (step) =>
    step.type === 'command' && !/my-model|--trace/.test(step.command) ? [step.command] : [],
);

let installed: Installed;

beforeAll(() => {
  installed = installPackage();
  cpSync('examples/library', join(installed.project, 'examples'), { recursive: true });
  inShell(installed, 'npx usurp new protocol my-ring && cp my-ring.ts examples');
}, PACKING_MS_MAX);

describe.skipIf(NOT_GIVEN)(`Node ${OLDEST}`, () => {
  it.each([
    ...TOUR,
    'npx usurp conform ./my-ring.ts --quiet',
    'npx usurp run top-id --load ./my-ring.ts --runs 20 --seed 1 --threads 2 --quiet',
    'npx usurp check bully-oneshot --quiet',
    'npx usurp sweep top-id --set work=sampled --runs 2 --seed 1 --workers 2 --quiet --format csv',
    'npx usurp doctor | tail -4',
    ...['earn-identity', 'run-election', 'check-protocol', 'run-threat-model'].map(
      (name) => `cd examples && node ${name}.mjs`,
    ),
  ])('prints what the Node of a checkout prints: %s', (line) => {
    const older = inShell(installed, line, NODE ?? '');
    const newer = inShell(installed, line);

    expect(masked(older.stdout)).toBe(masked(newer.stdout));
    expect(older.stdout).not.toBe('');
    expect(older.status).toBe(newer.status);
    expect(older.stderr).not.toContain('Warning');
  });
});
