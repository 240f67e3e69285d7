/**
 * @module
 * Every protocol of the registry passes the whole suite that `usurp conform` runs on a loaded copy of it.
 */

import { describe, expect, it } from 'vitest';
import type { Protocol } from '../../../src/election/definition/protocol.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { conform } from '../../../src/simulation/conform/conform.ts';
import { SEED } from '../ring/rings.ts';

const ALL: readonly Protocol[] = Object.values(PROTOCOLS);

describe('the conformance suite', () => {
  it.each(ALL)('$name: conforms', { timeout: 300_000 }, (protocol) => {
    const findings = conform({ protocol, seed: SEED });

    expect(findings.filter(({ holds }) => !holds)).toEqual([]);
  });
});
