/**
 * @module
 * Installs the generators of clients before `npm run check` if they are not installed yet.
 */

import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = new URL('.', import.meta.url);
if (!existsSync(new URL('node_modules', folder))) {
  // The script is one of the project: this folder has a package of its own.
  const root = new URL('../../../', import.meta.url);
  execSync('npm run generators', { cwd: fileURLToPath(root), stdio: 'inherit' });
}
