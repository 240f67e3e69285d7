/**
 * @module
 * Bodies that are accepted, of which the contract tests send mutations.
 */

const election = { protocol: 'cr-join', nodes: 3, crash: [], latency: '1', run: true };
const claim = { scheme: 'ed25519', publicKey: 'ab'.repeat(32), nodeId: 'ab'.repeat(32) };
const question = {
  ...{ epsilon: 0.1, time: 60, nodes: 16, rate: 1000 },
  ...{ joinTime: 10, advantage: 2 },
};
/** Paths with bodies. */
export const VALID_BODIES = [
  ['/v1/elections', { ...election, ring: [3, 1, 2], initiators: [1], until: 5, seed: '1' }],
  ['/v1/elections', { ...election, crash: [{ rank: 'highest', at: 1 }], ringOrder: 'by-id' }],
  [
    '/v1/elections',
    { ...election, level: 'L3', defences: ['hop-limit'], fifo: false, detector: 'links' },
  ],
  ['/v1/elections', { ...election, protocol: 'floodmax', topology: 'tree:1' }],
  ['/v1/checks', { protocol: 'echo-extinction', nodes: 3, topology: 'ring' }],
  ['/v1/runs', { threatModel: 'top-id', runs: 5, seed: '1', set: { work: 'sampled' } }],
  ['/v1/sweeps', { threatModel: 'top-id', axes: { 'network.honest': [4, 8] }, runs: 5, sample: 2 }],
  ['/v1/threat-model-validations', { threatModel: { id: 'mine', network: { honest: 4 } } }],
  ['/v1/forgeries', { goal: 'near:abcd', policy: { idBits: 16 }, attempts: 9 }],
  [
    '/v1/forgeries',
    { goal: 'top', against: ['ab'.repeat(32)], c1: 1, strategy: 'stockpile', stockpile: 9 },
  ],
  ['/v1/checks/worlds', { protocol: 'raft', ring: [2, 1], bounds: { loss: 1 }, address: [0, 0] }],
  ['/v1/checks', { protocol: 'raft', ring: [2, 1], spread: 2, bounds: { loss: 1 }, maxStates: 10 }],
  ['/v1/reproductions', { paper: 'chang-roberts-extremes' }],
  ['/v1/designs', { ...question, joinQuantile: 0.5, window: 5, hardRate: 5 }],
  ['/v1/attacks', { protocol: 'cr-join', behaviours: ['swallow'], forge: 'top', attempts: 9 }],
  [
    '/v1/simulations',
    {
      ...{ protocol: 'ring-attr', attributes: [7, 9, 8], ring: [3, 1, 2], randomFaults: ['usual'] },
      ...{ calm: '300', runs: 3, vary: ['latency=1,2'], measure: 'ticks', seed: '1' },
    },
  ],
  [
    '/v1/protocol-comparisons',
    {
      ...{ protocols: ['bully-oneshot', 'raft'], nodes: 5, crash: ['5@3'], seed: '1', runs: 2 },
      ...{ loss: ['5%'], join: ['4@5'], calm: '300', linkFactors: '3', ring: [3, 1, 2, 4, 5] },
    },
  ],
  [
    '/v1/defence-comparisons',
    {
      ...{ threatModel: 'late-joiner', protocols: ['raft'], advantage: [1, 2], runs: 5 },
      ...{ defences: ['none', 'frozen-membership'], hardRate: 5, machines: 2, seed: '1' },
    },
  ],
  [
    '/v1/clusters',
    {
      protocol: 'raft',
      nodes: 2,
      level: 'L2',
      detector: 'fd-phi-akka',
      latency: '80ms',
      tls: false,
    },
  ],
  ['/v1/attack-matrices', { seed: '1', sets: true }],
  ['/v1/fault-matrices', { protocols: ['raft'], runs: 5 }],
  ['/v1/designs', { ...question, preparation: 5, stockSpeed: 2, hardAdvantage: 1 }],
  [
    '/v1/identities/verify',
    {
      claim: { ...claim, solution: null, signature: 'ab'.repeat(64) },
      policy: { c1: 0 },
      all: true,
    },
  ],
] as const;
