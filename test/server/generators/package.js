/**
 * Checks the npm package: publint reads its manifest, and "are the types wrong" resolves its modules as compilers do. They
 * are installed apart (npm run generators); without them it says so and succeeds.
 */

import { execSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url));
const ROOT = pathOf('../../..');
/** The package has modules alone. Compilers before "exports" and CommonJS do not find them. */
const ACCEPTED = ['CJSResolvesToESM'];
const OLD_RESOLUTION = 'node10';

if (existsSync(pathOf('node_modules/publint'))) await check();
else console.warn('publint is not installed: npm run generators installs it');

async function check() {
  const { publint } = await import('publint');
  const { formatMessage } = await import('publint/utils');
  const types = await import('@arethetypeswrong/core');
  if (!existsSync(join(ROOT, 'build/package/index.d.ts'))) {
    execSync('npm run build:package', { cwd: ROOT, stdio: 'inherit' });
  }
  const { packTarball } = await import('../../package/package.ts');
  const folder = mkdtempSync(join(tmpdir(), 'usurp-check-'));
  try {
    const bytes = readFileSync(packTarball(folder).tarball);
    const { messages, pkg } = await publint({ pack: { tarball: new Uint8Array(bytes).buffer } });
    const { problems } = await types.checkPackage(
      types.createPackageFromTarballData(new Uint8Array(bytes)),
    );
    const wrong = problems.filter(
      ({ kind, resolutionKind }) => !ACCEPTED.includes(kind) && resolutionKind !== OLD_RESOLUTION,
    );
    const found = [
      ...messages.map((message) => formatMessage(message, pkg)),
      ...wrong.map((problem) => JSON.stringify(problem)),
    ];
    for (const line of found) console.error(line);
    if (found.length > 0) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
