/**
 * @module
 * Real and symbolic keys: what each refuses, that both give the same elections with the same Byzantine
 * nodes, and that a behaviour signs only with the keys of its own plot.
 */

import { describe, expect, it } from 'vitest';

import type { BehaviourName } from '../../src/adversary/behaviours/registry.ts';
import { BEHAVIOUR_NAMES, BEHAVIOURS } from '../../src/adversary/behaviours/registry.ts';
import type { HeldKey } from '../../src/adversary/keys.ts';
import { confined, realKeys, symbolicCode, symbolicKeys } from '../../src/adversary/keys.ts';
import type { Keys, SealedMessage } from '../../src/election/authentication/authenticated.ts';
import { createAuthenticated } from '../../src/election/authentication/authenticated.ts';
import type { Rank } from '../../src/election/machine.ts';
import type { ProtocolName } from '../../src/election/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../src/election/registry.ts';
import { toRank } from '../../src/election/world/cast.ts';
import { SCHEME_NAMES, scalarSecret, schemeOf } from '../../src/identity/keys/scheme.ts';
import { parseSeed } from '../../src/random.ts';
import type { SimulationOptions } from '../../src/simulation/plan/plan.ts';
import { createSimulation } from '../../src/simulation/run/simulation.ts';
import { byzantineNodeOf, selfOf, stepped, TIMING } from './staging/byzantine-node.ts';

const [ONE, TWO, THREE, FIVE] = [toRank(1), toRank(2), toRank(3), toRank(5)];
const SEED = parseSeed('6');

/** Keys of two schemes: odd ranks have the first, even ones the second. */
function heldKeys(ranks: readonly number[]): ReadonlyMap<Rank, HeldKey> {
  return new Map(
    ranks.map((rank) => {
      const scheme = rank % 2 === 1 ? 'ed25519' : 'secp256k1';
      const secret = scalarSecret(scheme, BigInt(1000 + rank));
      const publicKey = schemeOf(scheme).publicKeyOf(secret);
      return [toRank(rank), { scheme, secret, publicKey }];
    }),
  );
}

const KINDS = [
  ['real', realKeys(heldKeys([1, 2, 3]))],
  ['symbolic', symbolicKeys(SEED, [1, 2, 3].map(toRank))],
] as const;

describe.each(KINDS)('%s keys', (_kind, keysOf) => {
  const signature = keysOf(TWO).sign('a vote');
  const { verify } = keysOf(ONE);

  it('check what was signed, with any node as verifier', () => {
    const checked = [1, 2, 3].map((rank) => keysOf(toRank(rank)).verify(TWO, 'a vote', signature));

    expect(checked).toEqual([true, true, true]);
    expect(verify(ONE, 'a vote', keysOf(ONE).sign('a vote'))).toBe(true);
  });

  it('refuse another text, another signer and one that was never admitted', () => {
    expect(verify(TWO, 'a vote ', signature)).toBe(false);
    expect(verify(ONE, 'a vote', signature)).toBe(false);
    expect(verify(FIVE, 'a vote', signature)).toBe(false);
  });

  it('refuse what is no signature', () => {
    const last = signature.endsWith('0') ? '1' : '0';
    const changed = [
      ...['', 'x', signature.toUpperCase(), `${signature}00`, signature.slice(2)],
      `${signature.slice(0, -1)}${last}`,
    ];

    expect(changed.map((each) => verify(TWO, 'a vote', each))).toEqual(changed.map(() => false));
  });

  it('sign for no node that was not admitted', () => {
    expect(() => keysOf(FIVE).sign('a vote')).toThrow(
      new RangeError('"rank" expected one that was admitted, got 5'),
    );
  });
});

describe('symbolic keys', () => {
  it('have a code of their own for every text, length and secret', () => {
    const texts = Array.from({ length: 20_000 }, (_, index) => JSON.stringify(['vote', index]));
    const ends = Array.from({ length: 40 }, (_, length) => '\0'.repeat(length));
    const secrets = [1, 2, 3, 4].map((part) => [part, 0, 0, 0] as const);
    const codes = [
      ...[...texts, ...ends].map((text) => symbolicCode([1, 2, 3, 4], text)),
      ...secrets.map((secret) => symbolicCode(secret, 'a vote')),
    ];

    expect(new Set(codes).size).toBe(codes.length);
    expect(codes.every((code) => /^[0-9a-f]{32}$/.test(code))).toBe(true);
  });

  it('of another seed sign otherwise', () => {
    const other = symbolicKeys(parseSeed('7'), [ONE, TWO]);

    expect(other(ONE).verify(TWO, 'x', KINDS[1][1](TWO).sign('x'))).toBe(false);
  });
});

describe('an election with real keys', () => {
  const CASES: readonly [BehaviourName, ProtocolName, Partial<SimulationOptions>][] = [
    ['phantom-id', 'cr-join', {}],
    ['spoof-coordinator', 'ring-maxtoken', {}],
    ['equivocate', 'peterson', {}],
    ['tamper-token', 'ring-collect', {}],
    ['replay', 'bully-oneshot', { faults: [{ type: 'crash', rank: 4, at: 30 }] }],
    ['answer-and-stall', 'bully-improved', { untilTicks: 40 }],
    ['double-vote', 'raft', { untilTicks: 60 }],
    ['term-inflation', 'zk-slide-quorum', { untilTicks: 40 }],
  ];
  const rows = CASES.flatMap(([behaviour, protocol, more]) =>
    (['L2', 'L3'] as const).map((level) => ({ behaviour, protocol, level, more })),
  );

  it.each(rows)('$behaviour on $protocol under $level: goes as with symbolic ones', (row) => {
    const { behaviour, more, ...election } = row;
    const options = {
      ...{ nodes: 5, phantoms: [5], seed: SEED, trace: true, untilTicks: 80 },
      ...{ byzantine: [{ rank: 1, behaviours: [behaviour] }], ...election, ...more },
    };

    const [real, symbolic] = [realKeys(heldKeys([1, 2, 3, 4])), undefined].map((keysOf) => {
      const simulation = createSimulation(options, undefined, keysOf);
      simulation.start();
      simulation.advance({ until: 'idle' });
      return { end: simulation.nodes(), lines: [...simulation.traceLines()] };
    });

    expect(real?.end).toEqual(symbolic?.end);
    expect(real?.lines.map(withoutSignatures)).toEqual(symbolic?.lines.map(withoutSignatures));
    expect(real?.lines).not.toEqual(symbolic?.lines);
  });

  /** A line of a trace in which all signatures look alike: they are the only long numbers in hex. */
  function withoutSignatures(line: string): string {
    return line.replaceAll(/"(?:[0-9a-f]{128}|[0-9a-f]{32})"/g, '"signature"');
  }
});

describe('a behaviour', () => {
  const fits = BEHAVIOUR_NAMES.flatMap((name) => {
    const protocols = PROTOCOL_NAMES.filter(
      (each) => BEHAVIOURS[name].unsupportedReason(each) === null,
    );
    return protocols.map((protocol) => ({ name, protocol }));
  });

  it('signs with keys of its plot alone, on every protocol that it fits', () => {
    const all = new Set<Rank>();
    for (const { name, protocol } of fits) {
      for (const level of ['L2', 'L3'] as const) {
        const setup = { protocol, level, rank: 2, accomplices: [2, 3] };
        const signers = new Set<Rank>();
        const byzantineNode = byzantineNodeOf(setup);
        const { keysOf } = byzantineNode.authentication;
        const authentication = { ...byzantineNode.authentication, keysOf: noting(keysOf, signers) };
        const own = createAuthenticated(PROTOCOLS[protocol].create(TIMING), authentication);

        const node = stepped(
          BEHAVIOURS[name].wrap(own, {
            ...byzantineNode,
            authentication: confined(authentication, byzantineNode.accomplices),
          }),
          selfOf(setup),
        );
        for (const message of shown(setup)) node.handle({ type: 'deliver', from: ONE, message });
        node.handle({ type: 'start' });
        node.handle({ type: 'suspect', node: ONE });
        node.handle({ type: 'timeout', timer: `byz:${name}` });

        expect(signers, `${name}, ${protocol}`).not.toContain(ONE);
        for (const signer of signers) all.add(signer);
      }
    }
    expect(all).toEqual(new Set([TWO, THREE]));
  });

  it('is stopped where it tries another key', () => {
    const { authentication, accomplices } = byzantineNodeOf({ protocol: 'cr-join', level: 'L2' });

    const signing = () => confined(authentication, accomplices).keysOf(THREE).sign('x');

    expect(accomplices).toEqual([2]);
    expect(signing).toThrow(RangeError);
  });

  function noting(keysOf: (rank: Rank) => Keys, signers: Set<Rank>): (rank: Rank) => Keys {
    return (rank) => {
      const { sign, verify } = keysOf(rank);
      const noted: Keys['sign'] = (text) => {
        signers.add(rank);
        return sign(text);
      };
      return { sign: noted, verify };
    };
  }

  /** What node 1 says to node 2 when it begins. */
  function shown(setup: Parameters<typeof byzantineNodeOf>[0]): SealedMessage[] {
    const { authentication } = byzantineNodeOf(setup);
    const machine = createAuthenticated(PROTOCOLS[setup.protocol].create(TIMING), authentication);
    const effects = stepped(machine, selfOf({ ...setup, rank: 1 })).handle({ type: 'start' });
    return effects.flatMap((effect) =>
      effect.type === 'send' && effect.to === TWO ? [effect.message] : [],
    );
  }
});

it('both schemes are among the real keys', () => {
  const schemes = [...heldKeys([1, 2]).values()].map(({ scheme }) => scheme);

  expect(schemes.toSorted()).toEqual([...SCHEME_NAMES].toSorted());
});
