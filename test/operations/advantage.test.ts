/**
 * @module
 * The operation `advantage`, and a design with a measured advantage, on a machine whose rates are known.
 */

import { expect, it } from 'vitest';
import { ADVANTAGE } from '../../src/operations/advantage/advantage.ts';
import type { MeasuredRate } from '../../src/operations/advantage/rates.ts';
import { machineRates } from '../../src/operations/advantage/rates.ts';
import { DESIGN } from '../../src/operations/design.ts';
import type { Machine } from '../../src/operations/machine.ts';
import type { OperationContext } from '../../src/operations/operation.ts';
import { inputSchema } from '../../src/operations/operation.ts';
import { parseSeed } from '../../src/random.ts';
import { THIS_MACHINE } from '../../src/runtime/sweep/machine.ts';

const CARD = { name: 'a card', isSoftware: false };
const SOFTWARE = { name: 'SwiftShader', isSoftware: true };

/** Powers of two over the honest core, which makes 1000 candidates a second. */
const RATES: readonly MeasuredRate[] = [
  rate('strict', 'noble', 0),
  rate('strict', 'openssl', 3),
  rate('strict', 'kernel', 10),
  { ...rate('strict', 'kernel', 12), cores: 4 },
  rate('scrypt', 'noble', 0),
  rate('scrypt', 'openssl', 1),
  { ...rate('scrypt', 'kernel', 0), perSecond: null, why: 'no kernel' },
];

function rate(
  policy: MeasuredRate['policy'],
  implementation: MeasuredRate['implementation'],
  bits: number,
): MeasuredRate {
  return { policy, implementation, cores: 1, perSecond: 1000 * 2 ** bits, why: null };
}

function device(facts: typeof CARD): MeasuredRate {
  return { ...rate('strict', 'device', 20), cores: 0, device: facts };
}

function contextOf(rates: readonly MeasuredRate[]): OperationContext {
  const machine: Machine = { ...THIS_MACHINE, advantage: async () => rates };
  const ignore = () => undefined;
  return {
    ...{ threads: 4, signal: new AbortController().signal, machine, isRemote: false },
    ...{ onProgress: ignore, onPartial: ignore, onNote: ignore },
    seedFor: () => parseSeed('1'),
  };
}

it('states the bits over an honest core, and the hashes of each candidate', () => {
  const rates = machineRates(RATES);

  expect(rates.map(({ bits }) => bits)).toEqual([0, 3, 10, 12, 0, 1, null]);
  expect(rates[0]?.hashesPerSecond, 'the ID and its puzzle').toBe(2000);
  expect(machineRates([rate('yggdrasil', 'noble', 0)])[0]?.hashesPerSecond).toBe(0);
  expect(machineRates([rate('xor', 'noble', 0)])[0]?.hashesPerSecond).toBe(1000);
});

it.each([
  [CARD, 20, '20.0 bits ahead'],
  [SOFTWARE, null, '12.0 bits ahead'],
])('counts a card, and no software device: %o', async (facts, bits, ahead) => {
  const rates = [...RATES, device(facts)];

  const output = await ADVANTAGE.run({ scheme: 'ed25519' }, contextOf(rates));

  if (output === null) throw new TypeError('"output" expected one, got null');
  const [sentence, table] = ADVANTAGE.report(output);
  expect(output.rates.at(-1)?.bits).toBe(bits);
  expect(sentence).toMatchObject({ text: expect.stringContaining(ahead) });
  expect(sentence).toMatchObject({ text: expect.stringContaining('scrypt leaves 1.0 bits') });
  expect(JSON.stringify(table)).toContain(
    facts.isSoftware ? 'SwiftShader, a software device: no graphics card' : 'a card',
  );
});

it('compares published rates with an honest core that does the same work', async () => {
  const ygg = rate('yggdrasil', 'noble', 0);

  const ed25519 = await ADVANTAGE.run({ scheme: 'ed25519' }, contextOf([...RATES, ygg]));
  const secp256k1 = await ADVANTAGE.run({ scheme: 'secp256k1' }, contextOf(RATES));

  const bitsOf = (output: typeof ed25519, program: string) =>
    output?.published.find((each) => each.program === program)?.bits;
  expect(bitsOf(ed25519, 'mkp224o')).toBeCloseTo(Math.log2(56_100), 9);
  expect(bitsOf(ed25519, 'profanity2'), 'another hash').toBeNull();
  expect(bitsOf(secp256k1, 'mkp224o'), 'another scheme').toBeNull();
  for (const { source, perSecond } of ed25519?.published ?? []) {
    expect(source).toMatch(/^https:\/\/github\.com\/|^bench\//);
    expect(perSecond).toBeGreaterThan(0);
  }
});

const ASKED = { epsilon: 0.01, time: 60, nodes: 16, joinTime: 10, check: false, elections: false };

it('is the advantage of a design, whose command repeats it with the number', async () => {
  const input = inputSchema(DESIGN, true).parse({ ...ASKED, advantage: 'measured' });
  const asked = input as Parameters<typeof DESIGN.run>[0]; // By its schema.

  const output = await DESIGN.run(asked, contextOf([...RATES, device(CARD)]));

  const { advantage, rate: honest, machines } = output?.answers[0]?.request ?? {};
  expect([advantage, honest, machines]).toEqual([1048580, 1000, 1]);
  expect(output?.measured).toContain('a card');
  expect(output?.replay).toContain('--advantage 1048580 --rate 1000 --machines 1 ');
  const stated = { ...asked, advantage: [1048580], rate: 1000, machines: 1 };
  expect(DESIGN.atOnce(stated)?.answers).toEqual(output?.answers);
});

it('needs no device where nothing is measured', () => {
  const input = inputSchema(DESIGN, true).parse({ ...ASKED, rate: 1e6, device: 'gpu' });

  expect(() => DESIGN.check(input as Parameters<typeof DESIGN.check>[0], true)).toThrow(
    'device: needs the advantage measured',
  );
});
