/**
 * Checks the OpenAPI document by the recommended rules of Spectral and Redocly. They are installed apart
 * (npm run generators); without them it says so and succeeds.
 */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url));
const DOCUMENT = pathOf('../../../server/contract/openapi.json');
const COMMANDS = [
  ['spectral', 'lint', DOCUMENT, '--ruleset', pathOf('spectral.yaml'), '--fail-severity', 'warn'],
  ['redocly', 'lint', DOCUMENT, '--extends', 'recommended', '--max-problems', '20'],
];

for (const [name, ...words] of COMMANDS) {
  const program = pathOf(`node_modules/.bin/${name}`);
  if (!existsSync(program)) {
    console.warn(`${name} is not installed: npm run generators installs it`);
    continue;
  }
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { status } = spawnSync(program, words, { stdio: 'inherit', env });
  if (status !== 0) process.exitCode = 1;
}
