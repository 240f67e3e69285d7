/**
 * @module
 * `openssl speed` as a yardstick: how many SHA-256 of 32 bytes a core of this machine does in a
 * second with the best native code at hand. It counts CPU time, so what is held against it does too.
 */

import { spawnSync } from 'node:child_process';

import type { Yardstick } from './measure.ts';

const BYTES = 32;
/** A slice of openssl is one second whatever is asked, the shortest that it measures. */
const SECONDS = 1;
const COMMAND = ['speed', '-mr', '-seconds', `${SECONDS}`, '-bytes', `${BYTES}`, 'sha256'];

/** The yardstick, or null where there is no openssl. Throws if openssl answers what it never did. */
export function opensslSha256(): Yardstick | null {
  if (spawnSync('openssl', ['version']).error !== undefined) return null;
  return {
    name: `openssl ${COMMAND.filter((word) => word !== '-mr').join(' ')}`,
    unit: 'hashes',
    rates: () => [hashesPerSecond()],
  };
}

function hashesPerSecond(): number {
  const { stdout, stderr, status } = spawnSync('openssl', COMMAND, { encoding: 'utf8' });
  // Machine-readable: +F:<index>:sha256:<bytes per second>.
  const [, bytesPerSecond] = /^\+F:\d+:sha256:([0-9.]+)$/m.exec(stdout) ?? [];
  if (status !== 0 || bytesPerSecond === undefined) {
    throw new Error(`openssl ${COMMAND.join(' ')} gave no figure: ${stdout}${stderr}`);
  }
  return Number(bytesPerSecond) / BYTES;
}
