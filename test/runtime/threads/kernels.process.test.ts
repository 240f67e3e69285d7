/**
 * @module
 * The built kernel as a file: what is said when it is missing or is something else.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { kernelSource } from '../../../src/runtime/threads/kernels.ts';
import { ROOT, scratchFolder } from '../../cli/shell.ts';

const file = (name: string) => pathToFileURL(join(scratchFolder(), name));

describe('the kernel file', () => {
  it('is prepared once for each scheme', () => {
    const kernels = kernelSource();

    expect(kernels.keys('ed25519')).toBe(kernels.keys('ed25519'));
    expect(kernels.solutions()).toBe(kernels.solutions());
    expect(kernels.keys('secp256k1')).not.toBe(kernels.keys('ed25519'));
  });

  it('says how to build it when it is missing', () => {
    const kernels = kernelSource({ keys: file('absent.wasm'), solutions: file('absent.wasm') });

    expect(() => kernels.keys('ed25519')).toThrow('npm run build');
    expect(() => kernels.solutions()).toThrow('npm run build');
  });

  it.each([
    ['empty', new Uint8Array()],
    ['text', new TextEncoder().encode('not WebAssembly')],
    ['another module', Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)],
    ['cut short', new Uint8Array(readFileSync(join(ROOT, 'build/kernel.wasm'))).slice(0, 5000)],
  ])('says how to mend it when it is %s', (_what, bytes) => {
    const target = file('kernel.wasm');
    writeFileSync(target, bytes);

    const kernels = kernelSource({ keys: target, solutions: target });

    expect(() => kernels.keys('ed25519')).toThrow(/no mining kernel.*npm run build/);
    expect(() => kernels.solutions()).toThrow(/no mining kernel.*npm run build/);
  });
});
