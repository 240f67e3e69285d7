/**
 * @module
 * This folder contains the operation `advantage`: how many bits an adversary with this machine is ahead of one honest core,
 * under each policy, beside the published rates of other programs.
 */

import { z } from 'zod';
import { SCHEME_NAMES } from '../../identity/keys/scheme.ts';
import { deviceText } from '../../mining/device/facts.ts';
import { formatCount } from '../figures.ts';
import { choice, choices } from '../member.ts';
import { defineOperation, replayOf } from '../operation.ts';
import type { Block, Report } from '../report.ts';
import { sentenceBlock } from '../report.ts';
import { PUBLISHED_RATES } from './published-rates.ts';
import type { MachineRate, MeasuredRate, RatedName } from './rates.ts';
import { fastestOf, honestRate, machineRateSchema, machineRates, RATED_NAMES } from './rates.ts';

/** A device that is measured besides the processor. */
export const RATED_DEVICE = choice(['gpu'], {
  label: 'Device',
  meaning: 'What is measured besides the processor: gpu is a graphics card by WebGPU',
  example: 'gpu',
  isFurther: true,
  otherwise: 'none',
});

const MEMBERS = {
  scheme: choice(SCHEME_NAMES, {
    label: 'Scheme',
    meaning: 'Signature scheme of the keys',
    example: 'secp256k1',
    initial: SCHEME_NAMES[0],
  }),
  policies: choices(RATED_NAMES, {
    label: 'Policies',
    meaning: 'Policies of keys and forms of the dynamic puzzle that are measured',
    example: 'strict,concat',
    isFurther: true,
    otherwise: 'all',
  }),
  device: RATED_DEVICE,
};

const VERB = { name: 'advantage', members: MEMBERS } as const;

const output = z
  .object({
    scheme: z.enum(SCHEME_NAMES),
    threads: z.int(),
    rates: z.array(machineRateSchema).readonly(),
    published: z
      .array(
        z
          .object({
            ...{ program: z.string(), hardware: z.string(), counts: z.string() },
            ...{ perSecond: z.number(), source: z.string() },
            bits: z
              .number()
              .nullable()
              .describe('Over one honest core here with the same work. Null if none was measured.'),
          })
          .readonly(),
      )
      .readonly()
      .describe('Constants from the sources, not measured on this machine.'),
    replay: z.string(),
  })
  .meta({ id: 'Advantage' });

type AdvantageOutput = z.output<typeof output>;

export const ADVANTAGE = defineOperation({
  ...VERB,
  collection: 'advantages',
  title: 'Advantage',
  summary: 'measure how far this machine is ahead of one honest core',
  description: `An honest core uses noble: it makes each key anew, or tests each X. Bits are log2 of a rate over that of this core under the same policy: the difficulty that the honest core cannot afford and the other can.
The rate of one core is per CPU second, that of all cores is this times their number, and that of a device is per second of its own time. A software device computes on the processor: it is no graphics card, and has no bits.
As in the published rates, scrypt has N 2^14, r 8 and p 1, and Argon2id 64 MiB and 3 passes. openssl is node:crypto.
usurp design --advantage measured takes the advantage from such a measurement.`,
  output,
  answersWhileTyping: false,
  measuresTime: true,
  check() {},
  atOnce: () => null,
  async run(input, { threads, signal, onProgress, machine }) {
    const { scheme, policies, device } = input;
    const measured = await machine.advantage({
      ...{ threads, signal, scheme, policies, device },
      onProgress: (now, done, total) => onProgress({ now, done, total }),
    });
    if (signal.aborted) return null;
    const rates = machineRates(measured);
    const published = PUBLISHED_RATES.map(({ like, ...rate }) => {
      const isLike = like !== null && (like.scheme === null || like.scheme === scheme);
      const honest = isLike ? honestRate(measured, like.policy) : null;
      return { ...rate, bits: honest === null ? null : Math.log2(rate.perSecond / honest) };
    });
    return { scheme, threads, rates, published, replay: replayOf(VERB, input) };
  },
  outcomeOf: () => 'holds',
  outcomes: { holds: 'measured', violated: null, unknown: null },
  report: reportOf,
  picture: () => null,
  table: () => null,
  has: { picture: false, table: false },
  examples: [{ policies: 'strict,scrypt' }, {}, { scheme: 'secp256k1' }, { device: 'gpu' }],
});

function reportOf({ scheme, rates, published }: AdvantageOutput): Report {
  const hard = (['scrypt', 'argon2id'] as const).flatMap((policy) => {
    const bits = bestBits(rates, policy);
    return bits === null ? [] : [`${policy} leaves ${bits.toFixed(1)} bits of it`];
  });
  return [
    sentenceBlock([aheadText(rates), ...hard].join('; ')),
    {
      type: 'table',
      title: `This machine, ${scheme}`,
      columns: columnsOf(['policy', 'made with', 'cores'], ['keys or X/s', 'hashes/s', 'bits']),
      rows: rates.map((rate) => [
        ...[rate.policy, madeWith(rate), rate.cores === 0 ? '' : String(rate.cores)],
        ...[rate.perSecond, rate.hashesPerSecond].map(countText),
        bitsText(rate.bits),
      ]),
    },
    missingBlock(rates),
    {
      type: 'table',
      title: 'Published rates, constants',
      columns: columnsOf(['program', 'hardware', 'counts'], ['a second', 'bits'], ['source']),
      rows: published.map(({ program, hardware, counts, perSecond, bits, source }) => [
        ...[program, hardware, counts, countText(perSecond), bitsText(bits), source],
      ]),
    },
  ];
}

/** What could not be measured, and why. */
function missingBlock(rates: readonly MachineRate[]): Block {
  const notes = rates.flatMap((rate) => {
    return rate.why === null ? [] : [`${rate.policy}, ${madeWith(rate)}: ${rate.why}`];
  });
  return { type: 'notes', notes };
}

function bestBits(rates: readonly MachineRate[], policy: RatedName): number | null {
  const [fastest, honest] = [fastestOf(rates, policy), honestRate(rates, policy)];
  if (honest === null || fastest?.perSecond == null) return null;
  return Math.log2(fastest.perSecond / honest);
}

/** The advantage under the strict policy as a sentence without a full stop. */
export function aheadText(rates: readonly MeasuredRate[]): string {
  const [fastest, honest] = [fastestOf(rates, 'strict'), honestRate(rates, 'strict')];
  if (honest === null || fastest?.perSecond == null) return 'no rate was measured';
  const { perSecond, cores } = fastest;
  const bits = Math.log2(perSecond / honest).toFixed(1);
  const on = cores === 0 ? '' : ` on ${cores} core${cores === 1 ? '' : 's'}`;
  return `this machine makes ${formatCount(perSecond)} keys/s under the strict policy (${madeWith(fastest)}${on}), ${bits} bits ahead of one honest core with ${formatCount(honest)}`;
}

function madeWith({ implementation, device }: MeasuredRate): string {
  return implementation === 'device' ? deviceText(device) : implementation;
}

function columnsOf(
  texts: readonly string[],
  numbers: readonly string[],
  last: readonly string[] = [],
) {
  return [
    ...texts.map((name) => ({ name })),
    ...numbers.map((name) => ({ name, isNumber: true })),
    ...last.map((name) => ({ name })),
  ];
}

function countText(count: number | null): string {
  if (count === null) return '–';
  return count > 0 && count < 100 ? count.toPrecision(3) : formatCount(count);
}

function bitsText(bits: number | null): string {
  return bits === null ? '–' : bits.toFixed(2);
}
