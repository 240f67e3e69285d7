/**
 * @module
 * The claim that the descriptions of the API show.
 */

/** The claim of `usurp mine --c1 8 --seed 1`, whose seed is public. */
export const CLAIM_EXAMPLE = {
  scheme: 'ed25519',
  publicKey: '182da74f38a18929c6bb6915a2a89c6990c64b84a01a712bfb7f5cf91c584cfa',
  nodeId: '21a1cdeb87a5489d1bb70521c5636be193b636c7cdc601baf6b15a8800d63343',
  solution: null,
  signature:
    'f65603577347a15d7790805d8da0334ff09ba2ee9220415f9ec1e3d7760d53842f0e0c1fb3a5207774d53421a75959cd14d3bc8c3c349326ba1176aefefaa907',
};
