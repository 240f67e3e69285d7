/**
 * @module
 * The search for the X of the dynamic puzzle by a device: SHA-256 of a message whose last block contains the number of X.
 * The numbers are those of the WASM kernel. Its user tests each hit again.
 */

import type { Random } from '../../random.ts';
import type { SolutionSearch } from '../kernel/solution-kernel.ts';
import { COUNTER_WORD, paddedMessage } from '../kernel/solution-kernel.ts';
import type { ScanOrder } from '../strategy.ts';
import type { Device } from './device.ts';
import { listedHits, RunPace, SamplePlan, wrongValues } from './device.ts';
import { SHA256_INITIAL, sha256Text, WORD_TEXT, words } from './hash-text.ts';
import type { DeviceHits } from './walk-program.ts';
import { HITS_MAX, WORKGROUP } from './walk-text.ts';

/** Numbers of an invocation, and most invocations of a run. */
const NUMBERS = 64;
const INVOCATIONS_MAX = 2 ** 20;
const SAMPLES_MAX = 64;
const BLOCK_WORDS = 16;
const WORD_NUMBERS = 2 ** 32;

/** Entry `begin` compresses all blocks but the last one, once for all invocations of `search`. */
function solutionText(counter: number): string {
  return `struct Parameters {
  low: u32, count: u32, first: u32, sampled: u32, zeros: vec2<u32>, samples: u32, blocks: u32, message: array<array<u32, ${BLOCK_WORDS}>, 2>,
}
struct Results { hits: atomic<u32>, numbers: array<u32, ${HITS_MAX}>, sampled: array<u32, ${SAMPLES_MAX}> }
@group(0) @binding(0) var<storage, read> parameters: Parameters;
@group(0) @binding(1) var<storage, read> table: array<u32>;
@group(0) @binding(2) var<storage, read_write> scratch: State;
@group(0) @binding(3) var<storage, read_write> results: Results;
${WORD_TEXT}
${sha256Text()}
@compute @workgroup_size(1) fn begin() {
  var state = State(${words(SHA256_INITIAL)});
  if (parameters.blocks > 1u) { state = compress(state, parameters.message[0]); }
  scratch = state;
}
@compute @workgroup_size(${WORKGROUP}) fn search(@builtin(global_invocation_id) id: vec3<u32>) {
  let state = scratch;
  var block = parameters.message[parameters.blocks - 1u];
  for (var n = 0u; n < ${NUMBERS}u; n++) {
    let number = id.x * ${NUMBERS}u + n;
    if (number >= parameters.count) { break; }
    block[${counter}] = parameters.first ^ (parameters.low + number);
    let digest = compress(state, block);
    if (number - parameters.sampled < parameters.samples) { results.sampled[number - parameters.sampled] = digest[0]; }
    if (((digest[0] & parameters.zeros.x) | (digest[1] & parameters.zeros.y)) == 0u) {
      let at = atomicAdd(&results.hits, 1u);
      if (at < ${HITS_MAX}u) { results.numbers[at] = number; }
    }
  }
}
`;
}

/** A form of the puzzle whose program is compiled. */
export interface DeviceSolutions {
  /** Every hit of a range in rising order. `bitsOf` measures a number on the CPU. */
  scan(
    search: SolutionSearch,
    range: Pick<ScanOrder, 'from' | 'count'>,
    bitsOf: (number: number) => number,
  ): Promise<DeviceHits>;
}

/** Compiles the program of a form. `random` draws the samples. */
export async function loadSolutions(
  device: Device,
  { form, random }: Pick<SolutionSearch, 'form'> & { readonly random: Random },
): Promise<DeviceSolutions> {
  const program = await device.load({
    code: solutionText(COUNTER_WORD[form]),
    table: new Uint32Array(1),
    scratchWords: 8,
    resultWords: 1 + HITS_MAX + SAMPLES_MAX,
  });
  const pace = new RunPace(INVOCATIONS_MAX);
  const plan = new SamplePlan(SAMPLES_MAX);
  return {
    async scan(search, { from, count }, bitsOf) {
      const attempts: number[] = [];
      let seconds = 0;
      const room = Math.max(1, Math.floor((HITS_MAX / 2 / NUMBERS) * 2 ** search.c2));
      for (let next = from; next < from + count; ) {
        const size = NUMBERS * Math.min(room, pace.size);
        // The upper half of X is constant in a run.
        const taken = Math.min(size, from + count - next, WORD_NUMBERS - (next % WORD_NUMBERS));
        const samples = plan.take(taken);
        const sampled = random.below(taken - samples + 1);
        const parameters = parametersOf(search, next, { count: taken, sampled, samples });
        const invocations = Math.ceil(taken / NUMBERS);
        const done = await program.dispatch({
          parameters,
          entries: [
            ['begin', 1],
            ['search', Math.ceil(invocations / WORKGROUP)],
          ],
        });
        seconds += done.seconds;
        pace.read(invocations, done.seconds);
        const [hits = 0] = done.results;
        if (hits > HITS_MAX) throw wrongValues(device, `${hits} hits where a few are expected`);
        const list = done.results.subarray(1, 1 + hits);
        const expected = taken * 2 ** -search.c2;
        const listed = listedHits(device, list, { count: taken, expected });
        for (let index = sampled; index < sampled + samples; index += 1) {
          const digest = done.results[1 + HITS_MAX + index - sampled] ?? 0;
          const bits = bitsOf(next + index);
          const isSame = Math.clz32(digest) === Math.min(WORD_BITS, bits);
          // A sample that is a hit must be in the list.
          if (!isSame || (bits >= search.c2 && !listed.has(index))) {
            throw wrongValues(device, `solution ${next + index}`);
          }
        }
        attempts.push(...Array.from(listed, (number) => next + number).sort((a, b) => a - b));
        next += taken;
      }
      return { attempts, seconds };
    },
  };
}

const WORD_BITS = 32;

function parametersOf(
  search: SolutionSearch,
  from: number,
  run: { readonly count: number; readonly sampled: number; readonly samples: number },
): Uint32Array<ArrayBuffer> {
  const message = paddedMessage(search);
  const view = new DataView(message.buffer);
  const blocks = message.length / (4 * BLOCK_WORDS);
  const all = Array.from({ length: message.length / 4 }, (_, word) => view.getUint32(4 * word));
  const counter = (blocks - 1) * BLOCK_WORDS + COUNTER_WORD[search.form];
  all[counter - 1] = ((all[counter - 1] ?? 0) ^ Math.floor(from / WORD_NUMBERS)) >>> 0;
  const zeros = [0, 1].map((word) => {
    const bits = Math.min(Math.max(search.c2 - WORD_BITS * word, 0), WORD_BITS);
    return 2 ** WORD_BITS - 2 ** (WORD_BITS - bits);
  });
  const { count, sampled, samples } = run;
  const head = [from % WORD_NUMBERS, count, all[counter] ?? 0, sampled, ...zeros, samples, blocks];
  const parameters = new Uint32Array(head.length + 2 * BLOCK_WORDS);
  parameters.set([...head, ...all]);
  return parameters;
}
