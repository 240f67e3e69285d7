/**
 * @module
 * The groups of sources that Stryker changes, each with the tests that examine them directly. These run in the process
 * of the tests, and are fast.
 */

export const GROUPS = {
  identity: {
    sources: ['src/identity/*.ts', 'src/identity/{ids,puzzles}/*.ts'],
    tests: ['test/identity/*.test.ts', 'test/identity/{ids,puzzles}/*.test.ts'],
  },
  keys: {
    sources: ['src/identity/keys/*.ts'],
    tests: [
      'test/identity/keys/{off-curve,rfc8032,secp256k1,torsion,weak-keys,plain-verifier}.test.ts',
      'test/identity/keys/{prime-order,scheme,sibling-keys}.test.ts',
    ],
  },
  ledger: {
    sources: ['src/mining/{ledger,odds,policy-cost}.ts'],
    tests: ['test/mining/{ledger,odds,policy-cost}.test.ts'],
  },
  statistics: {
    sources: ['src/experiment/theory/{statistics,binomial-odds}.ts'],
    tests: ['test/experiment/theory/{statistics,binomial}.test.ts'],
  },
  judge: {
    sources: ['src/election/properties.ts'],
    tests: ['test/election/properties.test.ts'],
  },
  'chang-roberts': {
    sources: ['src/election/ring/chang-roberts.ts'],
    tests: ['test/election/ring/chang-roberts.test.ts'],
  },
  bully: {
    sources: ['src/election/bully/bully-oneshot.ts'],
    tests: ['test/election/bully/*.test.ts'],
  },
  raft: {
    sources: ['src/election/quorum/raft{,-step,-entries,-changes,-members}.ts'],
    tests: [
      'test/election/quorum/raft{,-definition,-entries,-members,-variants}.test.ts',
      'test/simulation/quorum/raft-counts.test.ts',
    ],
  },
};
